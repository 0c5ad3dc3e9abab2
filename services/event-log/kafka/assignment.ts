import type { TopicPartition } from '../event-log.ts';

/**
 * Encodes the subscriptions and assignments of a group's members in Kafka's consumer protocol, version 0, so that Kafka's
 * own tools can show them (org.apache.kafka.clients.consumer.internals.ConsumerProtocol).
 */
export const ASSIGNMENT_PROTOCOL = 'roundrobin';

export function encodeSubscription(topics: readonly string[]): Buffer {
  return Buffer.concat([VERSION, int32(topics.length), ...topics.map(encodeText), NO_USER_DATA]);
}

export function decodeSubscription(bytes: Buffer): readonly string[] {
  const reader = new Reader(bytes);
  return reader.array(() => reader.text());
}

export function encodeAssignment(partitions: readonly TopicPartition[]): Buffer {
  const topics = new Map<string, Buffer[]>();
  for (const { topic, partition } of partitions) {
    topics.set(topic, [...(topics.get(topic) ?? []), int32(partition)]);
  }
  const entries = [...topics].flatMap(([topic, numbers]) => [encodeText(topic), int32(numbers.length), ...numbers]);
  return Buffer.concat([VERSION, int32(topics.size), ...entries, NO_USER_DATA]);
}

/** A member without partitions receives no bytes. */
export function decodeAssignment(bytes: Buffer): readonly TopicPartition[] {
  if (bytes.length === 0) return [];
  const reader = new Reader(bytes);
  return reader
    .array(() => ({ topic: reader.text(), partitions: reader.array(() => reader.int32()) }))
    .flatMap(({ topic, partitions }) => partitions.map((partition) => ({ topic, partition })));
}

/** Assigns each partition to one subscriber of its topic, evenly. Pure, and independent of the order of the arguments. */
export function assign(
  members: readonly { readonly memberId: string; readonly topics: readonly string[] }[],
  partitions: readonly TopicPartition[],
): ReadonlyMap<string, readonly TopicPartition[]> {
  const shares = new Map(members.map(({ memberId }) => [memberId, [] as TopicPartition[]]));
  const sorted = members.toSorted((one, other) => (one.memberId < other.memberId ? -1 : 1));
  for (const one of partitions) {
    const readers = sorted
      .filter(({ topics }) => topics.includes(one.topic))
      .map(({ memberId }) => shares.get(memberId));
    const least = readers.reduce((a, b) => ((b?.length ?? 0) < (a?.length ?? 0) ? b : a), readers[0]);
    least?.push(one);
  }
  return shares;
}

const VERSION = Buffer.from([0, 0]);
const NO_USER_DATA = Buffer.from([0, 0, 0, 0]);

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function encodeText(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

class Reader {
  readonly #bytes: Buffer;
  /** After the version. Later versions only add fields at the end. */
  #at = VERSION.length;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int32(): number {
    this.#at += 4;
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  text(): string {
    const length = this.#bytes.readInt16BE(this.#at);
    const start = this.#at + 2;
    this.#at = start + length;
    return this.#bytes.toString('utf8', start, this.#at);
  }

  array<T>(each: () => T): T[] {
    return Array.from({ length: this.int32() }, each);
  }
}
