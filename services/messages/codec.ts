import type avro from 'avsc';
import { TidemarkError } from '../runtime/errors.ts';
import { type AsOf, readAsOf } from './as-of.ts';
import { avroType, decodeFramed, encodeFramed, memberType, type Resolver, schemaIdOf } from './avro.ts';
import {
  type DeadLetter,
  type AudienceChange,
  AUDIENCE_CHANGE_TOPIC,
  DEAD_LETTER_TOPIC,
  type Message,
  MESSAGE_TOPICS,
  type MessageTopic,
  PROJECT_TOPIC,
  type ProjectRecord,
  SCHEMA_TOPICS,
  SNAPSHOT_TOPIC,
  topicOf,
  typeOf,
} from './message.ts';
import { isHex } from './hex.ts';
import { currentSchemaOf, type SchemaIds, type Topic } from './schema-ids.ts';
import { isSnapshotEnd, type SnapshotEnd, type UserSnapshot } from './snapshot.ts';
import { EARLIEST, END_OF_TIME } from './timestamp.ts';

/**
 * Messages ⇄ the values of records on the log: Avro in Confluent framing, so that any Kafka tool reads them. Written
 * with the current schema; read with the one that wrote them, resolved to the current.
 */
export class Codec {
  readonly #ids: SchemaIds;
  readonly #formats: ReadonlyMap<string, Format>;

  readonly #asOf: readonly AsOf[];

  /** @param asOf How messages are taken whose position is told with them. */
  constructor(ids: SchemaIds, asOf: readonly AsOf[] = []) {
    this.#ids = ids;
    this.#asOf = asOf;
    this.#formats = new Map(SCHEMA_TOPICS.map((topic) => [topic, formatOf(topic, ids)]));
  }

  /** The same for the readers of a generation that takes some messages as of another instant. */
  takingAsOf(rules: readonly AsOf[]): Codec {
    return rules.length === 0 ? this : new Codec(this.#ids, rules);
  }

  /** @param topic The topic that it is written to, if not the live one. */
  encode(message: Message, topic: MessageTopic = topicOf(message)): Uint8Array {
    return this.#write(topic, message);
  }

  /** By topic, the id of the schema that messages are written with. */
  schemaIds(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#formats].map(([topic, { id }]) => [topic, id]));
  }

  /**
   * Fetches the schemas of these values from the registry, if there is one. Called before a batch is decoded.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE`, retryable, if the registry cannot be reached; `LOG_NEWER`, retryable, where a
   *   newer version wrote them and no registry has their schemas.
   */
  async prepare(values: readonly Uint8Array[]): Promise<void> {
    const ids = new Set<number | undefined>();
    for (const value of values) ids.add(schemaIdOf(value));
    const missing = [...ids].filter((id) => id !== undefined && this.#ids.schemaOf(id) === undefined) as number[];
    if (missing.length > 0) await this.#ids.fetch(missing);
  }

  /**
   * The message of a record of this topic. Free-form objects in it are not parsed.
   *
   * @param at Where the record is, for readers that take some messages as of another instant.
   * @throws TidemarkError `MESSAGE_UNDECODABLE` if the service could not have written it.
   */
  decode(topic: string, value: Uint8Array, at?: { readonly partition: number; readonly offset: bigint }): Message {
    if (!isMessageTopic(topic)) throw undecodable(topic, 'no message is written there');
    const record = this.#read(topic, value) as { -readonly [member in keyof Message]: Message[member] };
    // The only member that is no field of the schema: the topic implies it.
    record.type = typeOf(topic);
    const message = record as Message;
    if (!isPlausible(message)) throw undecodable(topic, 'user_key, version or a time is not one of ours');
    if (at === undefined || this.#asOf.length === 0) return message;
    return readAsOf(message, { topic, ...at }, this.#asOf);
  }

  encodeDeadLetter(deadLetter: DeadLetter): Uint8Array {
    const { key, value, error } = deadLetter;
    return this.#write(DEAD_LETTER_TOPIC, {
      ...deadLetter,
      key: Buffer.from(key),
      value: Buffer.from(value),
      error: error.toWellFormed(),
    });
  }

  /** @throws TidemarkError `MESSAGE_UNDECODABLE`. */
  decodeDeadLetter(value: Uint8Array): DeadLetter {
    const deadLetter = this.#read(DEAD_LETTER_TOPIC, value) as DeadLetter;
    return { ...deadLetter, key: new Uint8Array(deadLetter.key), value: new Uint8Array(deadLetter.value) };
  }

  encodeProject(project: ProjectRecord): Uint8Array {
    return this.#write(PROJECT_TOPIC, project);
  }

  /** @throws TidemarkError `MESSAGE_UNDECODABLE`. */
  decodeProject(value: Uint8Array): ProjectRecord {
    return { ...(this.#read(PROJECT_TOPIC, value) as ProjectRecord) };
  }

  encodeSnapshot(record: UserSnapshot | SnapshotEnd): Uint8Array {
    return this.#write(SNAPSHOT_TOPIC, isSnapshotEnd(record) ? { ...NO_USER, ...record } : { ...record, upTo: [] });
  }

  /** @throws TidemarkError `MESSAGE_UNDECODABLE`. */
  decodeSnapshot(value: Uint8Array): UserSnapshot | SnapshotEnd {
    const { upTo, ...user } = this.#read(SNAPSHOT_TOPIC, value) as UserSnapshot & SnapshotEnd;
    if (user.userKey === '') return { readAt: user.readAt, upTo };
    if (isHex(user.userKey, 64)) return user;
    throw undecodable(SNAPSHOT_TOPIC, 'user_key is not one of ours');
  }

  encodeAudienceChange({ audience, ...change }: AudienceChange): Uint8Array {
    const { id = null, name = null, version = null } = audience ?? {};
    const ofAudience = { audienceId: id, audienceName: name, audienceVersion: version };
    return this.#write(AUDIENCE_CHANGE_TOPIC, { ...change, ...ofAudience });
  }

  #write(topic: Topic, record: object): Uint8Array {
    const { id, type } = this.#formatOf(topic);
    return encodeFramed(id, type, record);
  }

  #read(topic: Topic, value: Uint8Array): unknown {
    const id = schemaIdOf(value);
    if (id === undefined) throw undecodable(topic, 'it is not framed as Avro');
    const format = this.#formatOf(topic);
    const resolver = this.#resolver(topic, format, id);
    let record: unknown;
    try {
      record = decodeFramed(value, format.type, resolver ?? undefined);
    } catch (cause) {
      throw undecodable(topic, `it is no record of schema ${id}`, cause);
    }
    if (record === undefined) throw undecodable(topic, `it is longer or shorter than its record of schema ${id}`);
    return record;
  }

  #resolver(topic: Topic, { type, schemaType, resolvers }: Format, id: number): Resolver | null {
    const known = resolvers.get(id);
    if (known !== undefined) return known;
    const schema = this.#ids.schemaOf(id);
    if (schema === undefined) throw undecodable(topic, `nobody knows its schema ${id}`);
    try {
      const writer = avroType(schema);
      const resolver = schemaType.equals(writer) ? null : type.createResolver(writer);
      resolvers.set(id, resolver);
      return resolver;
    } catch (cause) {
      throw undecodable(topic, `its schema ${id} cannot be read as this topic's`, cause);
    }
  }

  #formatOf(topic: Topic): Format {
    const format = this.#formats.get(topic);
    if (format === undefined) throw new Error(`no schema for ${topic}`);
    return format;
  }
}

/** The members of a snapshot's last record that are those of a user. */
const NO_USER: Omit<UserSnapshot, 'readAt'> = {
  projectId: '',
  userKey: '',
  userId: null,
  anonymousId: null,
  firstSeen: 0n,
  lastSeen: 0n,
  anonymous: null,
  sightings: [],
  traits: [],
};

/** How a topic's records are written and read. */
interface Format {
  readonly id: number;
  /** Its records are messages or dead letters. */
  readonly type: avro.Type;
  /** The same with the names of the schema, to compare it with other schemas. */
  readonly schemaType: avro.Type;
  /** By the writer's schema id; null where that schema is the reader's. */
  readonly resolvers: Map<number, Resolver | null>;
}

function formatOf(topic: Topic, ids: SchemaIds): Format {
  const schema = currentSchemaOf(topic);
  return { id: ids.idOf(topic), type: memberType(schema), schemaType: avroType(schema), resolvers: new Map() };
}

function isMessageTopic(topic: string): topic is MessageTopic {
  return (MESSAGE_TOPICS as readonly string[]).includes(topic);
}

/** What the stores rely on and Avro cannot express: without this check a foreign writer's record would corrupt them silently. */
function isPlausible({ userKey, version, timestamp, receivedAt }: Message): boolean {
  return (
    isHex(userKey, 64) &&
    isHex(version, 32) &&
    timestamp >= EARLIEST &&
    timestamp < END_OF_TIME &&
    receivedAt >= EARLIEST &&
    receivedAt < END_OF_TIME
  );
}

function undecodable(topic: string, why: string, cause?: unknown): TidemarkError {
  return new TidemarkError('MESSAGE_UNDECODABLE', `a record of ${topic} cannot be read: ${why}`, { cause });
}
