/** Projects and keys: made, listed, changed and revoked. */
import type { Refusal } from '../../http/problems.ts';
import type { Answer, Route } from '../../http/route.ts';
import { route } from '../input.ts';
import { type Page, pageOf } from '../query.ts';
import {
  changeProject,
  createKey,
  createProject,
  findProject,
  revokeKey,
  showKey,
  showProject,
} from '../../stores/projects/project-commands.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import type { NewProjectDefaults } from '../../stores/projects/project-store.ts';
import type { SqlProjectStore } from '../../stores/projects/sql-project-store.ts';
import { ADMIN, ADMIN_BODY, routeWithBody } from './answers.ts';

type ProjectParts = Pick<AdminPorts, 'projects'> & { readonly newProjects: NewProjectDefaults };

export function projectRoutes({ projects, newProjects }: ProjectParts): Route[] {
  return [
    route('GET /v1/admin/projects', ADMIN, async (_, { query }) =>
      pageOfAll('projects', (await projects.listProjects()).map(showProject), query),
    ),
    routeWithBody('POST /v1/admin/projects', ADMIN_BODY, async (_, settings) => {
      const made = await createProject(projects, newProjects, settings);
      const body = JSON.stringify(made);
      const audit = { action: 'project.create', object: made.id, project: made.id, after: body };
      return { status: 201, body, headers: { Location: `/v1/admin/projects/${made.id}` }, audit };
    }),
    route('GET /v1/admin/projects/{id}', ADMIN, async (_, { path }) => {
      return { status: 200, body: JSON.stringify(await findProject(projects, path.id)) };
    }),
  ];
}

/** What definitions do to a project, too. */
export function settingRoutes({ projects, generations }: Pick<AdminPorts, 'projects' | 'generations'>): Route[] {
  return [
    routeWithBody('PATCH /v1/admin/projects/{id}', ADMIN_BODY, async (_, settings, { path }) => {
      const before = await findProject(projects, path.id);
      const { id } = before;
      if (settings.join_ids === true && !before.join_ids) await generations.expectJoins(id);
      const body = JSON.stringify(await changeProject(projects, id, settings));
      const audit = { action: 'project.change', object: id, project: id, before: JSON.stringify(before), after: body };
      return { status: 200, body, audit };
    }),
    route('GET /v1/admin/projects/{id}/keys', ADMIN, async (_, { path, query }) => {
      const { id } = await findProject(projects, path.id);
      return pageOfAll('keys', (await projects.listKeys(id)).map(showKey), query);
    }),
    routeWithBody('POST /v1/admin/projects/{id}/keys', ADMIN_BODY, (_, settings, { path }) =>
      newKey(projects, { ...settings, project: path.id }),
    ),
    // Those of the installation.
    route('GET /v1/admin/keys', ADMIN, async (_, { query }) =>
      pageOfAll('keys', (await projects.listKeys(null)).map(showKey), query),
    ),
    routeWithBody('POST /v1/admin/keys', ADMIN_BODY, (_, settings) =>
      newKey(projects, { ...settings, scopes: ['admin'] }),
    ),
    route('DELETE /v1/admin/keys/{id}', ADMIN, async (_, { path }) => {
      const revoked = await revokeKey(projects, path.id);
      const body = JSON.stringify(revoked);
      const audit = { action: 'key.revoke', object: revoked.id, project: revoked.project_id, after: body };
      return { status: 200, body, audit };
    }),
  ];
}

/** The key itself stays out of the audit log. */
async function newKey(projects: SqlProjectStore, args: Parameters<typeof createKey>[1]): Promise<Answer> {
  const made = await createKey(projects, args);
  const { key: _, ...after } = made;
  return {
    status: 201,
    body: JSON.stringify(made),
    headers: { Location: `/v1/admin/keys/${made.id}` },
    audit: { action: 'key.create', object: made.id, project: made.project_id, after: JSON.stringify(after) },
    isSecret: true,
  };
}

function pageOfAll<T extends { readonly id: string }>(name: string, all: readonly T[], query: Page): Answer | Refusal {
  const page = pageOf(all.toReversed(), query, ({ id }) => id);
  if (!page.ok) return page.refusal;
  return { status: 200, body: JSON.stringify({ [name]: page.value.items, next_cursor: page.value.next }) };
}
