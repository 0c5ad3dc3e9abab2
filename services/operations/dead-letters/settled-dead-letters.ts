import { coordinateColumns } from '../../stores/profiles/unstored-messages.ts';
import type { Database } from '../../stores/database/database.ts';
import { TRANSACTION_MS } from '../../stores/database/sql-time.ts';
import type { RecordCoordinates } from './record-coordinates.ts';

/** How a dead letter was settled. */
export interface Settled {
  /** `editing`: an edit was begun, and is not known to be done. */
  readonly state: 'replayed' | 'dropped' | 'edited' | 'editing';
  /** Where its copy is, or its correction; null if it was dropped. */
  readonly copyPartition: number | null;
  readonly copyOffset: bigint | null;
  /** SHA-256 of the correction; null of a message that was not edited. */
  readonly digest: Uint8Array | null;
  /** The record that is to be appended in place of the message, while it is not known to be. */
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
}

/** A record that is appended in place of a message. */
export interface Correction {
  /** SHA-256 of the value. */
  readonly digest: Uint8Array;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/**
 * Which messages of the dead letters were replayed, edited or dropped, by their coordinates: in a Postgres-compatible database.
 */
export class SettledDeadLetters {
  readonly #database: Pick<Database, 'query'>;

  constructor(database: Pick<Database, 'query'>) {
    this.#database = database;
  }

  /** Undefined where it is still waiting. */
  async find({ topic, partition, offset }: RecordCoordinates): Promise<Settled | undefined> {
    const [row] = await this.#database.query<Settled>(FIND, [topic, partition, offset]);
    return row;
  }

  /** Records that these were appended again, at `copies`, in the same order. */
  async noteReplayed(
    places: readonly RecordCoordinates[],
    copies: readonly Omit<RecordCoordinates, 'topic'>[],
  ): Promise<void> {
    const copyColumns = [copies.map(({ partition }) => partition), copies.map(({ offset }) => offset)];
    await this.#database.query(NOTE_REPLAYED, [...coordinateColumns(places), ...copyColumns]);
  }

  /** Writes down what is to be appended in place of a message, before it is appended; nothing where it was settled before. */
  async beginEdit({ topic, partition, offset }: RecordCoordinates, { digest, key, value }: Correction): Promise<void> {
    await this.#database.query(BEGIN_EDIT, [topic, partition, offset, digest, key, value]);
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

const FIND = `
  select state, copy_partition as "copyPartition", copy_offset as "copyOffset", edit_digest as digest, edit_key as key,
         edit_value as value
  from settled_dead_letters
  where (topic, partition, log_offset) = ($1, $2::int4, $3::int8)`;

// What an edit that was begun is to append is never lost.
const OR_ANEW = `
  on conflict (topic, partition, log_offset) do update
  set state = excluded.state, settled_at_ms = excluded.settled_at_ms,
      copy_partition = excluded.copy_partition, copy_offset = excluded.copy_offset
  where settled_dead_letters.state <> 'editing'`;

const NOTE_REPLAYED = `
  insert into settled_dead_letters (topic, partition, log_offset, state, settled_at_ms, copy_partition, copy_offset)
  select topic, partition, log_offset, 'replayed', ${TRANSACTION_MS}, copy_partition, copy_offset
  from unnest($1::text[], $2::int4[], $3::int8[], $4::int4[], $5::int8[])
    as settled (topic, partition, log_offset, copy_partition, copy_offset)
  ${OR_ANEW}`;

const BEGIN_EDIT = `
  insert into settled_dead_letters
    (topic, partition, log_offset, state, settled_at_ms, edit_digest, edit_key, edit_value)
  values ($1, $2, $3::int8, 'editing', ${TRANSACTION_MS}, $4::bytea, $5::bytea, $6::bytea)
  on conflict (topic, partition, log_offset) do nothing`;

const NOTE_EDITED = `
  update settled_dead_letters
  set state = 'edited', settled_at_ms = ${TRANSACTION_MS}, copy_partition = $4::int4, copy_offset = $5::int8,
      edit_key = null, edit_value = null
  where (topic, partition, log_offset) = ($1, $2, $3::int8)`;

const NOTE_DROPPED = `
  insert into settled_dead_letters (topic, partition, log_offset, state, settled_at_ms)
  select topic, partition, log_offset, 'dropped', ${TRANSACTION_MS}
  from unnest($1::text[], $2::int4[], $3::int8[]) as settled (topic, partition, log_offset)
  ${OR_ANEW}`;
