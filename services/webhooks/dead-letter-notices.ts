/** The messages of `dead_letter.waiting`: a dead letter began to wait. */
import type { Micros } from '../messages/message.ts';
import { formatMicros } from '../messages/timestamp.ts';
import type { RecordCoordinates } from '../stores/analytics/columns.ts';
import type { Database, Queryable } from '../stores/database/database.ts';
import { TRANSACTION_MS } from '../stores/database/sql-time.ts';
import { IS_LISTED, IS_WAITING } from '../stores/profiles/dead-letter-rows.ts';
import { addNotices } from './notices.ts';

/** An endpoint is told of more dead letters of the same reason after this time. */
const SAME_REASON_AFTER_MS = 3_600_000;
const MAX_ERROR_CHARS = 500;

/** Whether any endpoint is to be told. */
export async function wantsDeadLetters(database: Queryable): Promise<boolean> {
  const sql = `select 1 from endpoints where 'dead_letter.waiting' = any (types) limit 1`;
  return (await database.query(sql)).length > 0;
}

/**
 * Tells each endpoint that wants it of the newest dead letter of each reason: the first time that any waits, and then of
 * newer ones an hour after the message before, once that was delivered. An endpoint that is disabled is not told. A reason of
 * which none waits any more is told of again when it comes back.
 */
export function noteDeadLetters(database: Database): Promise<void> {
  return database.transaction(async (transaction) => {
    const reasons = await transaction.query<Reason>(REASONS, [MAX_ERROR_CHARS]);
    await forgetSettled(transaction, reasons);
    const names = await begun(transaction, reasons);
    await addNotices(
      transaction,
      'dead_letter.waiting',
      reasons.flatMap((reason) =>
        names.has(reasonName(reason)) ? [{ endpointId: reason.endpointId, data: dataOf(reason) }] : [],
      ),
    );
  });
}

/** The dead letters of one reason, as an endpoint is told of them: the newest, and how many wait. */
interface Reason extends RecordCoordinates {
  readonly endpointId: string;
  readonly reason: string;
  /** Null if the message cannot be decoded. */
  readonly projectId: string | null;
  /** That of the error; null where it has none. */
  readonly code: string | null;
  readonly error: string;
  readonly reader: string;
  readonly failedAt: Micros;
  /** When it was appended, by the log's clock. */
  readonly appendedAtMs: bigint;
  readonly waiting: bigint;
}

async function forgetSettled(transaction: Queryable, reasons: readonly Reason[]): Promise<void> {
  await transaction.query(
    `delete from endpoint_dead_letters t
     where not exists (select from unnest($1::text[], $2::text[]) as still (endpoint_id, code)
                       where still.endpoint_id = t.endpoint_id and still.code = t.code)`,
    [reasons.map(({ endpointId }) => endpointId), reasons.map(({ reason }) => reason)],
  );
}

/** Notes what is told of now. Another process that found the same waits for the row, and then tells nothing. */
async function begun(transaction: Queryable, reasons: readonly Reason[]): Promise<ReadonlySet<string>> {
  const rows = await transaction.query<{ readonly endpoint_id: string; readonly code: string }>(
    `insert into endpoint_dead_letters as told (endpoint_id, code, told_at_ms, newest_ms)
     select found.endpoint_id, found.code, ${TRANSACTION_MS}, found.newest_ms
     from unnest($1::text[], $2::text[], $3::int8[]) as found (endpoint_id, code, newest_ms)
     where exists (select from endpoints e where e.id = found.endpoint_id and e.disabled is null)
     order by found.endpoint_id, found.code
     on conflict (endpoint_id, code) do update set told_at_ms = excluded.told_at_ms, newest_ms = excluded.newest_ms
     where told.newest_ms < excluded.newest_ms and told.told_at_ms <= excluded.told_at_ms - $4::int8
       and not exists (select from endpoint_deliveries d
                       where d.endpoint_id = told.endpoint_id and d.type = 'dead_letter.waiting' and d.state = 'waiting')
     returning endpoint_id, code`,
    [
      reasons.map(({ endpointId }) => endpointId),
      reasons.map(({ reason }) => reason),
      reasons.map(({ appendedAtMs }) => appendedAtMs),
      BigInt(SAME_REASON_AFTER_MS),
    ],
  );
  return new Set(rows.map(({ endpoint_id: endpointId, code: reason }) => reasonName({ endpointId, reason })));
}

function reasonName({ endpointId, reason }: Pick<Reason, 'endpointId' | 'reason'>): string {
  return `${endpointId}/${reason}`;
}

function dataOf({ topic, partition, offset, projectId, code, error, reader, failedAt, waiting }: Reason): string {
  const letter = { id: `${topic}/${partition}/${offset}`, topic, project_id: projectId, code, error, reader };
  return JSON.stringify({ ...letter, failed_at: formatMicros(failedAt), waiting: Number(waiting) });
}

// A message is told of by its first dead letter.
const REASONS = `
  with first as (
    select distinct on (topic, partition, log_offset) *
    from dead_letters l
    where ${IS_LISTED} and ${IS_WAITING}
    order by topic, partition, log_offset, appended_at_ms, letter_offset
  ), of_projects as (
    select distinct on (project_id, code) *, count(*) over (partition by project_id, code) as waiting
    from first
    order by project_id, code, appended_at_ms desc, letter_offset desc
  ), of_endpoints as (
    select distinct on (e.id, code) p.*, e.id as endpoint_id, sum(p.waiting) over (partition by e.id, code)::int8 as total
    from endpoints e
      join of_projects p on e.project_id is null or e.project_id = p.project_id
    where 'dead_letter.waiting' = any (e.types)
    order by e.id, code, appended_at_ms desc, letter_offset desc
  )
  select endpoint_id as "endpointId", coalesce(code, '') as reason, topic, partition, log_offset as offset,
         project_id as "projectId", code, left(error, $1::int4) as error, reader, failed_at_us as "failedAt",
         appended_at_ms as "appendedAtMs", total as waiting
  from of_endpoints
  order by endpoint_id, appended_at_ms, letter_offset`;
