import { isBlank } from '../../../../services/event-log/blank.ts';
import type { LogRecord } from '../../../../services/event-log/event-log.ts';
import { commitsOf } from '../../../../services/event-log/embedded/copied-chunks.ts';
import { SegmentStore } from '../../../../services/event-log/embedded/segments/segment-store.ts';
import { SharedLog } from '../../../../services/event-log/embedded/segments/shared-log.ts';
import { hasCode, TidemarkError } from '../../../../services/runtime/errors.ts';
import { Death, type SimulatedDisk } from './simulated-disk.ts';

export const TOPICS = ['t', 'u'];
export const PARTITIONS = 2;
const FOLDER = '/log';

/** Some commits of the size of `commit` fit into a segment of this size. */
export const SMALL_SEGMENT_BYTES = 2_600;

/** A log on a disk, opened as by a process of its own. */
export function openOn(
  disk: SimulatedDisk,
  shared = new SharedLog(),
  segmentBytes = SMALL_SEGMENT_BYTES,
): SegmentStore {
  return SegmentStore.open({
    folder: FOLDER,
    topics: TOPICS,
    partitions: PARTITIONS,
    files: disk,
    shared,
    segmentBytes,
  });
}

/** What is said to be in the log: values by `partition@offset`. */
export class Ledger {
  /** What was acknowledged. */
  readonly acknowledged = new Map<string, string>();
  /** What a commit that did not return may have left. */
  readonly attempted = new Map<string, Set<string>>();
  readonly erased = new Set<string>();
  /** Erased, or to be erased once the log is opened, if the process died in the middle of it. */
  readonly mayBeErased = new Set<string>();
  /** The spots of each erasure: it is done as a whole or not at all. */
  readonly erasures: (readonly string[])[] = [];
  /** The spots of each commit, whose records are in the log together or not at all, with their values. */
  readonly commits: ReadonlyMap<string, string>[] = [];
  #values = 0;

  copy(): Ledger {
    const copy = new Ledger();
    for (const [spot, value] of this.acknowledged) copy.acknowledged.set(spot, value);
    for (const [spot, values] of this.attempted) copy.attempted.set(spot, new Set(values));
    for (const spot of this.erased) copy.erased.add(spot);
    for (const spot of this.mayBeErased) copy.mayBeErased.add(spot);
    copy.commits.push(...this.commits);
    copy.erasures.push(...this.erasures);
    copy.#values = this.#values;
    return copy;
  }

  /** Appends some records to every partition in one commit. */
  commit(store: SegmentStore): void {
    const values = store.layout.partitions.map(() => [1, 2, 3].map(() => `value ${++this.#values} ${'x'.repeat(20)}`));
    const spots = new Map<string, string>();
    try {
      store.transact((transaction) => {
        spots.clear();
        for (const partition of store.layout.partitions) {
          const mine = values[partition.index]!;
          const first = transaction.append(partition, chunkOf(mine), mine.length, 7);
          for (const [i, value] of mine.entries()) {
            const spot = `${partition.index}@${first + i}`;
            spots.set(spot, value);
            this.attempted.set(spot, (this.attempted.get(spot) ?? new Set()).add(value));
          }
        }
        transaction.putNote('last', values[0]![0]);
        this.commits.push(new Map(spots));
      });
    } catch (error) {
      throwDeath(error);
      return;
    }
    for (const [spot, value] of spots) {
      ensure(!this.acknowledged.has(spot), `two records were acknowledged at ${spot}`);
      this.acknowledged.set(spot, value);
    }
  }

  erase(store: SegmentStore, offset: number): void {
    if (!this.acknowledged.has(`0@${offset}`)) return;
    const records = store.layout.partitions.map((partition) => ({ partition, offset }));
    const spots = records.map(({ partition }) => `${partition.index}@${offset}`);
    for (const spot of spots) this.mayBeErased.add(spot);
    this.erasures.push(spots);
    try {
      store.erase(records);
      for (const spot of spots) this.erased.add(spot);
    } catch (error) {
      throwDeath(error);
    }
  }

  /** The log holds what was acknowledged, and nothing that was not attempted. */
  verify(found: Content): void {
    for (const [spot, value] of found.values) {
      const known = this.acknowledged.get(spot);
      ensure(known === value || (known === undefined && this.attempted.get(spot)?.has(value)), `${spot} has ${value}`);
      ensure(!this.erased.has(spot), `${spot} was erased`);
    }
    const isCut = (spot: string): boolean => {
      const [partition, offset] = spot.split('@').map(Number) as [number, number];
      return offset < found.beginnings[partition]!;
    };
    const isGone = (spot: string): boolean => isCut(spot) || this.mayBeErased.has(spot);
    for (const commit of this.commits) {
      const left = [...commit].filter(([spot]) => !isGone(spot));
      const there = left.filter(([spot, value]) => found.values.get(spot) === value);
      ensure(there.length === 0 || there.length === left.length, `${left.length - there.length} of a commit are lost`);
    }
    for (const spots of this.erasures) {
      const left = spots.filter((spot) => !isCut(spot));
      const there = left.filter((spot) => found.values.has(spot));
      ensure(there.length === 0 || there.length === left.length, `${there.length} of an erasure are there`);
    }
    for (const [spot, value] of this.acknowledged) {
      if (isGone(spot)) continue;
      ensure(found.values.get(spot) === value, `${spot} is lost`);
    }
  }
}

export interface Content {
  /** By `partition@offset`. */
  readonly values: ReadonlyMap<string, string>;
  /** The spots of records that cannot be read, as damage. */
  readonly damaged: ReadonlySet<string>;
  readonly beginnings: Float64Array;
  readonly ends: Float64Array;
}

/** Reads every record by itself. @param count How many of each partition at most. */
export function contentOf(store: SegmentStore, count = Infinity): Content {
  const [beginnings, ends] = store.withLatest(() => [store.beginnings(), store.ends()]);
  const values = new Map<string, string>();
  const damaged = new Set<string>();
  for (const { index } of store.layout.partitions) {
    const first = beginnings[index]!;
    for (let offset = first; offset < Math.min(ends[index]!, first + count); offset++) {
      const spot = `${index}@${offset}`;
      try {
        const value = valueAt(store, spot);
        if (value !== undefined) values.set(spot, value);
      } catch (error) {
        if (!hasCode(error, 'LOG_DAMAGED')) throw error;
        damaged.add(spot);
      }
    }
  }
  return { values, damaged, beginnings, ends };
}

/** Undefined where it is blank. */
export function valueAt(store: SegmentStore, spot: string): string | undefined {
  const [index, offset] = spot.split('@').map(Number) as [number, number];
  const records: LogRecord[] = [];
  const limits = { records: 1, bytes: 2 ** 20, atLeastOne: true, end: offset + 1 };
  store.withLatest(() => store.read(store.layout.partitionAt(index), offset, limits, records));
  const [record] = records;
  return record === undefined || isBlank(record) ? undefined : Buffer.from(record.value).toString();
}

/** An error is only that the log is not available now, or the death of the process. */
export function throwDeath(error: unknown): void {
  if (error instanceof Death) throw error;
  if (error instanceof TidemarkError && error.cause instanceof Death) throw error.cause;
  if (!hasCode(error, 'LOG_UNAVAILABLE')) throw error;
}

/** Undefined where the log is not available now, or the process dies. */
export function openedUnlessDead(disk: SimulatedDisk): SegmentStore | undefined {
  try {
    return tryTo(() => openOn(disk));
  } catch (error) {
    if (!(error instanceof Death)) throw error;
    return undefined;
  }
}

/** Undefined where it fails, which it may only as unavailable. */
export function tryTo<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    throwDeath(error);
    return undefined;
  }
}

/** As `expect`, which would take a minute for all records of all cases. */
export function ensure(holds: boolean | undefined, what: string): void {
  if (holds !== true) throw new Error(what);
}

/** Records with these values, not sealed. */
export function chunkOf(values: readonly string[]): Buffer {
  const key = Buffer.from('key');
  const records = values.map((value, at) => ({ offset: BigInt(at), appendedAtMs: 7, key, value: Buffer.from(value) }));
  const [commit] = commitsOf(0, records, values.length);
  return commit![0]!.bytes;
}
