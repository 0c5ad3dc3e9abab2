import { describe, expect, test } from 'vitest';
import type { LogRecord, PartitionRecords, ScanRange } from '../../../services/event-log/event-log.ts';
import { KAFKA } from '../../../services/event-log/kafka/faults.ts';
import type { Leaders } from '../../../services/event-log/kafka/leaders.ts';
import { KafkaScan } from '../../../services/event-log/kafka/kafka-scan.ts';
import type { Fetched, FetchFrom } from '../../../services/event-log/kafka/wire.ts';
import { placed, values } from '../../support/event-log/event-log.ts';

const at = { topic: 't', partition: 0 };

function recordAt(offset: bigint): LogRecord {
  return { offset, appendedAtMs: 1, key: Buffer.from('k'), value: Buffer.from(`v${offset}`) };
}

/** Scans one partition that begins at 2 and ends at 9, whose every fetch is answered as `answer` says. */
async function scan(
  range: Pick<ScanRange, 'from' | 'to'>,
  answer: (from: FetchFrom) => Partial<Fetched>,
): Promise<{ read: readonly string[]; asked: readonly bigint[]; failure: unknown }> {
  const asked: bigint[] = [];
  const wire = {
    offsets: async (_broker: number, _of: unknown, which: string) => {
      return [{ ...at, error: 0, offset: which === 'earliest' ? 2n : 9n }];
    },
    fetch: async (_broker: number, from: readonly FetchFrom[]): Promise<readonly Fetched[]> => {
      await new Promise((resolve) => setImmediate(resolve));
      asked.push(...from.map(({ offset }) => offset));
      return from.map((one) => ({ ...at, error: 0, records: [], nextOffset: undefined, ...answer(one) }));
    },
  };
  const leaders = {
    of: () => 1,
    group: (all: readonly unknown[]) => new Map([[1, all]]),
    refresh: () => Promise.resolve(),
  } as unknown as Leaders;
  const { signal } = new AbortController();
  const options = { wire, leaders, maxRecords: 2, maxBytes: 1_000, signal, silenceMs: 200 };
  const pieces: PartitionRecords[] = [];
  let failure: unknown;
  try {
    for await (const piece of new KafkaScan(options).read([{ ...at, ...range }])) pieces.push(piece);
  } catch (error) {
    failure = error;
  }
  return { read: values(placed(pieces)), asked, failure };
}

/** A batch that holds these offsets, wherever in it reading begins. */
function batch(...offsets: readonly bigint[]): (from: FetchFrom) => Partial<Fetched> {
  return ({ offset }) => {
    const records = offsets.filter((one) => one >= offset).map(recordAt);
    return { records, nextOffset: offsets.at(-1)! + 1n };
  };
}

describe('a scan', () => {
  test('a scan begins at the first record, and ends at the end known at its start', async () => {
    const { read, asked } = await scan({ from: 0n, to: 100n }, batch(2n, 3n, 8n, 9n, 10n));

    expect(read).toEqual(['v2', 'v3', 'v8']);
    expect(asked[0]).toBe(2n);
  });

  test('a scan skips gaps, including one at its end', async () => {
    const { read, failure } = await scan({ from: 3n, to: 7n }, batch(3n, 5n, 9n));

    expect(failure).toBeUndefined();
    expect(read).toEqual(['v3', 'v5']);
  });

  test('a scan continues after a temporary error', async () => {
    const errors = [KAFKA.LEADER_NOT_AVAILABLE, KAFKA.UNKNOWN_TOPIC_OR_PARTITION];

    const { read } = await scan({ from: 3n, to: 5n }, (from) => {
      const error = errors.shift();
      return error === undefined ? batch(3n, 4n)(from) : { error };
    });

    expect(read).toEqual(['v3', 'v4']);
  });

  test('a scan yields what it can and ends with LOG_REPLACED where later records are out of range', async () => {
    const { read, failure } = await scan({ from: 3n, to: 9n }, (from) => {
      return from.offset === 3n ? batch(3n, 4n)(from) : { error: KAFKA.OFFSET_OUT_OF_RANGE };
    });

    expect(read).toEqual(['v3', 'v4']);
    expect(failure).toMatchObject({ code: 'LOG_REPLACED' });
  });

  test('a scan without records before its end gives up with a retryable error', async () => {
    const { failure } = await scan({ from: 3n, to: 9n }, () => ({}));

    expect(failure).toMatchObject({ code: 'LOG_UNAVAILABLE', retryable: true });
  });

  test('a scan of an empty range reads nothing', async () => {
    const { read, asked } = await scan({ from: 0n, to: 2n }, batch(2n));

    expect([read, asked]).toEqual([[], []]);
  });
});
