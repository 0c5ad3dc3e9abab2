import { describe, expect, test } from 'vitest';
import type { Track } from '../../../services/messages/message.ts';
import { ask, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { EMBEDDED, sharedAnalytics } from '../../support/stores/analytics-stores.ts';
import { Dice } from '../../torture/dice.ts';

const INSERTS = 6;
const PER_INSERT = 2_000;
const NAMES = 100_000;
const PER_EVENT = 50;
// It takes some 130 MiB; where every name is written for every block of rows 1,500.
const MOST_BYTES = 220 * 2 ** 20;

describe.each([EMBEDDED])('events of very many properties ($name)', (tested) => {
  const analytics = sharedAnalytics(tested);
  const maker = new MessageMaker();
  const dice = new Dice(1);

  function event(): Track {
    const names = Array.from({ length: PER_EVENT }, () => `property_${dice.between(1, NAMES)}`);
    return maker.track({ properties: JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))) });
  }

  /** The most memory that a merge of events was seen to take until this is done. */
  async function mostOfMerges(work: Promise<unknown>): Promise<number> {
    const watched = new AbortController();
    let most = 0;
    const done = work.finally(() => watched.abort());
    while (!watched.signal.aborted) {
      const sql = `SELECT max(memory_usage) AS bytes FROM system.merges WHERE table = 'track_rows'`;
      const [row] = await ask<{ bytes: string }>(analytics().store, sql);
      most = Math.max(most, Number(row?.bytes));
    }
    await done;
    return most;
  }

  test('a merge of events of 100,000 property names takes bounded memory', async () => {
    for (let n = 0; n < INSERTS; n++)
      await insert(analytics().store, Array.from({ length: PER_INSERT }, event), BigInt(n * PER_INSERT));

    const most = await mostOfMerges(analytics().byHand('OPTIMIZE TABLE track_rows FINAL'));

    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(MOST_BYTES);
    const [counted] = await ask<{ n: string }>(analytics().store, 'SELECT count() AS n FROM events');
    expect(Number(counted?.n)).toBe(INSERTS * PER_INSERT);
  }, 240_000);
});
