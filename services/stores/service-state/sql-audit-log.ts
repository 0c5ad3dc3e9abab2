import type { Micros } from '../../messages/message.ts';
import { inCamelCase, type Queryable, type SqlValue } from '../database/database.ts';

/** One change, and who made it. Nothing in it is a secret. */
export interface AuditEntry {
  readonly at: Micros;
  /** The id of the key; `local` for a request on the Unix socket without one. */
  readonly principalId: string;
  /** The name of the key, or the user that the command line says; null if unknown. */
  readonly principalName: string | null;
  /** The address that the request came from; null on the Unix socket. */
  readonly source: string | null;
  /** What was done, to what kind of object: `audience.change`. */
  readonly action: string;
  /** Null for what belongs to no project. */
  readonly projectId: string | null;
  /** The id of what was changed. */
  readonly object: string | null;
  /** JSON text; null where there was nothing before, or is nothing after. */
  readonly before: string | null;
  readonly after: string | null;
  readonly requestId: string;
}

export interface RecordedEntry extends AuditEntry {
  /** Rises with time. */
  readonly id: bigint;
}

/** What entries must have; what is left out may be anything. */
export interface AuditFilter {
  readonly action?: string;
  readonly projectId?: string;
  /** A key's id or name. */
  readonly principal?: string;
  /** From this instant on. */
  readonly since?: Micros;
  /** Before this instant. */
  readonly until?: Micros;
}

/**
 * The changes that were made by requests, in a Postgres-compatible database (schemas/postgres/011-audit-log.sql): only added,
 * never changed. Arguments and results can be cloned between threads. Methods throw `STORE_UNAVAILABLE` if the store cannot
 * answer.
 */
export class SqlAuditLog {
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

  /** Newest first. @param before The id of the last entry that the caller has. */
  list(
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
    return this.#database.query<RecordedEntry>(sql, values);
  }
}

const AUDIT_COLUMNS = `${inCamelCase(
  'id, principal_id, principal_name, source, action, project_id, object, before, after, request_id',
)}, at_us as at`;
