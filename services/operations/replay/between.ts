/** The messages between two readers: those that one has passed and the other has not. */
import type { EventLog, Position, ScanRange } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Message } from '../../messages/message.ts';
import { hasCode } from '../../runtime/errors.ts';

/** The next offset of a reader by `topic/partition`. */
export type Offsets = ReadonlyMap<string, bigint>;

export function offsetsByPartition(positions: readonly Position[]): Offsets {
  return new Map(positions.map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]));
}

/**
 * For each partition where two offsets differ, the range from the lower to the higher. A missing offset counts as 0.
 */
export function between(some: Offsets, others: Offsets): readonly ScanRange[] {
  const names = new Set([...some.keys(), ...others.keys()]);
  return [...names].flatMap((name) => {
    const [a, b] = [some.get(name) ?? 0n, others.get(name) ?? 0n];
    if (a === b) return [];
    const cut = name.lastIndexOf('/');
    const partition = { topic: name.slice(0, cut), partition: Number(name.slice(cut + 1)) };
    return [{ ...partition, from: a < b ? a : b, to: a < b ? b : a }];
  });
}

/** The lower offset for each partition. */
export function lower(some: Offsets, others: Offsets): Offsets {
  return mergeOffsets(some, others, (a, b) => (a < b ? a : b));
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

/** Those of the given users that a message within the ranges names. */
export async function namedWithin(
  { log, codec }: { readonly log: Pick<EventLog, 'scan'>; readonly codec: Pick<Codec, 'prepare' | 'decode'> },
  ranges: readonly ScanRange[],
  asked: ReadonlySet<string>,
  nameOf: (message: Message) => string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  if (ranges.length === 0 || asked.size === 0) return named;
  for await (const { topic, records } of log.scan(ranges, { signal })) {
    await codec.prepare(records.map(({ value }) => value));
    for (const { value } of records) {
      const message = decoded(codec, topic, value);
      const name = message && nameOf(message);
      if (name !== undefined && asked.has(name)) named.add(name);
    }
  }
  return named;
}

/** A message that cannot be decoded names no user. */
function decoded(codec: Pick<Codec, 'decode'>, topic: string, value: Uint8Array): Message | undefined {
  try {
    return codec.decode(topic, value);
  } catch (error) {
    if (!hasCode(error, 'MESSAGE_UNDECODABLE')) throw error;
    return undefined;
  }
}

function mergeOffsets(some: Offsets, others: Offsets, pick: (a: bigint, b: bigint) => bigint): Offsets {
  const names = new Set([...some.keys(), ...others.keys()]);
  return new Map([...names].map((name) => [name, pick(some.get(name) ?? 0n, others.get(name) ?? 0n)]));
}
