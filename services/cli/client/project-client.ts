import { ask } from './ask.ts';
import type { CliContext } from '../context.ts';
import { onlyProject } from '../project.ts';
import type { ServiceClient } from './service-client.ts';
import { clientWithKey, keyOf, type ServiceOptions } from './service-options.ts';
import { clientOfRunning } from './with-service.ts';

/** A client, and the parameter that names the project to it: '' where its key does. */
export interface ProjectClient {
  readonly client: ServiceClient;
  readonly query: string;
}

/**
 * For commands that read a project: by the key that is given; without one by the service on this machine, which takes
 * whoever may open its socket for an admin.
 *
 * @throws TidemarkError `COMMAND_INVALID` where no key is given and no service runs here, or the project is not clear.
 */
export async function projectClientOf(context: CliContext, options: ServiceOptions): Promise<ProjectClient> {
  const { project } = options;
  const isLocal = options.url === undefined && keyOf(context, options) === undefined;
  const local = isLocal ? await clientOfRunning(context) : undefined;
  if (local === undefined) return { client: clientWithKey(context, options), query: queryOf(project) };
  return { client: local, query: queryOf(project ?? (await onlyOn(local, context))) };
}

function queryOf(project: string | undefined): string {
  return project === undefined ? '' : `project=${encodeURIComponent(project)}`;
}

async function onlyOn(client: ServiceClient, { signal }: CliContext): Promise<string> {
  const text = await ask(client, { path: '/v1/admin/projects?limit=1000' }, { signal });
  return onlyProject((JSON.parse(text) as { readonly projects: Parameters<typeof onlyProject>[0] }).projects).id;
}
