/** The report of an erasure: filled while the job goes on, a certificate once it is done. */
import { createHash } from 'node:crypto';
import { AUDIENCE_CHANGE_TOPIC } from '../../messages/message.ts';
import { formatMs } from '../../messages/timestamp.ts';
import type { ForgottenRows } from '../../stores/analytics/analytics-store.ts';
import type { Database } from '../../stores/database/database.ts';
import { SOME_EVENTS, EVERYBODY } from '../../stores/erasures/erased-users.ts';
import type { Erasure, ErasureReport } from '../../stores/erasures/erasure.ts';
import { SqlErasures } from '../../stores/erasures/sql-erasures.ts';
import { SqlAuditLog } from '../../stores/service-state/sql-audit-log.ts';

type RowsByTable = Readonly<Record<string, number>>;

/** What a last look found of people, and what may still name them. */
export interface LastLook {
  readonly found: NonNullable<ErasureReport['found_at_end']>;
  readonly remains: NonNullable<ErasureReport['remains']>;
  /** Whether records of the log were made blank. */
  readonly hasLog: boolean;
}

export async function addToReport(
  database: Database,
  { id }: Pick<Erasure, 'id'>,
  add: (report: ErasureReport) => ErasureReport,
): Promise<void> {
  const erasures = new SqlErasures(database);
  await erasures.report(id, JSON.stringify(add(await reportOf(erasures, id))));
}

export async function reportOf(erasures: SqlErasures, id: string): Promise<ErasureReport> {
  const kept = (await erasures.find(id))?.report ?? null;
  return kept === null ? { postgres: {}, clickhouse: {}, log: null } : (JSON.parse(kept) as ErasureReport);
}

export function added(
  counts: RowsByTable,
  found: readonly Pick<ForgottenRows, 'table' | 'rows'>[],
): Record<string, number> {
  const sums = { ...counts };
  for (const { table, rows } of found) if (rows > 0) sums[table] = (sums[table] ?? 0) + rows;
  return sums;
}

/** Ends an erasure with its certificate. The audit log, which nobody can change, has the hash of that. */
export async function certify(database: Database, erasure: Erasure, look: LastLook): Promise<void> {
  const { id, userKey, projectId, actor, events } = erasure;
  const before = await reportOf(new SqlErasures(database), id);
  const report: ErasureReport = {
    ...before,
    log: look.hasLog ? (before.log ?? {}) : null,
    ...(events !== null && { condition_sha256: (JSON.parse(events) as ErasureReport).condition_sha256 }),
    ...(![EVERYBODY, SOME_EVENTS].includes(userKey) && {
      user_sha256: createHash('sha256').update(userKey).digest('hex'),
    }),
    found_at_end: look.found,
    remains: look.remains,
  };
  const text = JSON.stringify(report);
  await database.transaction(async (transaction) => {
    const isDone = await SqlErasures.finish(transaction, id, text);
    if (!isDone) return;
    await new SqlAuditLog(transaction).append({
      at: BigInt(Date.now()) * 1_000n,
      principalId: actor,
      principalName: null,
      source: null,
      action: userKey === SOME_EVENTS ? 'events.erased' : 'user.forgotten',
      projectId,
      object: id,
      before: null,
      after: JSON.stringify({ report_sha256: certificateHash(text) }),
      requestId: id,
    });
  });
}

/** @param report JSON of an `ErasureReport` as it is kept, and as the API has it: without spaces. */
export function certificateHash(report: string): string {
  return createHash('sha256').update(report).digest('hex');
}

/** Stores and imports that still have something of people. */
export interface Remaining {
  /** Until when records of the log stay, which are hidden; undefined where they are blank. */
  readonly log?: string | undefined;
  /** Postgres and ClickHouse are servers, which overwrite the bytes of deleted rows in their own time. */
  readonly postgres: boolean;
  readonly clickhouse: boolean;
  /** How long the topic of changes of audiences keeps a record, in milliseconds: null for ever; left out without the topic. */
  readonly topicKeptMs?: number | null;
  /** Files of imports that may have somebody of them. */
  readonly imports?: string | undefined;
}

/** What may still name a person after an erasure that ended then, and until when. */
export function remainsAfter(atMs: number, keeps: Remaining): LastLook['remains'] {
  const { log, imports, topicKeptMs } = keeps;
  const after = (ms: number | null = null): string | null => (ms === null ? null : formatMs(atMs + ms));
  const days = (count: number): string | null => after(count * 86_400_000);
  const remains: readonly (readonly [what: string | false | undefined, until: string | null])[] = [
    [log && `records on the log, which readers leave out, ${log}`, null],
    [topicKeptMs !== undefined && `records of the topic ${AUDIENCE_CHANGE_TOPIC}`, after(topicKeptMs)],
    [keeps.postgres && 'bytes that Postgres has freed in its files and write-ahead log, and not overwritten yet', null],
    [keeps.clickhouse && 'parts that ClickHouse has rewritten, of which it keeps the files for eight minutes', null],
    [imports, days(7)],
    // ClickHouse keeps the paths of a JSON column in the headers of its parts, also where no row has them any more.
    ['names of properties of events in the files of analytics, without their values', null],
    ['lines that imports refuse, and requests that are refused, from now on', days(30)],
    ['what waits to be told to the endpoints of webhooks', days(7)],
    ['backups that were made before', null],
    ['exports, and what webhooks have sent', null],
  ];
  return remains.flatMap(([what, until]) => (what ? [{ what, until }] : []));
}
