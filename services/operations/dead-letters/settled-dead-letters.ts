import type { Database } from '../../stores/database/database.ts';
import { formatCoordinates, type RecordCoordinates } from './record-coordinates.ts';
import { coordinateColumns } from '../../stores/profiles/unstored-messages.ts';
import { TRANSACTION_MS } from '../../stores/database/sql-time.ts';

/** How a dead letter was settled. */
export interface Settled {
  /** `editing`: an edit was begun, and is not known to be done. */
  readonly state: 'replayed' | 'dropped' | 'edited' | 'editing';
  readonly settledAtMs: number;
  /** The coordinates of its copy, or of its correction; undefined if it was dropped. */
  readonly copy: RecordCoordinates | undefined;
}

/**
 * Which messages of the dead letters were replayed, edited or dropped, by where they stood: in a Postgres-compatible database.
 */
export class SettledDeadLetters {
  readonly #database: Pick<Database, 'query'>;

  constructor(database: Pick<Database, 'query'>) {
    this.#database = database;
  }

  /** By the text of the coordinates, without those that are still waiting. */
  async find(places: readonly RecordCoordinates[]): Promise<ReadonlyMap<string, Settled>> {
    if (places.length === 0) return new Map();
    const rows = await this.#database.query<SettledRow>(FIND, coordinateColumns(places));
    return new Map(
      rows.map(({ topic, partition, offset, state, settledAtMs, copyPartition, copyOffset }) => {
        const isCopied = copyPartition !== null && copyOffset !== null;
        const copy = isCopied ? { topic, partition: copyPartition, offset: copyOffset } : undefined;
        return [formatCoordinates({ topic, partition, offset }), { state, settledAtMs: Number(settledAtMs), copy }];
      }),
    );
  }

  /** For each of the coordinates of a copy made by a replay or an edit, the coordinates of the original dead-lettered message. */
  async originals(places: readonly RecordCoordinates[]): Promise<ReadonlyMap<string, RecordCoordinates>> {
    if (places.length === 0) return new Map();
    const rows = await this.#database.query<OriginalRow>(ORIGINALS, coordinateColumns(places));
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
    await this.#database.query(NOTE_REPLAYED, [...coordinateColumns(places), ...copyColumns]);
  }

  /**
   * Writes down what is to be appended in place of a message, before it is appended. Resolves with what is to be appended:
   * that of an earlier call for the same message, if there was one.
   */
  async beginEdit(place: RecordCoordinates, { digest, key, value }: Correction): Promise<Begun> {
    const values = [place.topic, place.partition, place.offset];
    await this.#database.query(BEGIN_EDIT, [...values, digest, key, value]);
    const [row] = await this.#database.query<Begun>(FIND_EDIT, values);
    if (row === undefined) throw new Error(`no edit of ${formatCoordinates(place)} was begun`);
    return row;
  }

  /** The digest of the correction that was begun in place of a message. */
  async digestOfEdit({ topic, partition, offset }: RecordCoordinates): Promise<Uint8Array | undefined> {
    const [row] = await this.#database.query<Begun>(FIND_EDIT, [topic, partition, offset]);
    return row?.digest;
  }

  /** The edits that were begun and are not known to be done, with what is to be appended. */
  begunEdits(): Promise<readonly (RecordCoordinates & Pick<Correction, 'value'>)[]> {
    return this.#database.query(BEGUN_EDITS);
  }

  /** Deletes what is written down of edits that were begun. */
  async forgetEdits(places: readonly RecordCoordinates[]): Promise<void> {
    if (places.length > 0) await this.#database.query(FORGET_EDITS, coordinateColumns(places));
  }

  /** Records that the correction of a message was appended at `copy`. */
  async noteEdited(
    { topic, partition, offset }: RecordCoordinates,
    copy: Omit<RecordCoordinates, 'topic'>,
  ): Promise<void> {
    await this.#database.query(NOTE_EDITED, [topic, partition, offset, copy.partition, copy.offset]);
  }

  async noteDropped(places: readonly RecordCoordinates[]): Promise<void> {
    await this.#database.query(NOTE_DROPPED, coordinateColumns(places));
  }
}

/** A record that is appended in place of a message. */
export interface Correction {
  /** SHA-256 of the value. */
  readonly digest: Uint8Array;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** A correction that was begun. Without its record once that is known to be appended. */
export type Begun = Pick<Correction, 'digest'> & { readonly key: Uint8Array | null; readonly value: Uint8Array | null };

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
    using (topic, partition, log_offset)
  union all
  select topic, partition, log_offset, 'editing', begun_at_ms, null, null
  from dead_letter_edits
  join unnest($1::text[], $2::int4[], $3::int8[]) as wanted (topic, partition, log_offset)
    using (topic, partition, log_offset)
  where record_value is not null`;

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

const BEGIN_EDIT = `
  insert into dead_letter_edits (topic, partition, log_offset, digest, record_key, record_value, begun_at_ms)
  values ($1, $2, $3::int8, $4::bytea, $5::bytea, $6::bytea, ${TRANSACTION_MS})
  on conflict (topic, partition, log_offset) do nothing`;

const FIND_EDIT = `
  select digest, record_key as key, record_value as value
  from dead_letter_edits
  where (topic, partition, log_offset) = ($1, $2, $3::int8)`;

const BEGUN_EDITS = `
  select topic, partition, log_offset as offset, record_value as value
  from dead_letter_edits
  where record_value is not null`;

const FORGET_EDITS = `
  delete from dead_letter_edits
  using unnest($1::text[], $2::int4[], $3::int8[]) as begun (topic, partition, log_offset)
  where (dead_letter_edits.topic, dead_letter_edits.partition, dead_letter_edits.log_offset)
        = (begun.topic, begun.partition, begun.log_offset)`;

const NOTE_EDITED = `
  with appended as (
    update dead_letter_edits set record_key = null, record_value = null
    where (topic, partition, log_offset) = ($1, $2, $3::int8)
  )
  insert into settled_dead_letters ${SETTLEMENT_COLUMNS}
  values ($1, $2, $3::int8, 'edited', ${TRANSACTION_MS}, $4::int4, $5::int8)
  ${OR_ANEW}`;

const NOTE_DROPPED = `
  insert into settled_dead_letters ${SETTLEMENT_COLUMNS}
  select topic, partition, log_offset, 'dropped', ${TRANSACTION_MS}, null, null
  from unnest($1::text[], $2::int4[], $3::int8[]) as settled (topic, partition, log_offset)
  ${OR_ANEW}`;
