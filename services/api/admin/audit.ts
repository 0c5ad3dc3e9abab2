import type { Route } from '../../http/route.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { AuditFilter, RecordedEntry, SqlAuditLog } from '../../stores/service-state/sql-audit-log.ts';
import { route } from '../input.ts';
import { given, pageAnswer, pageFrom, readCursor, readRange } from '../query.ts';
import type { SqlProjectStore } from '../../stores/projects/sql-project-store.ts';

export interface AuditParts {
  readonly audit: SqlAuditLog;
  readonly projects: Pick<SqlProjectStore, 'listProjects'>;
}

export function auditRoutes(parts: AuditParts): Route[] {
  const how = { scope: 'admin', bodyLimitBytes: null, style: 'problem' } as const;
  return [
    // A time without an offset is UTC.
    route('GET /v1/admin/audit', how, async (_, { query }) => {
      const { limit, cursor: text, action, principal, project: projectId, ...period } = query;
      const cursor = readCursor(text, decodeAuditCursor);
      if (!cursor.ok) return cursor.refusal;
      const range = readRange(period, 'UTC');
      if (!range.ok) return range.refusal;
      const filter = { ...given({ action, principal, projectId }), ...range.value };
      const found = await parts.audit.list(await withProjectId(parts, filter), limit + 1, cursor.value);
      const { items, next } = pageFrom(found, limit, ({ id }) => encodeAuditCursor(id));
      return pageAnswer('entries', { items: items.map(entryJson), next });
    }),
  ];
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

function decodeAuditCursor(text: string): bigint | undefined {
  const [, id] = /^audit-(\d{1,18})$/.exec(Buffer.from(text.slice(0, 64), 'base64url').toString('latin1')) ?? [];
  return id !== undefined && encodeAuditCursor(BigInt(id)) === text ? BigInt(id) : undefined;
}

/** What was before and after goes in as it was recorded, every digit kept. */
function entryJson(entry: RecordedEntry): string {
  const { id, at, principalId, principalName, source, action, projectId, object, requestId } = entry;
  const who = { id: String(id), at: formatMicros(at), principal: { id: principalId, name: principalName }, source };
  const what = { action, project: projectId, object, request_id: requestId };
  const head = JSON.stringify({ ...who, ...what }).slice(0, -1);
  return `${head},"before":${entry.before ?? 'null'},"after":${entry.after ?? 'null'}}`;
}
