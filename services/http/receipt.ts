import { crc32 } from 'node:zlib';
import type { Appended } from '../event-log/event-log.ts';
import { MESSAGE_TOPICS, type MessageTopic } from '../messages/message.ts';

/**
 * Where a reader has to have come to. `partition` null stands for every partition of the topic: each has to be read up
 * to `offset`, or to where it ended when the receipt was asked about, whichever is less. That may wait for more than the
 * request's own messages, never for less.
 */
export interface Place {
  readonly topic: MessageTopic;
  readonly partition: number | null;
  /** The next offset: one past the highest that the request's messages took. */
  readonly offset: bigint;
}

/** What a receipt says: the places in the log that a request's messages took. Nothing is stored or looked up for it. */
export interface Receipt {
  readonly projectId: string;
  readonly acceptedAtMs: number;
  /** At most one for each partition; a topic's are all exact or one for them all. */
  readonly places: readonly Place[];
}

// 4,000 characters of base64url, with the checksum: enough to name some 450 partitions at offsets in the billions.
const MAX_BYTES = 3_000;
const FORMAT = 1;
const CHECKSUM_BYTES = 4;

/**
 * The receipt as opaque text, always under 4 KB: a request over too many partitions to name them all gets one place a
 * topic. Pure.
 */
export function encodeReceipt(projectId: string, acceptedAtMs: number, appended: readonly Appended[]): string {
  const writer = WRITER;
  writer.length = 0;
  writer.byte(FORMAT);
  writer.text(projectId);
  writer.number(acceptedAtMs);
  const [only] = appended;
  if (only !== undefined && appended.length === 1) {
    writeOne(writer, only);
    return writer.finish();
  }
  const head = writer.length;
  const ends = highest(appended);
  for (const [topic, partitions] of ends) writeExact(writer, topic, partitions);
  if (writer.length > MAX_BYTES - CHECKSUM_BYTES) {
    writer.length = head;
    for (const [topic, partitions] of ends) writeWhole(writer, topic, partitions);
  }
  return writer.finish();
}

/** What a receipt says; undefined where it is none of ours, mangled or cut. It may be another project's. Pure. */
export function decodeReceipt(text: string): Receipt | undefined {
  if (!/^[\w-]{1,4096}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < 1 || bytes.readUInt32BE(end) !== crc32(bytes.subarray(0, end))) return undefined;
  // Text that differs only in unused bits of its last character decodes to the same bytes, but we never wrote it.
  if (bytes.toString('base64url') !== text) return undefined;
  try {
    return readReceipt(new Reader(bytes.subarray(0, end)));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type Ends = Map<MessageTopic, Map<number, bigint>>;

function highest(appended: readonly Appended[]): Ends {
  const ends: Ends = new Map();
  for (const { topic, partition, offset } of appended) {
    const partitions = ends.get(topic as MessageTopic) ?? new Map<number, bigint>();
    ends.set(topic as MessageTopic, partitions);
    const known = partitions.get(partition);
    if (known === undefined || offset >= known) partitions.set(partition, offset + 1n);
  }
  return ends;
}

/** The usual case, without maps and lists: a third of the time. */
function writeOne(writer: Writer, { topic, partition, offset }: Appended): void {
  writer.byte(MESSAGE_TOPICS.indexOf(topic as MessageTopic));
  writer.number(1);
  writer.number(partition);
  writer.bigint(offset + 1n);
}

function writeExact(writer: Writer, topic: MessageTopic, partitions: ReadonlyMap<number, bigint>): void {
  writer.byte(MESSAGE_TOPICS.indexOf(topic));
  writer.number(partitions.size);
  let last = 0;
  for (const [partition, offset] of [...partitions].sort(([a], [b]) => a - b)) {
    writer.number(partition - last);
    writer.bigint(offset);
    last = partition;
  }
}

function writeWhole(writer: Writer, topic: MessageTopic, partitions: ReadonlyMap<number, bigint>): void {
  writer.byte(MESSAGE_TOPICS.indexOf(topic));
  writer.number(0);
  writer.bigint([...partitions.values()].reduce((most, offset) => (offset > most ? offset : most)));
}

function readReceipt(reader: Reader): Receipt | undefined {
  if (reader.byte() !== FORMAT) return undefined;
  const projectId = reader.text();
  const acceptedAtMs = reader.number();
  const places: Place[] = [];
  while (!reader.ended) {
    const topic = MESSAGE_TOPICS[reader.byte()];
    if (topic === undefined) return undefined;
    readPlaces(reader, topic, places);
  }
  return { projectId, acceptedAtMs, places };
}

function readPlaces(reader: Reader, topic: MessageTopic, places: Place[]): void {
  const count = reader.number();
  if (count === 0) places.push({ topic, partition: null, offset: reader.bigint() });
  let partition = 0;
  for (let i = 0; i < count; i++) {
    partition += reader.number();
    places.push({ topic, partition, offset: reader.bigint() });
  }
}

/** Bytes, with whole numbers in seven bits a byte, the lowest first (LEB128). */
class Writer {
  length = 0;
  #bytes = Buffer.alloc(4_096);

  byte(value: number): void {
    this.#makeRoom(1);
    this.#bytes[this.length++] = value;
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.number(length);
    this.#makeRoom(length);
    this.#bytes.write(value, this.length);
    this.length += length;
  }

  number(value: number): void {
    let rest = value;
    for (; rest > 0x7fffffff; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) + 0x80);
    // Bits from here on: remainders of doubles are slow.
    for (; rest > 0x7f; rest >>>= 7) this.byte((rest & 0x7f) | 0x80);
    this.byte(rest);
  }

  bigint(value: bigint): void {
    let rest = value;
    while (rest > BigInt(Number.MAX_SAFE_INTEGER)) {
      this.byte(Number(rest & 0x7fn) + 0x80);
      rest >>= 7n;
    }
    this.number(Number(rest));
  }

  finish(): string {
    const checksum = crc32(this.#bytes.subarray(0, this.length));
    this.#makeRoom(CHECKSUM_BYTES);
    this.length = this.#bytes.writeUInt32BE(checksum, this.length);
    return this.#bytes.toString('base64url', 0, this.length);
  }

  #makeRoom(length: number): void {
    const needed = this.length + length;
    if (needed > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * needed);
  }
}

// One for all: a receipt is written without giving way.
const WRITER = new Writer();

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get ended(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** @throws RangeError past the end. */
  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  text(): string {
    const length = this.number();
    const text = this.#bytes.toString('utf8', this.#at, this.#at + length);
    this.#at += length;
    return text;
  }

  number(): number {
    return Number(this.bigint());
  }

  bigint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
}
