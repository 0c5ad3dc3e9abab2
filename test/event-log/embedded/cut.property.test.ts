import * as fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import type { LogReader, NewRecord, Position } from '../../../services/event-log/event-log.ts';
import { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import { segmentBytesOfProcess, setSegmentBytes } from '../../../services/event-log/embedded/segments/shared-log.ts';
import { beginningOf, positionAfter } from '../../../services/event-log/identity.ts';
import { AT_ONCE, keyIn, placed, record, scanTopic, text } from '../../support/event-log/event-log.ts';
import { propertyRun } from '../../support/property-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PARTITIONS = 3;
const KEYS = Array.from({ length: PARTITIONS }, (_, partition) => keyIn(partition, PARTITIONS));

const partition = fc.nat(PARTITIONS - 1);
const cutSteps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('append'), partition, count: fc.integer({ min: 1, max: 40 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('read'), count: fc.integer({ min: 1, max: 80 }) }) },
    // Up to which part of what the reader has read, for some of the partitions.
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('cut'),
        parts: fc.array(fc.constantFrom(undefined, 0.5, 1), { minLength: 3, maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen') }) },
  ),
  { minLength: 10, maxLength: 40 },
);
type CutStep = typeof cutSteps extends fc.Arbitrary<(infer One)[]> ? One : never;

beforeEach(() => {
  const before = segmentBytesOfProcess();
  setSegmentBytes(3_000);
  return () => setSegmentBytes(before);
});

/** A log, and what it must be: a list of values for each partition. */
class Run {
  readonly #folder: string;
  #log: EmbeddedEventLog;
  #reader: LogReader;
  readonly #model: string[][] = KEYS.map(() => []);
  readonly #read: string[][] = KEYS.map(() => []);
  readonly #positions: Position[] = KEYS.map((_, of) => beginningOf({ topic: 't', partition: of }));
  /** Before which offset each partition was to be cut, and where it began at last. */
  readonly #asked = KEYS.map(() => 0);
  #begun = KEYS.map(() => 0);

  private constructor(folder: string, log: EmbeddedEventLog, reader: LogReader) {
    this.#folder = folder;
    this.#log = log;
    this.#reader = reader;
  }

  static async start(): Promise<Run> {
    const folder = await temporaryFolder();
    const log = await EmbeddedEventLog.open({ folder, topics: ['t'], partitions: PARTITIONS });
    return new Run(folder, log, await log.openReader({ group: 'g', topics: ['t'], start: () => Promise.resolve([]) }));
  }

  get cut(): number {
    return this.#begun.reduce((sum, offset) => sum + offset, 0);
  }

  async apply(operation: CutStep): Promise<void> {
    if ('parts' in operation) await this.#cut(operation.parts);
    else if ('partition' in operation) await this.#append(operation.partition, operation.count);
    else if ('count' in operation) await this.#readSome(operation.count);
    else await this.#reopen();
    await this.#check();
  }

  async close(): Promise<void> {
    for (let read = await this.#readSome(100); read > 0;) read = await this.#readSome(100);
    expect(this.#read).toEqual(this.#model);
    await this.#log.close();
  }

  async #append(of: number, count: number): Promise<void> {
    const values = this.#model[of]!;
    const added = Array.from({ length: count }, (_, i) => `${of} ${values.length + i}`.padEnd(50, '.'));
    const appended = await this.#log.append(added.map((value): NewRecord => record('t', KEYS[of]!, value)));
    expect(appended.map(({ offset }) => Number(offset))).toEqual(added.map((_, i) => values.length + i));
    values.push(...added);
  }

  async #readSome(maxRecords: number): Promise<number> {
    const read = placed(await this.#reader.poll({ ...AT_ONCE, maxRecords }));
    for (const one of read) {
      this.#read[one.partition]!.push(text(one.value));
      this.#positions[one.partition] = positionAfter(one, one);
    }
    return read.length;
  }

  async #cut(parts: readonly (number | undefined)[]): Promise<void> {
    const before = parts.flatMap((part, of) => {
      const offset = Math.floor(this.#read[of]!.length * (part ?? 0));
      return part === undefined ? [] : [{ topic: 't', partition: of, offset: BigInt(offset) }];
    });
    await this.#log.cut(before);
    for (const { partition: of, offset } of before) this.#asked[of] = Math.max(this.#asked[of]!, Number(offset));
    const all = this.#model.every(
      (values, of) => Number(before.find((one) => one.partition === of)?.offset) === values.length,
    );
    if (all) this.#begun = this.#model.map((values) => values.length);
  }

  async #reopen(): Promise<void> {
    await this.#log.close();
    this.#log = await EmbeddedEventLog.open({ folder: this.#folder, topics: ['t'] });
    const start = (): Promise<Position[]> => Promise.resolve(this.#positions);
    this.#reader = await this.#log.openReader({ group: 'g', topics: ['t'], start });
  }

  /** What is left is all of the model from the beginnings on, which lie between those of before and what was asked. */
  async #check(): Promise<void> {
    const beginnings = (await this.#log.beginnings(['t'])).map(({ offset }) => Number(offset));
    for (const [of, beginning] of beginnings.entries()) {
      expect(beginning).toBeGreaterThanOrEqual(this.#begun[of]!);
      expect(beginning).toBeLessThanOrEqual(this.#asked[of]!);
    }
    this.#begun = beginnings;
    const left = await scanTopic(this.#log, 't');
    for (const [of, values] of this.#model.entries()) {
      const mine = left.filter((one) => one.partition === of);
      const wanted = values.map((value, offset) => `${offset} ${value}`).slice(beginnings[of]);
      expect(mine.map(({ offset, value }) => `${offset} ${text(value)}`)).toEqual(wanted);
    }
    expect((await this.#log.ends(['t'])).map(({ offset }) => Number(offset))).toEqual(
      this.#model.map(({ length }) => length),
    );
  }
}

test('whatever is appended, cut, opened again and read, nothing above a cut is lost, and a reader sees every record', async () => {
  let cut = 0;
  await fc.assert(
    fc.asyncProperty(cutSteps, async (all) => {
      const run = await Run.start();
      for (const operation of all) await run.apply(operation);
      cut += run.cut;
      await run.close();
    }),
    propertyRun(25),
  );
  // Else nothing was tried.
  expect(cut).toBeGreaterThan(100);
});
