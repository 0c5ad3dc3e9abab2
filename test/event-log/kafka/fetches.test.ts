import { describe, expect, onTestFinished, test } from 'vitest';
import type { LogRecord } from '../../../services/event-log/event-log.ts';
import { identityOf } from '../../../services/event-log/identity.ts';
import { KAFKA } from '../../../services/event-log/kafka/faults.ts';
import { Fetches } from '../../../services/event-log/kafka/fetches.ts';
import type { Leaders } from '../../../services/event-log/kafka/leaders.ts';
import type { FetchStart } from '../../../services/event-log/start.ts';
import type { Fetched, FetchFrom } from '../../../services/event-log/kafka/wire.ts';
import { text, until } from '../../support/event-log/event-log.ts';

const at = { topic: 't', partition: 0 };

function recordAt(offset: bigint, value = `v${offset}`): LogRecord {
  return { offset, appendedAtMs: 1, key: Buffer.from('k'), value: Buffer.from(value) };
}

/** Reads ahead of one partition, whose every fetch is answered as `answer` says. */
function fetchesOf(
  entry: FetchStart,
  answer: (from: FetchFrom) => Partial<Fetched>,
): { fetches: Fetches; asked: bigint[] } {
  const asked: bigint[] = [];
  const wire = {
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
  };
  const fetches = new Fetches({ wire, leaders: leaders as unknown as Leaders }, [entry], () => undefined);
  onTestFinished(() => fetches.stop());
  return { fetches, asked };
}

describe('reading ahead', () => {
  test('reading ahead stops when the buffer is full, and continues when it is drained', async () => {
    const big = 'x'.repeat(1_000_000);
    const { fetches, asked } = fetchesOf({ ...at, from: 0n }, ({ offset }) => {
      return { records: [recordAt(offset, big)], nextOffset: offset + 1n };
    });
    const [place] = fetches.buffers;
    await until(() => !place!.isBusy && place!.bufferedBytes > 2_000_000);
    const held = asked.length;
    expect(place!.bufferedBytes).toBeLessThan(4_000_000);
    fetches.pump();
    expect(place!.isBusy).toBe(false);

    place!.records.length = place!.bufferedBytes = 0;
    fetches.pump();

    await until(() => asked.length > held);
    expect(asked).toEqual(asked.map((_, i) => BigInt(i)));
  });

  test('the record before the position is compared and not delivered', async () => {
    const identity = identityOf(recordAt(4n));
    const { fetches } = fetchesOf({ ...at, from: 4n, identity }, ({ offset }) =>
      offset === 4n ? { records: [recordAt(4n), recordAt(5n)], nextOffset: 6n } : {},
    );

    await until(() => fetches.buffers[0]!.records.length > 0);

    expect(fetches.buffers[0]!.records.map(({ value }) => text(value))).toEqual(['v5']);
  });

  test.each([
    ['another record', [recordAt(4n, 'other'), recordAt(5n)]],
    ['a gap', [recordAt(5n)]],
  ])('a position with %s before it is a permanent failure', async (_, records) => {
    const identity = identityOf(recordAt(4n));
    const { fetches } = fetchesOf({ ...at, from: 4n, identity }, () => ({ records, nextOffset: 6n }));

    await until(() => fetches.failure !== undefined);

    expect(fetches.failure).toMatchObject({ code: 'LOG_REPLACED' });
    expect(fetches.buffers[0]!.records).toEqual([]);
  });

  test('a position out of range is a permanent failure', async () => {
    const { fetches } = fetchesOf({ ...at, from: 4n }, () => ({ error: KAFKA.OFFSET_OUT_OF_RANGE }));

    await until(() => fetches.failure !== undefined);

    expect(fetches.failure).toMatchObject({ code: 'LOG_REPLACED' });
  });

  test('reading ahead continues after a temporary error', async () => {
    const errors = [KAFKA.LEADER_NOT_AVAILABLE, KAFKA.UNKNOWN_TOPIC_OR_PARTITION];
    const { fetches } = fetchesOf({ ...at, from: 0n }, ({ offset }) => {
      const error = errors.shift();
      if (error !== undefined) return { error };
      return offset === 0n ? { records: [recordAt(0n)], nextOffset: 1n } : {};
    });

    await until(() => fetches.buffers[0]!.records.length === 1);

    expect(fetches.trouble).toBeUndefined();
  });

  test('records of control batches are skipped', async () => {
    const { fetches, asked } = fetchesOf({ ...at, from: 0n }, ({ offset }) => {
      if (offset === 0n) return { records: [], nextOffset: 3n };
      return offset === 3n ? { records: [recordAt(3n)], nextOffset: 4n } : {};
    });

    await until(() => fetches.buffers[0]!.records.length === 1);

    expect(asked.slice(0, 2)).toEqual([0n, 3n]);
  });
});
