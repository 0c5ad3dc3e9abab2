import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer, Route } from '../../http/route.ts';
import { formatMicros, parseTimestamp } from '../../messages/timestamp.ts';
import type { AuditFilter, AuditLog, RecordedEntry } from '../../stores/audit/audit-log.ts';
import type { ProjectStore } from '../../stores/projects/project-store.ts';
import { type Checked, readLimit, readName, refuseParameter, single } from '../query.ts';

export interface AuditParts {
  readonly audit: AuditLog;
  readonly projects: Pick<ProjectStore, 'listProjects'>;
}

export function auditRoutes(parts: AuditParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/admin/audit',
      scope: 'admin',
      bodyLimitBytes: null,
      style: 'problem',
      query: QUERY,
      handle: (call) => answerAudit(parts, call),
    },
  ];
}

const QUERY = ['limit', 'cursor', 'action', 'project', 'principal', 'since', 'until'];

/** `GET /v1/admin/audit` */
async function answerAudit(parts: AuditParts, { query }: Call): Promise<Answer | Refusal> {
  const limit = single(query, 'limit', readLimit);
  if (!limit.ok) return limit.refusal;
  const cursor = single(query, 'cursor', readAuditCursor);
  if (!cursor.ok) return cursor.refusal;
  const filter = readAuditFilter(query);
  if (!filter.ok) return filter.refusal;
  // One more than the page has tells whether there is another.
  const found = await parts.audit.list(await withProjectId(parts, filter.value), limit.value + 1, cursor.value);
  const page = found.slice(0, limit.value);
  const last = page.at(-1);
  const next = found.length > page.length && last !== undefined ? encodeAuditCursor(last.id) : null;
  const body = `{"entries":[${page.map(entryJson).join(',')}],"next_cursor":${JSON.stringify(next)}}`;
  return { status: 200, body };
}

function readAuditFilter(query: URLSearchParams): Checked<AuditFilter> {
  const filter: Record<string, unknown> = {};
  for (const [name, member, read] of FILTERS) {
    const value = single<unknown>(query, name, (text) => (text === undefined ? ABSENT : read(name, text)));
    if (!value.ok) return value;
    if (value.value !== undefined) filter[member] = value.value;
  }
  return { ok: true, value: filter };
}

const ABSENT = { ok: true, value: undefined } as const;

type ReadFilter = (name: string, text: string) => Checked<unknown>;

const FILTERS: readonly (readonly [string, keyof AuditFilter, ReadFilter])[] = [
  ['action', 'action', readName],
  ['project', 'projectId', readName],
  ['principal', 'principal', readName],
  ['since', 'since', readTime],
  ['until', 'until', readTime],
];

/** A text without an offset is UTC. */
function readTime(name: string, text: string): Checked<bigint> {
  const parsed = parseTimestamp(text, 'UTC');
  return parsed.ok ? { ok: true, value: parsed.micros } : refuseParameter(name, parsed.message);
}

/** A project may be named. One that was deleted has its id alone. */
async function withProjectId({ projects }: AuditParts, filter: AuditFilter): Promise<AuditFilter> {
  const { projectId: wanted } = filter;
  if (wanted === undefined) return filter;
  const named = (await projects.listProjects()).filter(({ name }) => name === wanted);
  return named.length === 1 && named[0] !== undefined ? { ...filter, projectId: named[0].id } : filter;
}

const CURSOR_PREFIX = 'audit-';

function encodeAuditCursor(id: bigint): string {
  return Buffer.from(`${CURSOR_PREFIX}${id}`).toString('base64url');
}

function readAuditCursor(text: string | undefined): Checked<bigint | undefined> {
  if (text === undefined) return ABSENT;
  const [, id] = /^audit-(\d{1,18})$/.exec(Buffer.from(text.slice(0, 64), 'base64url').toString('latin1')) ?? [];
  if (id !== undefined && encodeAuditCursor(BigInt(id)) === text) return { ok: true, value: BigInt(id) };
  return refuseParameter('cursor', 'was not given by this service');
}

/** What was before and after goes in as it was recorded, every digit kept. */
function entryJson(entry: RecordedEntry): string {
  const { id, at, principalId, principalName, source, action, projectId, object, requestId } = entry;
  const who = { id: String(id), at: formatMicros(at), principal: { id: principalId, name: principalName }, source };
  const what = { action, project: projectId, object, request_id: requestId };
  const head = JSON.stringify({ ...who, ...what }).slice(0, -1);
  return `${head},"before":${entry.before ?? 'null'},"after":${entry.after ?? 'null'}}`;
}
