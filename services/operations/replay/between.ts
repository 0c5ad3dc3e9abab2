/** The messages between two readers: those that one has passed and the other has not. */
import { decodeBatch } from '../../consumers/decode-batch.ts';
import type { EventLog, LogCoordinates, ScanRange } from '../../event-log/event-log.ts';
import { least, nameOf } from '../../event-log/partition.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Message } from '../../messages/message.ts';
import { partitionNamed } from '../verify/checkpoints.ts';

/** The next offset of a reader by `topic/partition`. */
export type Offsets = ReadonlyMap<string, bigint>;

export function offsetsByPartition(positions: readonly LogCoordinates[]): Offsets {
  return new Map(positions.map((position) => [nameOf(position), position.offset]));
}

/**
 * For each partition where two offsets differ, the range from the lower to the higher. A missing offset counts as 0.
 */
export function between(some: Offsets, others: Offsets): readonly ScanRange[] {
  const names = new Set([...some.keys(), ...others.keys()]);
  return [...names].flatMap((name) => {
    const [a, b] = [some.get(name) ?? 0n, others.get(name) ?? 0n];
    if (a === b) return [];
    return [{ ...partitionNamed(name), from: a < b ? a : b, to: a < b ? b : a }];
  });
}

/** The lower offset for each partition. */
export function lower(some: Offsets, others: Offsets): Offsets {
  return mergeOffsets(some, others, least);
}

/** The higher offset for each partition. */
export function higher(some: Offsets, others: Offsets): Offsets {
  return mergeOffsets(some, others, (a, b) => (a > b ? a : b));
}

/** Whether the first reader has passed everything that the second has. */
export function isPast(some: Offsets, others: Offsets): boolean {
  return [...others].every(([name, offset]) => (some.get(name) ?? 0n) >= offset);
}

export function sumOf(offsets: Offsets): bigint {
  return [...offsets.values()].reduce((sum, offset) => sum + offset, 0n);
}

/** The users among `asked` whom a message within these ranges names. */
export async function namedWithin(
  { log, codec }: { readonly log: Pick<EventLog, 'scan'>; readonly codec: Pick<Codec, 'prepare' | 'decode'> },
  ranges: readonly ScanRange[],
  asked: ReadonlySet<string>,
  userOf: (message: Message) => string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  if (ranges.length === 0 || asked.size === 0) return named;
  for await (const batch of log.scan(ranges, { signal })) {
    const { decoded } = await decodeBatch(codec, [batch], userOf);
    for (const { content } of decoded) if (asked.has(content)) named.add(content);
  }
  return named;
}

function mergeOffsets(some: Offsets, others: Offsets, pick: (a: bigint, b: bigint) => bigint): Offsets {
  const names = new Set([...some.keys(), ...others.keys()]);
  return new Map([...names].map((name) => [name, pick(some.get(name) ?? 0n, others.get(name) ?? 0n)]));
}
