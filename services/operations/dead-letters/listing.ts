/** What the table of dead letters has, as lists. */
import { DEAD_LETTER_TOPIC, type Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { Queryable, SqlValue } from '../../stores/database/database.ts';
import { IS_LISTED, IS_UNREADABLE, type ReadUpTo } from '../../stores/profiles/dead-letter-rows.ts';
import { formatCoordinates, type RecordCoordinates } from './record-coordinates.ts';
import { IS_SELECTED, selectedValues, type Selection } from './selection.ts';
import type { Settled } from './settled-dead-letters.ts';

export type DeadLetterState = Settled['state'] | 'waiting';

/** The failure of one reader on a message. */
export interface AttemptSummary {
  readonly reader: string;
  readonly error: string;
  /** RFC 3339. */
  readonly failed_at: string;
  /** The coordinates of the dead letter itself. */
  readonly id: string;
}

/** The message of one or more dead letters, of any reader, as the command line prints it. */
export interface DeadLetterSummary {
  /** `topic/partition/offset` of the message. */
  readonly id: string;
  readonly state: DeadLetterState;
  /** The error code of the last attempt. */
  readonly code: string | null;
  readonly failed_at: string;
  readonly attempts: readonly AttemptSummary[];
  /** Null if the message cannot be decoded. */
  readonly project_id: string | null;
  readonly message_id: string | null;
  readonly user_id: string | null;
  readonly event: string | null;
  readonly bytes: number;
  readonly settled_at: string | null;
  /** The coordinates of its copy, if it was replayed. */
  readonly copy: string | null;
  /** The message that this one is a copy of, if an earlier dead letter was replayed. */
  readonly copy_of: string | null;
}

/** How many dead letters have each value; the most frequent first. */
export type FacetCounts = readonly { readonly value: string | null; readonly count: number }[];

const FACETS = ['reader', 'topic', 'code', 'project', 'day'] as const;

export type Facets = Readonly<Record<(typeof FACETS)[number], FacetCounts>>;

const MOST_GIVEN = 50;

/** Which dead letters. */
export interface WantedLetters {
  readonly selection: Partial<Selection>;
  /** Only those of these messages; of any by default. */
  readonly messages?: readonly RecordCoordinates[];
  readonly state: Exclude<DeadLetterState, 'editing'> | 'any';
}

/** Where a list continues: after this message. */
export interface ListCursor {
  readonly failedAt: Micros;
  readonly id: string;
}

/** A message, and where the list continues after it. */
export interface ListedMessage extends ListCursor {
  readonly summary: DeadLetterSummary;
}

/** Messages, the newest first. */
export async function readListed(
  database: Queryable,
  wanted: WantedLetters,
  limit: number,
  after?: ListCursor,
): Promise<readonly ListedMessage[]> {
  const paging = [after?.failedAt ?? null, after?.id ?? null, limit];
  const rows = await database.query<ListedMessageRow>(LISTED, [...valuesOf(wanted), ...paging]);
  return rows.map((row) => ({ failedAt: row.failedAt, id: formatCoordinates(row), summary: summaryOf(row) }));
}

/** Counts dead letters, one of each reader, by what operators choose from. */
export async function readFacets(database: Queryable, wanted: WantedLetters): Promise<Facets> {
  const rows = await database.query<{ facet: string; value: string | null; count: bigint }>(COUNTS, valuesOf(wanted));
  const countsOf = (facet: string): FacetCounts =>
    rows
      .filter((row) => row.facet === facet)
      .slice(0, MOST_GIVEN)
      .map(({ value, count }) => ({ value, count: Number(count) }));
  return Object.fromEntries(FACETS.map((facet) => [facet, countsOf(facet)])) as unknown as Facets;
}

/** How many records of the topic are no dead letters. */
export async function countUnreadable(database: Queryable): Promise<number> {
  const sql = `select count(*) from dead_letters where topic = $1 and ${IS_UNREADABLE}`;
  const [row] = await database.query<{ readonly count: bigint }>(sql, [DEAD_LETTER_TOPIC]);
  return Number(row?.count ?? 0);
}

/** A dead letter whose message is to be replayed or dropped. */
export interface DueLetter extends RecordCoordinates {
  /** Where it is on its topic. */
  readonly letterPartition: number;
  readonly letterOffset: bigint;
  readonly state: DeadLetterState;
  readonly isDecodable: boolean;
}

/** The last dead letter of each partition of their topic that is looked at. */
export type LastLetters = readonly Pick<ReadUpTo, 'partition' | 'last'>[];

/** Dead letters in the order of their topic, after this one. */
export function readDue(
  database: Queryable,
  wanted: WantedLetters,
  lasts: LastLetters,
  { limit, after }: { readonly limit: number; readonly after: DueLetter | undefined },
): Promise<readonly DueLetter[]> {
  const paging = [after?.letterPartition ?? -1, after?.letterOffset ?? -1n, limit];
  return database.query<DueLetter>(DUE, [...valuesOf(wanted), ...columnsOf(lasts), ...paging]);
}

export async function countDue(database: Queryable, wanted: WantedLetters, lasts: LastLetters): Promise<number> {
  const values = [...valuesOf(wanted), ...columnsOf(lasts)];
  const [row] = await database.query<{ readonly count: bigint }>(COUNT_DUE, values);
  return Number(row?.count ?? 0);
}

function columnsOf(lasts: LastLetters): readonly SqlValue[] {
  return [lasts.map(({ partition }) => partition), lasts.map(({ last }) => last)];
}

function valuesOf({ selection, messages, state }: WantedLetters): readonly SqlValue[] {
  return [...selectedValues(selection, messages), state];
}

interface ListedMessageRow {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly failedAt: Micros;
  readonly state: DeadLetterState;
  readonly settledAtMs: bigint | null;
  readonly copyPartition: number | null;
  readonly copyOffset: bigint | null;
  readonly copyOf: string | null;
  readonly bytes: number;
  readonly projectId: string | null;
  readonly messageId: string | null;
  readonly userId: string | null;
  readonly event: string | null;
  /** JSON. */
  readonly attempts: string;
}

interface AttemptRow {
  readonly reader: string;
  readonly error: string;
  readonly code: string | null;
  readonly failedAt: string;
  readonly partition: number;
  readonly offset: string;
}

function summaryOf(row: ListedMessageRow): DeadLetterSummary {
  const { topic, copyPartition, copyOffset } = row;
  const attempts = JSON.parse(row.attempts) as readonly AttemptRow[];
  const isCopied = copyPartition !== null && copyOffset !== null;
  return {
    id: formatCoordinates(row),
    state: row.state,
    code: attempts.at(-1)?.code ?? null,
    failed_at: formatMicros(row.failedAt),
    attempts: attempts.map(({ reader, error, failedAt, partition, offset }) => {
      const id = formatCoordinates({ topic: DEAD_LETTER_TOPIC, partition, offset: BigInt(offset) });
      return { reader, error, failed_at: formatMicros(BigInt(failedAt)), id };
    }),
    project_id: row.projectId,
    message_id: row.messageId,
    user_id: row.userId,
    event: row.event,
    bytes: row.bytes,
    settled_at: row.settledAtMs === null ? null : new Date(Number(row.settledAtMs)).toISOString(),
    copy: isCopied ? formatCoordinates({ topic, partition: copyPartition, offset: copyOffset }) : null,
    copy_of: row.copyOf,
  };
}

// `$10` is the state. An edit that was interrupted waits to be sent again.
const FOUND = `
  found as (
    select l.*, coalesce(s.state, 'waiting') as state, s.settled_at_ms, s.copy_partition, s.copy_offset
    from dead_letters l
      left join settled_dead_letters s using (topic, partition, log_offset)
    where ${IS_LISTED} and ${IS_SELECTED}
      and $10 in ('any', case s.state when 'editing' then 'waiting' else coalesce(s.state, 'waiting') end)
  )`;

const ID = `((topic || '/' || partition || '/' || log_offset) collate "C")`;

const LISTED = `
  with ${FOUND}
  select topic, partition, log_offset as offset, max(failed_at_us) as "failedAt", max(state) as state,
         max(settled_at_ms) as "settledAtMs", max(copy_partition) as "copyPartition", max(copy_offset) as "copyOffset",
         (select o.topic || '/' || o.partition || '/' || o.log_offset
          from settled_dead_letters o
          where (o.topic, o.copy_partition, o.copy_offset) = (found.topic, found.partition, found.log_offset)
          limit 1) as "copyOf",
         max(bytes) as bytes, max(project_id) as "projectId", max(message_id) as "messageId",
         max(user_id) as "userId", max(event) as event,
         json_agg(json_build_object('reader', reader, 'error', error, 'code', code,
                                    'failedAt', failed_at_us::text,
                                    'partition', letter_partition, 'offset', letter_offset::text)
                  order by letter_partition, letter_offset)::text as attempts
  from found
  group by topic, partition, log_offset
  having $11::int8 is null or max(failed_at_us) < $11::int8 or max(failed_at_us) = $11::int8 and ${ID} > $12
  order by max(failed_at_us) desc, ${ID}
  limit $13::int4`;

const COUNTS = `
  with ${FOUND}
  select facet, value, count(*) as count
  from found,
    lateral (values ('reader', reader collate "C"), ('topic', topic), ('code', code), ('project', project_id),
                    ('day', to_char(to_timestamp(failed_at_us / 1000000) at time zone 'UTC', 'YYYY-MM-DD')))
      as counted (facet, value)
  group by facet, value
  order by count(*) desc, min(failed_at_us), value`;

const UP_TO_LASTS = `
  from found
    join unnest($11::int4[], $12::int8[]) as read (partition, last)
      on letter_partition = read.partition and letter_offset <= read.last`;

const DUE = `
  with ${FOUND}
  select topic, found.partition, log_offset as offset, letter_partition as "letterPartition",
         letter_offset as "letterOffset", state, message_id is not null as "isDecodable"
  ${UP_TO_LASTS}
  where (letter_partition, letter_offset) > ($13::int4, $14::int8)
  order by letter_partition, letter_offset
  limit $15::int4`;

const COUNT_DUE = `with ${FOUND} select count(*) ${UP_TO_LASTS}`;
