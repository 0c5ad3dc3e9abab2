import type { EventLog, TopicPartition } from '../../services/event-log/event-log.ts';
import { nameOf } from '../../services/event-log/partition.ts';

/** What the appender (test/support/programs/event-log-appender.ts) wrote: the name of its append, and how many it has. */
const VALUE = /^([\w-]+)\/\d+\/(\d+)$/;

/** A log as it is read: its values by spot, `topic/partition@offset`. */
export interface ReadLog {
  readonly values: ReadonlyMap<string, string>;
  /** By `topic/partition`. */
  readonly beginnings: ReadonlyMap<string, number>;
  readonly ends: ReadonlyMap<string, number>;
}

export async function readWhole(log: EventLog, topics: readonly string[]): Promise<ReadLog> {
  const [beginnings, ends] = [await log.beginnings(topics), await log.ends(topics)];
  const ranges = ends.map(({ topic, partition, offset }) => ({ topic, partition, from: 0n, to: offset }));
  const values = new Map<string, string>();
  for await (const { records, ...at } of log.scan(ranges)) {
    for (const { offset, value } of records) values.set(`${nameOf(at)}@${offset}`, Buffer.from(value).toString());
  }
  return { values, beginnings: offsetsOf(beginnings), ends: offsetsOf(ends) };
}

function offsetsOf(all: readonly (TopicPartition & { readonly offset: bigint })[]): ReadonlyMap<string, number> {
  return new Map(all.map((one) => [nameOf(one), Number(one.offset)]));
}

/** What is known of a log whose writers are killed, by what they printed and by what was read before. */
export class KilledLog {
  acknowledged = 0;
  /** Acknowledged records that are not there. */
  readonly lost: string[] = [];
  /** Whatever else must not be. */
  readonly wrong: string[] = [];
  /** Values by spot: what must be there. */
  readonly #known = new Map<string, string>();
  readonly #erased = new Set<string>();
  /** The spots of erasures that were not acknowledged: each is done as a whole or not at all. */
  #erasures: string[][] = [];
  /** The offset below which a partition may be cut. */
  readonly #cutBelow = new Map<string, number>();

  /** Notes a line that the appender printed. The last of one that was killed may be cut short. */
  note(line: string): void {
    const words = line.split(' ');
    const [first = '', partition, offset, value = ''] = words;
    if (first === 'erasing') this.#erasures.push(words.slice(1));
    else if (first === 'erased') this.#acknowledgeErasure(words.slice(1));
    else if (first === 'cutting') for (const spot of words.slice(1)) this.#noteCut(spot);
    else if (VALUE.test(value)) this.#acknowledge(`${first}/${partition}@${offset}`, value);
  }

  /** Compares what is there. From then on, what was given out must stay. */
  check(log: ReadLog): void {
    this.#checkCuts(log);
    this.#checkKnown(log);
    this.#checkErasures(log);
    this.#checkAppends(log);
    this.#checkOffsets(log);
    this.#known.clear();
    for (const [spot, value] of log.values) this.#known.set(spot, value);
    this.#erasures = [];
    for (const spot of this.#erased) if (isCut(log, spot)) this.#erased.delete(spot);
  }

  #acknowledge(spot: string, value: string): void {
    if (this.#known.has(spot)) this.wrong.push(`two records were acknowledged at ${spot}`);
    this.acknowledged++;
    this.#known.set(spot, value);
  }

  #acknowledgeErasure(spots: readonly string[]): void {
    this.#erasures = this.#erasures.filter(([first]) => first !== spots[0]);
    for (const spot of spots) this.#erased.add(spot);
  }

  #noteCut(spot: string): void {
    const [partition, offset] = splitSpot(spot);
    this.#cutBelow.set(partition, Math.max(offset, this.#cutBelow.get(partition) ?? 0));
  }

  #checkCuts({ beginnings }: ReadLog): void {
    for (const [partition, offset] of beginnings) {
      if (offset > (this.#cutBelow.get(partition) ?? 0)) this.wrong.push(`${partition} is cut up to ${offset}`);
    }
  }

  #checkKnown(log: ReadLog): void {
    const mayBeErased = new Set(this.#erasures.flat());
    for (const [spot, value] of this.#known) {
      const found = log.values.get(spot);
      if (found !== undefined && found !== value) this.wrong.push(`${spot} has ${found}, not ${value}`);
      if (found !== undefined || isCut(log, spot) || this.#erased.has(spot) || mayBeErased.has(spot)) continue;
      this.lost.push(`${spot} ${value}`);
    }
  }

  #checkErasures(log: ReadLog): void {
    for (const spot of this.#erased) if (log.values.has(spot)) this.wrong.push(`${spot} was erased`);
    for (const erasure of this.#erasures) {
      const left = erasure.filter((spot) => !isCut(log, spot));
      const there = left.filter((spot) => log.values.has(spot));
      if (there.length > 0 && there.length < left.length) this.wrong.push(`half of an erasure is done: ${left.join()}`);
      if (there.length === 0) for (const spot of left) this.#erased.add(spot);
    }
  }

  /** Each record is there once, and an append that nobody was told of as a whole. */
  #checkAppends(log: ReadLog): void {
    const seen = new Set<string>();
    const counts = new Map<string, number>();
    const untold = new Map<string, number>();
    const count = (append: string): void => void counts.set(append, 1 + (counts.get(append) ?? 0));
    for (const [spot, value] of log.values) {
      const [, append, size] = VALUE.exec(value) ?? [];
      if (append === undefined) this.wrong.push(`${spot} has ${value}, which nobody wrote`);
      if (seen.has(value)) this.wrong.push(`${value} is there twice`);
      seen.add(value);
      if (append === undefined) continue;
      count(append);
      if (!this.#known.has(spot)) untold.set(append, Number(size));
    }
    // What was deleted of them was known.
    for (const [spot, value] of this.#known) {
      if (!log.values.has(spot)) count(VALUE.exec(value)?.[1] ?? '');
    }
    for (const [append, size] of untold) {
      if (counts.get(append) !== size) this.wrong.push(`${append} is there in part: ${counts.get(append)} of ${size}`);
    }
  }

  #checkOffsets(log: ReadLog): void {
    for (const [partition, end] of log.ends) {
      for (let offset = log.beginnings.get(partition) ?? 0; offset < end; offset++) {
        const spot = `${partition}@${offset}`;
        if (!log.values.has(spot) && !this.#erased.has(spot) && !this.#known.has(spot)) {
          this.wrong.push(`${spot} is a gap`);
        }
      }
    }
  }
}

function isCut(log: ReadLog, spot: string): boolean {
  const [partition, offset] = splitSpot(spot);
  return offset < (log.beginnings.get(partition) ?? 0);
}

function splitSpot(spot: string): [partition: string, offset: number] {
  const at = spot.lastIndexOf('@');
  return [spot.slice(0, at), Number(spot.slice(at + 1))];
}
