import { onTestFinished } from 'vitest';
import { ADMIN_KEY, type Scene } from './scene.ts';

interface Project {
  readonly id: string;
  readonly name: string;
  readonly rate_limit: number | null;
}

/** What tests do over the interface with an admin key, and with projects of their own. */
export function projectsOf(scene: () => Scene) {
  const admin = async <T = unknown>(path: string, method = 'GET', body?: object): Promise<T> => {
    const response = await fetch(`${scene().url}/v1/admin/${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_KEY}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as T;
  };

  /** Other tests say which projects there are. */
  const removeAfterwards = (id: string, name?: string): void => {
    onTestFinished(async () => {
      const { keys } = await admin<{ readonly keys: readonly { readonly id: string }[] }>(`projects/${id}/keys`);
      for (const key of keys) await admin(`keys/${key.id}`, 'DELETE');
      const confirm = name === undefined ? '' : `?confirm=${encodeURIComponent(name)}`;
      await admin(`projects/${id}${confirm}`, 'DELETE');
    });
  };

  const makeProject = async (name: string): Promise<Project> => {
    const project = await admin<Project>('projects', 'POST', { name });
    removeAfterwards(project.id, name);
    return project;
  };

  /** The text of a new key of the project. */
  const makeKey = async (project: string, scope: string): Promise<string> =>
    (await admin<{ readonly key: string }>(`projects/${project}/keys`, 'POST', { scopes: [scope] })).key;

  return { admin, removeAfterwards, makeProject, makeKey };
}
