import type { Acknowledged, Numbered } from './remembering-appends.ts';

/** A record of `RememberingAppends` as it stands in the log. */
export interface Written extends Numbered {
  readonly partition: number;
  readonly offset: bigint;
}

export interface Found {
  /** Acknowledged, and nowhere in the log. */
  readonly missing: readonly string[];
  /** Acknowledged at a place where another record stands, or none. */
  readonly misplaced: readonly string[];
  /** Keys that are in more than one partition. */
  readonly scattered: readonly string[];
  /** First copies that do not follow the one before them: something is missing before, or comes after. */
  readonly outOfOrder: readonly string[];
}

/** Nothing to complain of. */
export const NOTHING: Found = { missing: [], misplaced: [], scattered: [], outOfOrder: [] };

/** Compares what is in the log with what was acknowledged. Repeats are allowed: readers drop them by the message's id. */
export function compare(written: readonly Written[], acknowledged: readonly Acknowledged[]): Found {
  const held = new Set(written.map(nameOf));
  const places = new Map(written.map((one) => [`${one.partition}@${one.offset}`, nameOf(one)]));
  return {
    missing: acknowledged.map(nameOf).filter((name) => !held.has(name)),
    misplaced: acknowledged
      .filter((one) => places.get(`${one.at.partition}@${one.at.offset}`) !== nameOf(one))
      .map((one) => `${nameOf(one)} is not at ${one.at.partition}@${one.at.offset}`),
    ...ordersOf(written),
  };
}

/** How many records are copies of an earlier one. */
export function repeatsIn(written: readonly Written[]): number {
  return written.length - new Set(written.map(nameOf)).size;
}

function ordersOf(written: readonly Written[]): Pick<Found, 'scattered' | 'outOfOrder'> {
  const [partitions, nexts] = [new Map<string, number>(), new Map<string, number>()];
  const [scattered, outOfOrder] = [new Set<string>(), [] as string[]];
  for (const one of written) {
    const next = nexts.get(one.key) ?? 0;
    if (partitions.get(one.key) === undefined) partitions.set(one.key, one.partition);
    if (partitions.get(one.key) !== one.partition) scattered.add(one.key);
    if (one.seq > next) outOfOrder.push(`${nameOf(one)} came where ${next} was due`);
    if (one.seq >= next) nexts.set(one.key, one.seq + 1);
  }
  return { scattered: [...scattered], outOfOrder };
}

function nameOf({ key, seq }: Numbered): string {
  return `${key} #${seq}`;
}
