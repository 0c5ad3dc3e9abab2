/** Messages that readers passed and did not store, in a Postgres-compatible database: dead letters, new ones or settled ones. */
import type { PartitionRecords, TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { Micros } from '../../messages/message.ts';
import type { RecordCoordinates } from '../analytics/columns.ts';
import type { Database, Queryable } from '../database/database.ts';
import { SchemaDatabase } from '../database/schema-database.ts';
import { type GenerationKind, schemaOf } from '../generations/generation.ts';
import type { ReaderName, ReaderStep } from './profile-store.ts';

/** Offsets of records by the name of their partition. */
export type SettledOffsets = ReadonlyMap<string, ReadonlySet<bigint>>;

/** The records of a step of which nothing is stored. */
export function unstoredOf({ to: { topic, partition }, unstored = [] }: ReaderStep): readonly RecordCoordinates[] {
  return unstored.map((offset) => ({ topic, partition, offset }));
}

/** Records in a reader's transaction that its generation passed these without storing them. Idempotent. */
export async function noteUnstored(
  transaction: Queryable,
  reader: ReaderName,
  generation: number,
  records: readonly RecordCoordinates[],
): Promise<void> {
  if (records.length > 0) await transaction.query(NOTE, [...coordinateColumns(records), reader, generation]);
}

/** Records that these are dead letters of a reader, where that is not known, without their generation. Idempotent. */
export async function noteDeadLetters(
  database: Queryable,
  reader: ReaderName,
  records: readonly RecordCoordinates[],
): Promise<void> {
  if (records.length > 0) await database.query(NOTE_EARLIER, [...coordinateColumns(records), reader]);
}

/** The messages that the readers of these generations passed without storing them, as far as that was recorded. */
export function unstoredMessages(
  database: Queryable,
  generations: Readonly<Record<ReaderName, number>>,
): Promise<readonly (RecordCoordinates & { readonly reader: ReaderName })[]> {
  return database.query(UNSTORED, [generations.projector, generations.sink]);
}

/** When these generations began to record what they do not store; 0: with their first message. */
export async function unstoredSince(
  database: Queryable,
  generations: Readonly<Record<ReaderName, number>>,
): Promise<Readonly<Record<ReaderName, Micros>>> {
  const rows = await database.query<{ readonly kind: GenerationKind; readonly since: bigint }>(SINCE, [
    generations.projector,
    generations.sink,
  ]);
  const of = (kind: GenerationKind): Micros => rows.find((row) => row.kind === kind)?.since ?? 0n;
  return { projector: of('profiles'), sink: of('analytics') };
}

// As for deletions of projects. A reader asks for what is in a batch only where a dead letter of its range was settled.
const BOUNDS_KNOWN_MS = 2_000;

interface Bounds extends TopicPartition {
  readonly first: bigint;
  readonly last: bigint;
}

/** What is known about dead letters before a batch is read. */
export class SqlDeadLetterHistory {
  readonly #database: Database;
  readonly #reader: ReaderName;
  readonly #generation: number;
  #bounds: ReadonlyMap<string, Bounds> = new Map();
  #boundsReadAt = -Infinity;

  constructor(database: Database, kind: GenerationKind, generation: number) {
    this.#database = new SchemaDatabase(database, schemaOf(kind, generation));
    this.#reader = kind === 'profiles' ? 'projector' : 'sink';
    this.#generation = generation;
  }

  /** What lies at its position or after it, is read again: it may be stored then. */
  async begin(): Promise<void> {
    this.#boundsReadAt = -Infinity;
    await this.#database.query(FORGET[this.#reader], [this.#reader, this.#generation]);
  }

  /**
   * Those of these records that were replayed, edited or dropped as dead letters of this reader: it passes them. Undefined
   * if none was settled near them, which takes no query. A decision may be unknown for two seconds.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable.
   */
  async settledIn(batch: readonly PartitionRecords[]): Promise<SettledOffsets | undefined> {
    await this.#readBounds();
    if (this.#bounds.size === 0) return undefined;
    const ranges = batch.flatMap((partition) => this.#rangeOf(partition));
    if (ranges.length === 0) return undefined;
    const found = await this.#database.query<RecordCoordinates>(SETTLED, [
      this.#reader,
      ranges.map(({ topic }) => topic),
      ranges.map(({ partition }) => partition),
      ranges.map(({ first }) => first),
      ranges.map(({ last }) => last),
    ]);
    return found.length === 0 ? undefined : byPartition(found);
  }

  /** Those of these records that are dead letters of this reader already. @throws as `settledIn`. */
  async knownAmong(records: readonly RecordCoordinates[]): Promise<SettledOffsets> {
    return byPartition(
      await this.#database.query<RecordCoordinates>(KNOWN, [...coordinateColumns(records), this.#reader]),
    );
  }

  async #readBounds(): Promise<void> {
    if (performance.now() - this.#boundsReadAt < BOUNDS_KNOWN_MS) return;
    const begunAt = performance.now();
    const rows = await this.#database.query<Bounds>(BOUNDS);
    this.#bounds = new Map(rows.map((row) => [nameOf(row), row]));
    this.#boundsReadAt = begunAt;
  }

  #rangeOf(partition: PartitionRecords): readonly Bounds[] {
    const settled = this.#bounds.get(nameOf(partition));
    const [first, last] = [partition.records[0]?.offset, partition.records.at(-1)?.offset];
    if (settled === undefined || first === undefined || last === undefined) return [];
    if (last < settled.first || first > settled.last) return [];
    return [{ topic: partition.topic, partition: partition.partition, first, last }];
  }
}

function byPartition(records: readonly RecordCoordinates[]): SettledOffsets {
  const groups = Map.groupBy(records, nameOf);
  return new Map([...groups].map(([name, some]) => [name, new Set(some.map(({ offset }) => offset))]));
}

/** Three columns: topic, partition, offset. */
export function coordinateColumns(records: readonly RecordCoordinates[]) {
  return [
    records.map(({ topic }) => topic),
    records.map(({ partition }) => partition),
    records.map(({ offset }) => offset),
  ];
}

const GIVEN_RECORDS = 'unnest($1::text[], $2::int4[], $3::int8[]) as given (topic, partition, log_offset)';

const NOTE = `
  insert into unstored_messages (topic, partition, log_offset, reader, generation, is_current)
  select topic, partition, log_offset, $4, $5::int4, true from ${GIVEN_RECORDS}
  on conflict (topic, partition, log_offset, reader, generation) do update set is_current = true`;

const NOTE_EARLIER = `
  insert into unstored_messages (topic, partition, log_offset, reader, generation, is_current)
  select topic, partition, log_offset, $4, 0, false from ${GIVEN_RECORDS}
  where not exists (
    select 1 from unstored_messages as known
    where (known.topic, known.partition, known.log_offset) = (given.topic, given.partition, given.log_offset)
      and known.reader = $4
  )
  on conflict do nothing`;

const UNSTORED = `
  select reader, topic, partition, log_offset as offset
  from unstored_messages
  where is_current and (reader = 'projector' and generation = $1 or reader = 'sink' and generation = $2)`;

const SINCE = `
  select kind, unstored_since_ms * 1000 as since
  from generations
  where kind = 'profiles' and number = $1 or kind = 'analytics' and number = $2`;

/** A row and the position that passed it were written together, so that a statement sees both or neither. */
function forgetting(isPassed: string): string {
  return `
    update unstored_messages as noted
    set is_current = false
    where reader = $1 and generation = $2 and is_current and not exists (${isPassed})`;
}

const FORGET: Readonly<Record<ReaderName, string>> = {
  projector: forgetting(`
    select 1 from {reader_positions} as stands
    where (stands.topic, stands.partition) = (noted.topic, noted.partition) and next_offset > log_offset`),
  sink: forgetting(`
    select 1 from {sink_plans} as stands
    where (stands.topic, stands.partition) = (noted.topic, noted.partition)
      and case when inserted then to_offset else from_offset end > log_offset`),
};

const BOUNDS = `
  select topic, partition, min(log_offset) as first, max(log_offset) as last
  from settled_dead_letters
  group by topic, partition`;

const SETTLED = `
  select topic, partition, log_offset as offset
  from settled_dead_letters as settled
  join unnest($2::text[], $3::int4[], $4::int8[], $5::int8[]) as range (topic, partition, first, last)
    using (topic, partition)
  where log_offset between first and last
    and exists (
      select 1 from unstored_messages as known
      where (known.topic, known.partition, known.log_offset) = (settled.topic, settled.partition, settled.log_offset)
        and known.reader = $1
    )`;

const KNOWN = `
  select distinct topic, partition, log_offset as offset
  from unstored_messages
  join ${GIVEN_RECORDS} using (topic, partition, log_offset)
  where reader = $4`;
