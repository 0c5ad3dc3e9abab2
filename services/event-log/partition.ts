import type { TopicPartition } from './event-log.ts';

/**
 * The partition of a key, as Kafka's Java client chooses it: murmur2 of the key, without its sign bit, modulo the count.
 * All records of a key are in one partition, whichever adapter or other producer wrote them.
 */
export function partitionOf(key: Uint8Array, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}

/** `topic/partition`: a key for maps, and for messages. No topic's name contains a slash. */
export function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** The lower of two offsets. */
export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** Whether it is one of these; always where they are undefined. */
export function isAmong(these: readonly TopicPartition[] | undefined, one: TopicPartition): boolean {
  return these?.some(({ topic, partition }) => topic === one.topic && partition === one.partition) ?? true;
}

const SEED = 0x9747b28c;
const M = 0x5bd1e995;

/** A signed 32-bit hash, bit for bit that of org.apache.kafka.common.utils.Utils.murmur2. */
export function murmur2(bytes: Uint8Array): number {
  const length = bytes.length;
  const whole = length & ~3;
  let hash = SEED ^ length;
  for (let i = 0; i < whole; i += 4) {
    let word =
      byteAt(bytes, i) | (byteAt(bytes, i + 1) << 8) | (byteAt(bytes, i + 2) << 16) | (byteAt(bytes, i + 3) << 24);
    word = Math.imul(word, M);
    word ^= word >>> 24;
    hash = Math.imul(hash, M) ^ Math.imul(word, M);
  }
  if (whole < length) {
    for (let i = length - 1; i >= whole; i--) hash ^= byteAt(bytes, i) << (8 * (i - whole));
    hash = Math.imul(hash, M);
  }
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return hash ^ (hash >>> 15);
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] as number;
}
