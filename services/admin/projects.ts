import type { Refusal } from '../http/problems.ts';
import type { Answer } from '../http/route.ts';
import { pageOf } from '../query-api/query.ts';
import type { KeySummary, ProjectSummary } from '../stores/projects/project-commands.ts';
import type { AdminPort } from './admin-commands.ts';
import { type AdminCall, answerCommand, resultOf } from './answers.ts';
import { notFound, readMembers } from './reading.ts';

const LIMITS = ['rate_limit_bytes', 'query_max_ms', 'query_max_memory_bytes', 'query_max_rows'] as const;

/** `GET /v1/admin/projects` */
export async function answerProjects(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> {
  const { query } = call;
  const all = await resultOf<ProjectSummary[]>(port, call, { name: 'project list', args: {} });
  return 'refused' in all ? all : pageAnswer('projects', all.toReversed(), query);
}

/** `GET /v1/admin/projects/:id` */
export async function answerProject(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> {
  const project = await projectIn(port, call);
  return 'refused' in project ? project : { status: 200, body: JSON.stringify(project) };
}

/** `POST /v1/admin/projects` */
export function answerNewProject(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> | Refusal {
  const members = readMembers(call, ['name', 'timezone', 'rate_limit']);
  if (!members.ok) return members.refusal;
  return answerCommand(port, call, {
    name: 'project create',
    args: members.value,
    answer: (body) => made(body, '/v1/admin/projects', 'project.create'),
  });
}

/** `PATCH /v1/admin/projects/:id` */
export async function answerProjectChange(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> {
  const members = readMembers(call, ['name', 'timezone', 'rate_limit', ...LIMITS]);
  if (!members.ok) return members.refusal;
  const before = await projectIn(port, call);
  if ('refused' in before) return before;
  const { id } = before;
  const audit = { action: 'project.change', object: id, project: id, before: JSON.stringify(before) };
  return answerCommand(port, call, {
    name: 'project set',
    args: { ...members.value, id },
    answer: (body) => ({ status: 200, body, audit: { ...audit, after: body } }),
  });
}

/** `GET /v1/admin/projects/:id/keys` */
export async function answerProjectKeys(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> {
  const project = await projectIn(port, call);
  return 'refused' in project ? project : keysAnswer(port, call, ({ project_id: id }) => id === project.id);
}

/** `POST /v1/admin/projects/:id/keys` */
export function answerNewProjectKey(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> | Refusal {
  const members = readMembers(call, ['name', 'scopes']);
  if (!members.ok) return members.refusal;
  return newKey(port, call, { ...members.value, project: call.params['id'] });
}

/** `GET /v1/admin/keys`: those of the installation. */
export function answerAdminKeys(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> {
  return keysAnswer(port, call, ({ project_id: id }) => id === null);
}

/** `POST /v1/admin/keys`: an admin key. */
export function answerNewAdminKey(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> | Refusal {
  const members = readMembers(call, ['name']);
  if (!members.ok) return members.refusal;
  return newKey(port, call, { ...members.value, scopes: ['admin'] });
}

/** `DELETE /v1/admin/keys/:id` */
export function answerRevokedKey(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> {
  return answerCommand(port, call, {
    name: 'key revoke',
    args: { id: call.params['id'] },
    answer: (body) => {
      const { id, project_id: project } = JSON.parse(body) as KeySummary;
      return { status: 200, body, audit: { action: 'key.revoke', object: id, project, after: body } };
    },
  });
}

function newKey(port: AdminPort, call: AdminCall, args: Readonly<Record<string, unknown>>): Promise<Answer | Refusal> {
  return answerCommand(port, call, {
    name: 'key create',
    args,
    answer: (body) => made(body, '/v1/admin/keys', 'key.create'),
  });
}

async function keysAnswer(
  port: AdminPort,
  call: AdminCall,
  isWanted: (key: KeySummary) => boolean,
): Promise<Answer | Refusal> {
  const { query } = call;
  const all = await resultOf<KeySummary[]>(port, call, { name: 'key list', args: {} });
  return 'refused' in all ? all : pageAnswer('keys', all.filter(isWanted).toReversed(), query);
}

export async function projectIn(port: AdminPort, call: AdminCall): Promise<ProjectSummary | Refusal> {
  const all = await resultOf<ProjectSummary[]>(port, call, { name: 'project list', args: {} });
  if ('refused' in all) return all;
  const { id } = call.params;
  return all.find((one) => one.id === id) ?? notFound('There is no such project.', 'PROJECT_UNKNOWN');
}

function pageAnswer<T extends { readonly id: string }>(
  name: string,
  all: readonly T[],
  query: URLSearchParams,
): Answer | Refusal {
  const page = pageOf(all, query, ({ id }) => id);
  if (!page.ok) return page.refusal;
  return { status: 200, body: JSON.stringify({ [name]: page.value.items, next_cursor: page.value.next }) };
}

/** The answer to what was created. A key itself stays out of the audit log. */
function made(body: string, folder: string, action: string): Answer {
  const { key, ...after } = JSON.parse(body) as { readonly id: string; readonly project_id?: string; key?: string };
  const project = action === 'project.create' ? after.id : (after.project_id ?? null);
  const audit = { action, object: after.id, project, after: JSON.stringify(after) };
  const secret = key === undefined ? {} : { isSecret: true as const };
  return { status: 201, body, headers: { Location: `${folder}/${after.id}` }, audit, ...secret };
}
