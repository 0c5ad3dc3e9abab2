/** The table of dead letters, in a Postgres-compatible database: what their topic says, as far as it has been read. */
import { DEAD_LETTER_TOPIC, type Micros } from '../../messages/message.ts';
import type { Queryable } from '../database/database.ts';
import { LETTER_KEY_SQL } from '../erasures/event-key.ts';

/** The row of a record of the topic. What it says is null of one that nobody is to see. */
export interface LetterRow {
  /** The coordinates of the message; its own of a record that is no dead letter, which has no reader. */
  readonly topic: string;
  readonly partition: number;
  readonly log_offset: bigint;
  readonly reader: string;
  /** Its own offset. */
  readonly letter_offset: bigint;
  readonly appended_at_ms: number;
  readonly failed_at_us: Micros | null;
  readonly error: string | null;
  readonly code: string | null;
  readonly bytes: number | null;
  /** This and the next are null where the message cannot be decoded. */
  readonly project_id: string | null;
  readonly user_key: string | null;
  readonly message_id: string | null;
  readonly received_at_us: Micros | null;
  /** The id that the message names its user by. */
  readonly user_id: string | null;
  readonly event: string | null;
}

/** What a row says that nobody is to see. */
export const NO_CONTENT = {
  failed_at_us: null,
  error: null,
  code: null,
  bytes: null,
  project_id: null,
  user_key: null,
  message_id: null,
  received_at_us: null,
  user_id: null,
  event: null,
} as const;

/** How far a partition of the topic has been read. */
export interface ReadUpTo {
  readonly partition: number;
  /** The offset of the last record, and when that was appended. */
  readonly last: bigint;
  readonly appendedAtMs: number;
  /** The first dead letter whose message could not be decoded; null where all could, or it was not asked for. */
  readonly undecoded: bigint | null;
}

/** How far each partition of the topic has been read; without those that have not been. */
export function readUpTo(database: Queryable, withUndecoded = false): Promise<readonly ReadUpTo[]> {
  return database.query<ReadUpTo>(READ_UP_TO, [DEAD_LETTER_TOPIC, withUndecoded]);
}

/** Adds what a piece of a partition says, and that it was read to this record. Idempotent: the first of each reader stays. */
export async function addLetters(
  database: Queryable,
  partition: number,
  last: { readonly offset: bigint; readonly appendedAtMs: number },
  rows: readonly LetterRow[],
): Promise<void> {
  const given = JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  await database.query(ADD, [DEAD_LETTER_TOPIC, partition, last.offset, BigInt(Math.floor(last.appendedAtMs)), given]);
}

/** Takes those before these offsets of a partition off the lists: the log does not have them any more. */
export async function dropLettersBefore(
  database: Queryable,
  beginnings: readonly { readonly partition: number; readonly offset: bigint }[],
): Promise<void> {
  const cut = beginnings.filter(({ offset }) => offset > 0n);
  if (cut.length === 0) return;
  await database.query(DROP_BEFORE, [cut.map(({ partition }) => partition), cut.map(({ offset }) => offset)]);
}

/**
 * Forgets what dead letters of deleted projects, and of people who were forgotten, say; and their corrections that were begun
 * and not appended.
 */
export async function forgetLetters(database: Queryable): Promise<void> {
  await database.query(FORGET);
  await database.query(FORGET_CORRECTIONS);
}

/** Dead letters `l` of a project that was deleted, of a person who was forgotten, or of an event that was erased. */
const IS_GONE = `exists (
  select from erasures e
  where e.project_id = l.project_id and e.user_key in ('', l.user_key)
    and (e.cut_us is null or l.received_at_us <= e.cut_us)) or exists (
  select from erased_events e
  where e.project_id = l.project_id and e.user_key = l.user_key and ${LETTER_KEY_SQL} = any (e.keys))`;

/** Dead letters `l` that somebody may see. */
export const IS_LISTED = `l.reader <> '' and l.letter_offset is not null and l.error is not null and not (${IS_GONE})`;

/** Dead letters `l` whose message waits. An edit that was interrupted waits to be sent again. */
export const IS_WAITING = `not exists (
  select from settled_dead_letters s
  where (s.topic, s.partition, s.log_offset) = (l.topic, l.partition, l.log_offset) and s.state <> 'editing')`;

/** Records of the topic that are no dead letters. */
export const IS_UNREADABLE = `reader = '' and log_offset >= 0 and letter_offset is not null`;

const READ_UP_TO = `
  select letter_partition as partition, letter_offset as last, appended_at_ms::float8 as "appendedAtMs",
         case when $2::boolean then (
           select min(l.letter_offset) from dead_letters l
           where l.letter_partition = known.letter_partition and l.message_id is null and l.error is not null and l.reader <> '') end as undecoded
  from dead_letters known
  where topic = $1 and reader = '' and log_offset = -1 and letter_offset is not null`;

const OF_LETTER = ['letter_partition', 'letter_offset', 'appended_at_ms', ...Object.keys(NO_CONTENT)];

// The rows are locked in one order everywhere: two processes may add the same.
const ADD = `
  with read as (
    insert into dead_letters as known (topic, partition, log_offset, reader, letter_partition, letter_offset, appended_at_ms)
    values ($1, $2::int4, -1, '', $2::int4, $3::int8, $4::int8)
    on conflict (topic, partition, log_offset, reader) do update
    set letter_partition = excluded.letter_partition, letter_offset = excluded.letter_offset,
        appended_at_ms = excluded.appended_at_ms
    where known.letter_offset is null or known.letter_offset < excluded.letter_offset
  )
  insert into dead_letters as known (topic, partition, log_offset, reader, ${OF_LETTER.join(', ')})
  select topic, partition, log_offset, reader, $2::int4, ${OF_LETTER.slice(1).join(', ')}
  from jsonb_populate_recordset(null::dead_letters, $5::text::jsonb)
  order by topic, partition, log_offset, reader
  on conflict (topic, partition, log_offset, reader) do update
  set ${OF_LETTER.map((column) => `${column} = excluded.${column}`).join(', ')}
  where known.letter_offset is null or known.letter_offset >= excluded.letter_offset`;

const DROP_BEFORE = `
  update dead_letters
  set letter_offset = null
  from unnest($1::int4[], $2::int8[]) as cut (partition, beginning)
  where letter_partition = cut.partition and letter_offset < cut.beginning`;

const FORGET = `
  update dead_letters l
  set ${Object.keys(NO_CONTENT)
    .map((column) => `${column} = null`)
    .join(', ')}
  where error is not null and (${IS_GONE})
    -- A program of before leaves the two that it does not know.
    or error is null and (user_id is not null or event is not null)`;

// The key of a record names the project and the person: it begins with that of the erasure.
const FORGET_CORRECTIONS = `
  delete from settled_dead_letters
  where state = 'editing' and exists (
    select from erasures e
    where e.state = 'pending' and position(convert_to(e.project_id || '/' || e.user_key, 'UTF8') in edit_key) = 1)`;
