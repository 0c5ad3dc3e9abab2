import { describe, expect, test, vi } from 'vitest';
import type { AnalyticsWriter, IngestedRange, Rows } from '../../../services/stores/analytics/analytics-store.ts';
import { DEAD_LETTER_TOPIC } from '../../../services/messages/message.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { ask, MessageMaker } from '../../support/stores/analytics.ts';
import { codec, sinkBench } from '../../support/service/sink.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const PATIENCE = { timeout: 20_000, interval: 10 };
const TRACKS = { topic: 'tidemark.track', partition: 0 };

describe.each(await testedAnalytics())('$name', (tested) => {
  const bench = sinkBench(tested);

  function caughtUp(): Promise<void> {
    return vi.waitFor(async () => expect(await bench().hasCaughtUp()).toBe(true), PATIENCE);
  }

  async function eventIds(): Promise<string[]> {
    const rows = await ask<{ message_id: string }>(
      bench().analytics.store,
      'SELECT message_id FROM events ORDER BY message_id',
    );
    return rows.map((row) => row.message_id);
  }

  /** Runs a sink up to the insert for which `dies` says so, which does not come back; then it is gone. */
  async function runUntilItDies(dies: (ranges: readonly IngestedRange[]) => boolean, after = false): Promise<void> {
    const { promise: dying, resolve } = Promise.withResolvers<void>();
    bench().analytics.before = async (ranges, rows) => {
      if (!dies(ranges)) return;
      if (after) await bench().analytics.store.insert(ranges, rows);
      resolve();
      throw new TidemarkError('STORE_UNAVAILABLE', 'the process dies here');
    };
    const sink = bench().run();
    await dying;
    await sink.stop();
    bench().analytics.before = () => undefined;
    bench().inserts.length = 0;
  }

  test.each([
    ['before the rows', (ranges: readonly IngestedRange[]) => ranges.length === 0, false],
    ['after the rows', (ranges: readonly IngestedRange[]) => ranges.length === 0, true],
    ['before the ranges are noted', (ranges: readonly IngestedRange[]) => ranges.length > 0, false],
    ['after the ranges are noted', (ranges: readonly IngestedRange[]) => ranges.length > 0, true],
  ])(
    'after a crash %s the same range is inserted again with the same rows, and counts once',
    async (_, dies, after) => {
      const maker = new MessageMaker();
      const traits = maker.identify({ messageId: 'i', traits: '{"plan":"pro"}' });
      bench().put([
        maker.track({ messageId: 'a' }),
        maker.track({ messageId: 'b' }),
        traits,
        { ...traits, traits: '{"plan":"x"}' },
      ]);
      await runUntilItDies(dies, after);
      const before = rowsOfFirstInsert();
      bench().put([maker.track({ messageId: 'c' }), maker.identify({ messageId: 'j', traits: '{"age":7}' })]);
      bench().analytics.calls.length = 0;

      bench().run();
      await caughtUp();

      expect([...before.keys()].sort()).toEqual(['identify_rows', 'track_rows', 'trait_rows', 'user_rows']);
      expect(rowsOfFirstInsert()).toEqual(before);
      expect(bench().inserts.map(({ messages }) => messages)).toEqual([3, 2]);
      expect(await eventIds()).toEqual(['a', 'b', 'c']);
      expect(await ask(bench().analytics.store, 'SELECT traits FROM profiles')).toEqual([
        { traits: '{"age":7,"plan":"pro"}' },
      ]);
    },
  );

  /** Rows of the messages and of their users, which are inserted at once: either may come first. */
  function rowsOfFirstInsert(): Rows {
    const withRows = bench().analytics.calls.filter(({ rows }) => rows.size > 0);
    return new Map(withRows.slice(0, 2).flatMap(({ rows }) => [...rows]));
  }

  test('dead letters that a crash kept from being written are written by the next process', async () => {
    bench().log.put('tidemark.track', 0, { key: Buffer.from('k'), value: Buffer.from('no message') });
    await runUntilItDies((ranges) => ranges.length > 0, true);
    expect(bench().log.records(DEAD_LETTER_TOPIC, 0)).toHaveLength(0);

    bench().run();
    await caughtUp();

    const letters = bench().log.records(DEAD_LETTER_TOPIC, 0);
    expect(letters.map(({ value }) => codec.decodeDeadLetter(value).offset)).toEqual([0n]);
  });

  test('what analytics lost of what the plans say it holds is inserted again', async () => {
    const maker = new MessageMaker();
    bench().put([maker.track({ messageId: 'a' })]);
    let sink = bench().run();
    await caughtUp();
    bench().put([maker.track({ messageId: 'b' })]);
    await caughtUp();
    await sink.stop();
    const [end] = await bench().analytics.store.ingestedUpTo([TRACKS]);

    // As a backup taken after the first insert would have it.
    const backup = await olderBackup();
    sink = bench().run({ analytics: backup });
    await vi.waitFor(() => expect(bench().lines.some((line) => line.includes('lost a range'))).toBe(true), PATIENCE);
    await caughtUp();

    expect(await backup.ingestedUpTo([TRACKS])).toEqual([end]);
    expect(backup.calls.flatMap(({ rows }) => rows.get('track_rows') ?? [])).toHaveLength(1);

    async function olderBackup(): Promise<AnalyticsWriter & { readonly calls: readonly { readonly rows: Rows }[] }> {
      const { analytics } = bench();
      const first = analytics.calls.flatMap(({ ranges }) => ranges).find(({ from }) => from === 0n);
      let restored = first?.to;
      const calls: { rows: Rows }[] = [];
      return {
        calls,
        insert: async (ranges: readonly IngestedRange[], rows: Rows) => {
          calls.push({ rows });
          await analytics.store.insert(ranges, rows);
          restored = ranges.at(-1)?.to ?? restored;
        },
        keepJoins: async () => [],
        ingestedUpTo: async () => (restored ? [restored] : []),
        compactIngested: async () => undefined,
      };
    }
  });

  test('a log that does not hold the planned range any more is not taken for it', async () => {
    const maker = new MessageMaker();
    bench().put([maker.track({ messageId: 'a' })]);
    await runUntilItDies((ranges) => ranges.length === 0);
    bench().log.records('tidemark.track', 0).length = 0;
    bench().put([maker.track({ messageId: 'another' })]);

    const sink = bench().run();

    await expect(sink.failed).rejects.toMatchObject({ code: 'LOG_REPLACED' });
    expect(await eventIds()).toEqual([]);
  });
});
