import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { blankRecord, isBlank } from '../../../services/event-log/blank.ts';
import type {
  EventLog,
  EventLogOptions,
  LogCopy,
  LogRecord,
  TopicPartition,
} from '../../../services/event-log/event-log.ts';

export interface LogCopyBench {
  /** Opens one and the same log, each time it is called. */
  openCopy(options: EventLogOptions): Promise<LogCopy>;
  openLog(topics: readonly string[]): Promise<EventLog>;
}

/** What every log that is filled with the records of another must do, as its port says. */
export function testLogCopy(name: string, makeBench: () => Promise<LogCopyBench>): void {
  describe(`${name}, a log that is filled with records of another`, () => {
    test('every record is at its offset, with its time, and appends go on behind them', async () => {
      const { bench, topic, at } = await benchOf(makeBench);
      const records = recordsFrom(0n, 3_000);
      await filled(bench, topic, async (log) => {
        for (let from = 0; from < records.length; from += 700) await log.appendAt(at, records.slice(from, from + 700));
      });

      const log = await opened(bench, at.topic);
      const found = await readAll(log, at);
      const [appended] = await log.append([{ topic: at.topic, key: Buffer.from('k'), value: Buffer.from('v') }]);

      expect(found).toEqual(records.map(plain));
      expect(appended?.offset).toBe(appended?.partition === at.partition ? 3_000n : 0n);
    });

    test('a log that was left in the middle goes on at its ends', async () => {
      const { bench, topic, at } = await benchOf(makeBench);
      const records = recordsFrom(0n, 100);
      const first = await bench.openCopy(topic);
      await first.appendAt(at, records.slice(0, 40));
      await first.close();

      const ends = await filled(bench, topic, async (log) => {
        const [end] = (await log.ends(topic.topics)).filter(({ partition }) => partition === at.partition);
        expect(end?.offset).toBe(40n);
        await log.appendAt(at, records.slice(40));
      });

      expect(ends.find(({ partition }) => partition === at.partition)?.offset).toBe(100n);
      expect(await readAll(await opened(bench, at.topic), at)).toEqual(records.map(plain));
    });

    test('a blank record has its offset and time, and no key and value', async () => {
      const { bench, topic, at } = await benchOf(makeBench);
      const records = recordsFrom(0n, 10).map((record, index) => (index % 4 === 0 ? blankRecord(record) : record));
      await filled(bench, topic, (log) => log.appendAt(at, records));

      const log = await opened(bench, at.topic);
      const found: LogRecord[] = [];
      for await (const piece of log.scan([{ ...at, from: 0n, to: 10n }], { withBlank: true }))
        found.push(...piece.records);

      expect(found.map(plain)).toEqual(records.map(plain));
      expect(found.filter(isBlank).map(({ offset }) => offset)).toEqual([0n, 4n, 8n]);
      expect(await readAll(log, at)).toHaveLength(7);
    });

    test('what it holds can be read before it is finished', async () => {
      const { bench, topic, at } = await benchOf(makeBench);
      const records = recordsFrom(0n, 300);
      const log = await bench.openCopy(topic);
      onTestFinished(() => log.close());
      await log.appendAt(at, records);

      const found: LogRecord[] = [];
      for await (const piece of log.scan([{ ...at, from: 100n, to: 300n }])) found.push(...piece.records);

      expect(found.map(plain)).toEqual(records.slice(100).map(plain));
    });

    test('an offset that is left out has no record', async () => {
      const { bench, topic, at } = await benchOf(makeBench);
      const records = [...recordsFrom(5n, 10), ...recordsFrom(20n, 1), ...recordsFrom(9_000n, 2)];
      const ends = await filled(bench, topic, async (log) => {
        await log.appendAt(at, records.slice(0, 11));
        await log.appendAt(at, records.slice(11));
        await log.appendAt(at, [], 9_100n);
      });

      const log = await opened(bench, at.topic);

      expect(ends.find(({ partition }) => partition === at.partition)?.offset).toBe(9_100n);
      expect(await readAll(log, at)).toEqual(records.map(plain));
    });
  });
}

async function benchOf(makeBench: () => Promise<LogCopyBench>) {
  const name = `copied-${randomUUID()}`;
  const topic = { topics: [name], partitions: 2 };
  return { bench: await makeBench(), topic, at: { topic: name, partition: 1 } };
}

async function filled(
  bench: LogCopyBench,
  options: EventLogOptions,
  fill: (log: LogCopy) => Promise<void>,
): Promise<Awaited<ReturnType<LogCopy['ends']>>> {
  const log = await bench.openCopy(options);
  try {
    await fill(log);
    await log.finish();
    return await log.ends(options.topics);
  } finally {
    await log.close();
  }
}

async function opened(bench: LogCopyBench, topic: string): Promise<EventLog> {
  const log = await bench.openLog([topic]);
  onTestFinished(() => log.close());
  return log;
}

/** A year old; a few at each time. */
function recordsFrom(first: bigint, count: number): readonly LogRecord[] {
  const begunMs = Date.UTC(2025, 0);
  return Array.from({ length: count }, (_, index) => ({
    offset: first + BigInt(index),
    appendedAtMs: begunMs + Math.floor(index / 7) * 1_000,
    key: Buffer.from(`key ${index % 5}`),
    value: Buffer.from(`value ${index} ${'x'.repeat(index % 300)}`),
  }));
}

async function readAll(log: EventLog, at: TopicPartition): Promise<readonly object[]> {
  const all: object[] = [];
  for await (const { records } of log.scan([{ ...at, from: 0n, to: 1_000_000n }])) all.push(...records.map(plain));
  return all;
}

function plain({ offset, appendedAtMs, key, value }: LogRecord): object {
  return { offset, appendedAtMs, key: Buffer.from(key).toString(), value: Buffer.from(value).toString() };
}
