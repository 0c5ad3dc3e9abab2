import type { Queryable, SqlValue } from '../database/database.ts';
import type { AuditEntry, AuditFilter, AuditLog, RecordedEntry } from './audit-log.ts';

/** The audit log in a Postgres-compatible database (schemas/postgres/011-audit-log.sql). */
export class SqlAuditLog implements AuditLog {
  readonly #database: Queryable;

  constructor(database: Queryable) {
    this.#database = database;
  }

  async append(entry: AuditEntry): Promise<void> {
    await this.#database.query(
      `insert into audit_log
         (at_us, principal_id, principal_name, source, action, project_id, object, before, after, request_id)
       values ($1::int8, $2, $3::text, $4::text, $5, $6::text, $7::text, $8::text, $9::text, $10)`,
      [
        entry.at,
        entry.principalId,
        entry.principalName,
        entry.source,
        entry.action,
        entry.projectId,
        entry.object,
        entry.before,
        entry.after,
        entry.requestId,
      ],
    );
  }

  async list(
    { action, projectId, principal, since, until }: AuditFilter,
    limit: number,
    before?: bigint,
  ): Promise<readonly RecordedEntry[]> {
    const values: SqlValue[] = [BigInt(limit)];
    const where = (condition: (place: string) => string, value: SqlValue | undefined): string =>
      value === undefined ? '' : `and ${condition(`$${values.push(value)}`)}`;
    const conditions = [
      where((place) => `id < ${place}::int8`, before),
      where((place) => `action = ${place}::text`, action),
      where((place) => `project_id = ${place}::text`, projectId),
      where((place) => `(principal_id = ${place}::text or principal_name = ${place}::text)`, principal),
      where((place) => `at_us >= ${place}::int8`, since),
      where((place) => `at_us < ${place}::int8`, until),
    ];
    const sql = `select ${AUDIT_COLUMNS} from audit_log where true ${conditions.join(' ')} order by id desc limit $1::int8`;
    return (await this.#database.query<AuditRow>(sql, values)).map(toEntry);
  }
}

const AUDIT_COLUMNS =
  'id, at_us, principal_id, principal_name, source, action, project_id, object, before, after, request_id';

type AuditRow = {
  id: bigint;
  at_us: bigint;
  principal_id: string;
  principal_name: string | null;
  source: string | null;
  action: string;
  project_id: string | null;
  object: string | null;
  before: string | null;
  after: string | null;
  request_id: string;
};

function toEntry(row: AuditRow): RecordedEntry {
  const { id, source, action, object, before, after } = row;
  const principal = { principalId: row.principal_id, principalName: row.principal_name, source };
  const what = { action, projectId: row.project_id, object, before, after };
  return { id, at: row.at_us, ...principal, ...what, requestId: row.request_id };
}
