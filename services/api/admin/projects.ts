import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Input } from '../input.ts';
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
import { type AdminCall, readMembers } from './answers.ts';

/** `GET /v1/admin/projects` */
export async function answerProjects(projects: SqlProjectStore, query: Page): Promise<Answer | Refusal> {
  return pageAnswer('projects', (await projects.listProjects()).map(showProject).toReversed(), query);
}

/** `GET /v1/admin/projects/:id` */
export async function answerProject(projects: SqlProjectStore, { params }: AdminCall): Promise<Answer> {
  return { status: 200, body: JSON.stringify(await findProject(projects, params['id'] ?? '')) };
}

/** `POST /v1/admin/projects` */
export async function answerNewProject(
  { projects, newProjects }: Pick<AdminPorts, 'projects'> & { readonly newProjects: NewProjectDefaults },
  call: AdminCall,
): Promise<Answer | Refusal> {
  const members = readMembers('POST /v1/admin/projects', call);
  if (!members.ok) return members.refusal;
  const made = await createProject(projects, newProjects, members.value);
  const body = JSON.stringify(made);
  const audit = { action: 'project.create', object: made.id, project: made.id, after: body };
  return { status: 201, body, headers: { Location: `/v1/admin/projects/${made.id}` }, audit };
}

/** `PATCH /v1/admin/projects/:id` */
export async function answerProjectChange(
  { projects, generations }: Pick<AdminPorts, 'projects' | 'generations'>,
  call: AdminCall,
): Promise<Answer | Refusal> {
  const members = readMembers('PATCH /v1/admin/projects/{id}', call);
  if (!members.ok) return members.refusal;
  const before = await findProject(projects, call.params['id'] ?? '');
  const { id } = before;
  if (members.value.join_ids === true && !before.join_ids) await generations.expectJoins(id);
  const body = JSON.stringify(await changeProject(projects, id, members.value));
  const audit = { action: 'project.change', object: id, project: id, before: JSON.stringify(before), after: body };
  return { status: 200, body, audit };
}

/** `GET /v1/admin/projects/:id/keys` */
export async function answerProjectKeys(
  projects: SqlProjectStore,
  { path, query }: Input<'GET /v1/admin/projects/{id}/keys'>,
): Promise<Answer | Refusal> {
  const { id } = await findProject(projects, path.id);
  return keysAnswer(projects, id, query);
}

/** `POST /v1/admin/projects/:id/keys` */
export async function answerNewProjectKey(projects: SqlProjectStore, call: AdminCall): Promise<Answer | Refusal> {
  const members = readMembers('POST /v1/admin/projects/{id}/keys', call);
  return members.ok ? newKey(projects, { ...members.value, project: call.params['id'] ?? '' }) : members.refusal;
}

/** `GET /v1/admin/keys`: those of the installation. */
export function answerAdminKeys(projects: SqlProjectStore, query: Page): Promise<Answer | Refusal> {
  return keysAnswer(projects, null, query);
}

/** `POST /v1/admin/keys`: an admin key. */
export async function answerNewAdminKey(projects: SqlProjectStore, call: AdminCall): Promise<Answer | Refusal> {
  const members = readMembers('POST /v1/admin/keys', call);
  return members.ok ? newKey(projects, { ...members.value, scopes: ['admin'] }) : members.refusal;
}

/** `DELETE /v1/admin/keys/:id` */
export async function answerRevokedKey(projects: SqlProjectStore, { params }: AdminCall): Promise<Answer> {
  const revoked = await revokeKey(projects, params['id'] ?? '');
  const body = JSON.stringify(revoked);
  return {
    status: 200,
    body,
    audit: { action: 'key.revoke', object: revoked.id, project: revoked.project_id, after: body },
  };
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

async function keysAnswer(projects: SqlProjectStore, project: string | null, query: Page): Promise<Answer | Refusal> {
  return pageAnswer('keys', (await projects.listKeys(project)).map(showKey).toReversed(), query);
}

function pageAnswer<T extends { readonly id: string }>(name: string, all: readonly T[], query: Page): Answer | Refusal {
  const page = pageOf(all, query, ({ id }) => id);
  if (!page.ok) return page.refusal;
  return { status: 200, body: JSON.stringify({ [name]: page.value.items, next_cursor: page.value.next }) };
}
