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
    const values = [MAX_ERROR_CHARS, BigInt(SAME_REASON_AFTER_MS)];
    const reasons = await transaction.query<Reason>(BEGUN_REASONS, values);
    const notices = reasons.map((reason) => ({ endpointId: reason.endpointId, data: dataOf(reason) }));
    await addNotices(transaction, 'dead_letter.waiting', notices);
  });
}

/** The dead letters of one reason, as an endpoint is told of them: the newest, and how many wait. */
interface Reason extends RecordCoordinates {
  readonly endpointId: string;
  /** Null if the message cannot be decoded. */
  readonly projectId: string | null;
  /** That of the error; null where it has none. */
  readonly code: string | null;
  readonly error: string;
  readonly reader: string;
  readonly failedAt: Micros;
  readonly waiting: number;
}

function dataOf({ topic, partition, offset, projectId, code, error, reader, failedAt, waiting }: Reason): string {
  const letter = { id: `${topic}/${partition}/${offset}`, topic, project_id: projectId, code, error, reader };
  return JSON.stringify({ ...letter, failed_at: formatMicros(failedAt), waiting });
}

// A message is told of by its first dead letter. Another process that found the same waits for the row of `begun`, and then
// tells nothing.
const BEGUN_REASONS = `
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
    select distinct on (e.id, code) p.*, e.id as endpoint_id, sum(p.waiting) over (partition by e.id, code)::float8 as total
    from endpoints e
      join of_projects p on e.project_id is null or e.project_id = p.project_id
    where 'dead_letter.waiting' = any (e.types)
    order by e.id, code, appended_at_ms desc, letter_offset desc
  ), settled as (
    delete from endpoint_dead_letters t
    where not exists (select from of_endpoints o where o.endpoint_id = t.endpoint_id and coalesce(o.code, '') = t.code)
  ), begun as (
    insert into endpoint_dead_letters as told (endpoint_id, code, told_at_ms, newest_ms)
    select o.endpoint_id, coalesce(o.code, ''), ${TRANSACTION_MS}, o.appended_at_ms
    from of_endpoints o
    where exists (select from endpoints e where e.id = o.endpoint_id and e.disabled is null)
    order by o.endpoint_id, o.code
    on conflict (endpoint_id, code) do update set told_at_ms = excluded.told_at_ms, newest_ms = excluded.newest_ms
    where told.newest_ms < excluded.newest_ms and told.told_at_ms <= excluded.told_at_ms - $2::int8
      and not exists (select from endpoint_deliveries d
                      where d.endpoint_id = told.endpoint_id and d.type = 'dead_letter.waiting' and d.state = 'waiting')
    returning endpoint_id, code
  )
  select o.endpoint_id as "endpointId", o.topic, o.partition, o.log_offset as offset, o.project_id as "projectId", o.code,
         left(o.error, $1::int4) as error, o.reader, o.failed_at_us as "failedAt", o.total as waiting
  from of_endpoints o join begun b on b.endpoint_id = o.endpoint_id and b.code = coalesce(o.code, '')
  order by o.endpoint_id, o.appended_at_ms, o.letter_offset`;
