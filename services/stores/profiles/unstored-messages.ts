/** Messages that readers passed and did not store, in the table of dead letters: new ones, or settled ones. */
import type { PartitionRecords, TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
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

/** The messages that the readers of these generations passed without storing them. */
export function unstoredMessages(
  database: Queryable,
  generations: Readonly<Record<ReaderName, number>>,
): Promise<readonly (RecordCoordinates & { readonly reader: ReaderName })[]> {
  return database.query(UNSTORED, [generations.projector, generations.sink]);
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
  readonly #follow: () => Promise<void>;
  #bounds: ReadonlyMap<string, Bounds> = new Map();
  #boundsReadAt = -Infinity;

  /** @param follow Reads what the topic of dead letters has: rows that this database lacks, as after a restore. */
  constructor(database: Database, kind: GenerationKind, generation: number, follow = () => Promise.resolve()) {
    this.#database = new SchemaDatabase(database, schemaOf(kind, generation));
    this.#reader = kind === 'profiles' ? 'projector' : 'sink';
    this.#generation = generation;
    this.#follow = follow;
  }

  /** To be called before anything is read. A message at its position or after it is read again: it may be stored then. */
  async begin(): Promise<void> {
    await this.#follow();
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

// The rows are locked in one order everywhere. What a dead letter says is read from its topic, before or after.
const NOTE = `
  insert into dead_letters as noted (topic, partition, log_offset, reader, unstored_in)
  select topic, partition, log_offset, $4, array[$5::int4] from ${GIVEN_RECORDS}
  order by topic, partition, log_offset
  on conflict (topic, partition, log_offset, reader) do update
  set unstored_in = noted.unstored_in || excluded.unstored_in
  where not noted.unstored_in @> excluded.unstored_in`;

const UNSTORED = `
  select reader, topic, partition, log_offset as offset
  from dead_letters
  where reader = 'projector' and $1::int4 = any (unstored_in) or reader = 'sink' and $2::int4 = any (unstored_in)`;

/** A row and the position that passed it were written together, so that a statement sees both or neither. */
function forgetting(isPassed: string): string {
  return `
    update dead_letters as noted
    set unstored_in = array_remove(unstored_in, $2::int4)
    where reader = $1 and $2::int4 = any (unstored_in) and not exists (${isPassed})`;
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
  where state <> 'editing'
  group by topic, partition`;

const SETTLED = `
  select topic, partition, log_offset as offset
  from settled_dead_letters as settled
  join unnest($2::text[], $3::int4[], $4::int8[], $5::int8[]) as range (topic, partition, first, last)
    using (topic, partition)
  where log_offset between first and last and state <> 'editing'
    and exists (
      select 1 from dead_letters as known
      where (known.topic, known.partition, known.log_offset) = (settled.topic, settled.partition, settled.log_offset)
        and known.reader = $1
    )`;

const KNOWN = `
  select topic, partition, log_offset as offset
  from dead_letters
  join ${GIVEN_RECORDS} using (topic, partition, log_offset)
  where reader = $4`;
