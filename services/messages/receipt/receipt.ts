import { crc32 } from 'node:zlib';
import { MESSAGE_TOPICS, type MessageTopic } from '../message.ts';
import { END_OF_TIME } from '../timestamp.ts';
import { isSignedBy, type ReceiptSigner, SIGNATURE_BYTES, writeSignature } from './receipt-signer.ts';

/**
 * A position that a reader must have reached. `partition` null means every partition of the topic: each must be read up
 * to `offset`, or to its end at the time of the question, whichever is lower. That may wait for messages of other
 * requests too, but always includes those of this one.
 */
export interface ReceiptEntry {
  readonly topic: MessageTopic;
  readonly partition: number | null;
  /** The next offset: one past the highest that the request's messages took. */
  readonly offset: bigint;
}

/** Where a record of a request is in the log. */
interface AppendedAt {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}

/** The contents of a receipt: the positions in the log of a request's messages. Nothing is stored or looked up for it. */
export interface Receipt {
  readonly acceptedAtMs: number;
  /** At least one, in rising order, each partition at most once. A topic has exact entries, or one for all its partitions. */
  readonly places: readonly ReceiptEntry[];
  /** False for a receipt from before receipts were signed: anyone can forge one, for any position in the log. */
  readonly isSigned: boolean;
}

// 4,000 characters of base64url, with the signature: enough to name some 450 partitions at offsets in the billions.
const MAX_BYTES = 3_000;
const MAX_LENGTH = 4_096;

const FORMAT = 2;
// Has a checksum instead of a signature. It is read until version 1.0, because callers may still ask about such receipts.
const UNSIGNED_FORMAT = 1;
const CHECKSUM_BYTES = 4;

// More than any log has.
const MAX_PARTITION = 0xfff_ffff;
const END_OF_TIME_MS = Number(END_OF_TIME / 1000n);

/**
 * The receipt as opaque text, always under 4 KB: a request over too many partitions to name them all gets one entry a
 * topic. Pure.
 */
export function encodeReceipt(signer: ReceiptSigner, acceptedAtMs: number, appended: readonly AppendedAt[]): string {
  const writer = WRITER;
  writer.length = 0;
  writer.byte(FORMAT);
  writer.text(signer.projectId);
  writer.number(acceptedAtMs);
  const [only] = appended;
  if (only !== undefined && appended.length === 1) {
    writeOne(writer, only);
    return writer.finish(signer);
  }
  const head = writer.length;
  const ends = highest(appended);
  for (const [topic, partitions] of ends) writeExact(writer, topic, partitions);
  if (writer.length > MAX_BYTES - SIGNATURE_BYTES) {
    writer.length = head;
    for (const [topic, partitions] of ends) writeWhole(writer, topic, partitions);
  }
  return writer.finish(signer);
}

/**
 * The contents of a receipt of the signer's project. Returns 'foreign' if it names another project, and undefined if it
 * is damaged, truncated or forged, or names what no log can have. The time grows with its length, at most 4 KB. Pure.
 */
export function decodeReceipt(text: string, signer: ReceiptSigner): Receipt | 'foreign' | undefined {
  if (text.length > MAX_LENGTH || !/^[\w-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // Text that differs only in unused bits of its last character decodes to the same bytes, but was never issued.
  if (bytes.toString('base64url') !== text) return undefined;
  const isSigned = bytes[0] === FORMAT;
  const end = bytes.length - (isSigned ? SIGNATURE_BYTES : CHECKSUM_BYTES);
  if (end < 1 || (!isSigned && !isUnsignedReceipt(bytes))) return undefined;
  try {
    const reader = new Reader(bytes.subarray(1, end));
    if (reader.text() !== signer.projectId) return 'foreign';
    return isSigned && !isSignedBy(signer, bytes) ? undefined : { ...readReceipt(reader), isSigned };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function isUnsignedReceipt(bytes: Buffer): boolean {
  const end = bytes.length - CHECKSUM_BYTES;
  return end > 0 && bytes[0] === UNSIGNED_FORMAT && bytes.readUInt32BE(end) === crc32(bytes.subarray(0, end));
}

type Ends = Map<MessageTopic, Map<number, bigint>>;

function highest(appended: readonly AppendedAt[]): Ends {
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
function writeOne(writer: Writer, { topic, partition, offset }: AppendedAt): void {
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

function readReceipt(reader: Reader): Pick<Receipt, 'acceptedAtMs' | 'places'> {
  const acceptedAtMs = reader.number();
  if (acceptedAtMs >= END_OF_TIME_MS) throw new RangeError('no time that a request is accepted at');
  const places: ReceiptEntry[] = [];
  const topics = new Set<MessageTopic>();
  do {
    const topic = MESSAGE_TOPICS[reader.byte()];
    if (topic === undefined || topics.has(topic)) throw new RangeError('no topic of messages, or one named twice');
    topics.add(topic);
    readEntries(reader, topic, places);
  } while (!reader.ended);
  return { acceptedAtMs, places };
}

function readEntries(reader: Reader, topic: MessageTopic, places: ReceiptEntry[]): void {
  const count = reader.number();
  if (count === 0) places.push({ topic, partition: null, offset: reader.offset() });
  let partition = 0;
  for (let i = 0; i < count; i++) {
    const step = reader.number();
    partition += step;
    if ((i > 0 && step === 0) || partition > MAX_PARTITION) throw new RangeError('no partition, or one named twice');
    places.push({ topic, partition, offset: reader.offset() });
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
    // Bit operations from here on: remainders of doubles are slow.
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

  finish(signer: ReceiptSigner): string {
    this.#makeRoom(SIGNATURE_BYTES);
    writeSignature(signer, this.#bytes, this.length);
    return this.#bytes.toString('base64url', 0, this.length + SIGNATURE_BYTES);
  }

  #makeRoom(length: number): void {
    const needed = this.length + length;
    if (needed > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * needed);
  }
}

// One is enough: a receipt is written synchronously.
const WRITER = new Writer();

// Bytes of seven bits each: whole numbers below 2^53 take no more.
const MAX_NUMBER_BYTES = 8;

/** Every method throws RangeError past the end, and for bytes that the writer would not have written. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get ended(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError('cut short');
    return byte;
  }

  text(): string {
    const length = this.number();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('cut short');
    const text = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end;
    return text;
  }

  number(): number {
    let value = 0;
    let worth = 1;
    for (let i = 0; i < MAX_NUMBER_BYTES; i++, worth *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * worth;
      if (byte > 0x7f) continue;
      if (value > Number.MAX_SAFE_INTEGER || (byte === 0 && i > 0)) break;
      return value;
    }
    throw new RangeError('not a number in its shortest form');
  }

  /** One past the offset of a message, so never 0. Below 2^53, as the embedded log's are; Kafka's would take 285 years at a million a second. */
  offset(): bigint {
    const offset = this.number();
    if (offset === 0) throw new RangeError('no offset past another');
    return BigInt(offset);
  }
}
