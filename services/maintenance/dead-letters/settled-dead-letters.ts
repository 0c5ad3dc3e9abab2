import type { Database } from '../../stores/database/database.ts';
import { formatCoordinates, type RecordCoordinates } from './record-coordinates.ts';
import { TRANSACTION_MS } from '../../stores/database/sql-time.ts';

/** How a dead letter was resolved. */
export interface Settled {
  readonly state: 'replayed' | 'dropped';
  readonly settledAtMs: number;
  /** The coordinates of its copy; undefined if it was dropped. */
  readonly copy: RecordCoordinates | undefined;
}

/**
 * Which messages of the dead letters were replayed or dropped, by where they stood: in a Postgres-compatible database.
 */
export class SettledDeadLetters {
  readonly #database: Pick<Database, 'query'>;

  constructor(database: Pick<Database, 'query'>) {
    this.#database = database;
  }

  /** By the text of the coordinates, without those that are still waiting. */
  async find(places: readonly RecordCoordinates[]): Promise<ReadonlyMap<string, Settled>> {
    if (places.length === 0) return new Map();
    const rows = await this.#database.query<SettledRow>(FIND, columnsOf(places));
    return new Map(
      rows.map(({ topic, partition, offset, state, settledAtMs, copyPartition, copyOffset }) => {
        const isCopied = copyPartition !== null && copyOffset !== null;
        const copy = isCopied ? { topic, partition: copyPartition, offset: copyOffset } : undefined;
        return [formatCoordinates({ topic, partition, offset }), { state, settledAtMs: Number(settledAtMs), copy }];
      }),
    );
  }

  /** For each of the coordinates of a copy made by a replay, the coordinates of the original dead-lettered message. */
  async originals(places: readonly RecordCoordinates[]): Promise<ReadonlyMap<string, RecordCoordinates>> {
    if (places.length === 0) return new Map();
    const rows = await this.#database.query<OriginalRow>(ORIGINALS, columnsOf(places));
    return new Map(
      rows.map(({ topic, copyPartition, copyOffset, partition, offset }) => {
        const copy = { topic, partition: copyPartition, offset: copyOffset };
        return [formatCoordinates(copy), { topic, partition, offset }];
      }),
    );
  }

  /** Records that these were appended again, at `copies`, in the same order. */
  async noteReplayed(
    places: readonly RecordCoordinates[],
    copies: readonly Omit<RecordCoordinates, 'topic'>[],
  ): Promise<void> {
    const copyColumns = [copies.map(({ partition }) => partition), copies.map(({ offset }) => offset)];
    await this.#database.query(NOTE_REPLAYED, [...columnsOf(places), ...copyColumns]);
  }

  async noteDropped(places: readonly RecordCoordinates[]): Promise<void> {
    await this.#database.query(NOTE_DROPPED, columnsOf(places));
  }
}

interface SettledRow {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly state: Settled['state'];
  readonly settledAtMs: bigint;
  readonly copyPartition: number | null;
  readonly copyOffset: bigint | null;
}

interface OriginalRow {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly copyPartition: number;
  readonly copyOffset: bigint;
}

const FIND = `
  select topic, partition, log_offset as offset, state, settled_at_ms as "settledAtMs",
         copy_partition as "copyPartition", copy_offset as "copyOffset"
  from settled_dead_letters
  join unnest($1::text[], $2::int4[], $3::int8[]) as wanted (topic, partition, log_offset)
    using (topic, partition, log_offset)`;

const ORIGINALS = `
  select settled.topic, settled.partition, settled.log_offset as offset,
         copy_partition as "copyPartition", copy_offset as "copyOffset"
  from settled_dead_letters settled
  join unnest($1::text[], $2::int4[], $3::int8[]) as wanted (topic, partition, log_offset)
    on (settled.topic, copy_partition, copy_offset) = (wanted.topic, wanted.partition, wanted.log_offset)`;

const SETTLEMENT_COLUMNS = '(topic, partition, log_offset, state, settled_at_ms, copy_partition, copy_offset)';
const OR_ANEW = `
  on conflict (topic, partition, log_offset) do update
  set state = excluded.state, settled_at_ms = excluded.settled_at_ms,
      copy_partition = excluded.copy_partition, copy_offset = excluded.copy_offset`;

const NOTE_REPLAYED = `
  insert into settled_dead_letters ${SETTLEMENT_COLUMNS}
  select topic, partition, log_offset, 'replayed', ${TRANSACTION_MS}, copy_partition, copy_offset
  from unnest($1::text[], $2::int4[], $3::int8[], $4::int4[], $5::int8[])
    as settled (topic, partition, log_offset, copy_partition, copy_offset)
  ${OR_ANEW}`;

const NOTE_DROPPED = `
  insert into settled_dead_letters ${SETTLEMENT_COLUMNS}
  select topic, partition, log_offset, 'dropped', ${TRANSACTION_MS}, null, null
  from unnest($1::text[], $2::int4[], $3::int8[]) as settled (topic, partition, log_offset)
  ${OR_ANEW}`;

function columnsOf(places: readonly RecordCoordinates[]) {
  return [
    places.map(({ topic }) => topic),
    places.map(({ partition }) => partition),
    places.map(({ offset }) => offset),
  ];
}
