import { describe, expect, test } from 'vitest';
import { KeptAnswers } from '../../services/questions/kept-answers.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';
import type { NewestErasure } from '../../services/stores/erasures/erasure.ts';

function kept() {
  const now = { ms: 0, newest: null as NewestErasure | null, isAway: false, asked: 0 };
  const answers = new KeptAnswers<number>({
    keptMs: 30_000,
    monotonicMs: () => now.ms,
    newestErasure: async () => {
      if (now.isAway) throw new TidemarkError('STORE_UNAVAILABLE', 'as ordered');
      return now.newest;
    },
  });
  const ask = () => answers.of(['p'], async () => ({ answer: (now.asked += 1), entries: 1 }));
  return { now, ask };
}

describe('answers that are kept', () => {
  test('one is found once for many who ask, until its time is over', async () => {
    const { now, ask } = kept();

    expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
    now.ms = 29_999;
    expect(await ask()).toBe(1);
    now.ms = 30_000;
    expect(await ask()).toBe(2);
  });

  test('one from before an erasure is not given after it, nor one from while it is under way', async () => {
    const { now, ask } = kept();
    await ask();

    now.newest = { state: 'pending', requestedAt: 5n };
    expect(await ask()).toBe(2);
    now.ms = 2_000;
    expect(await ask()).toBe(3);
    now.newest = { state: 'done', requestedAt: 5n };
    expect(await ask()).toBe(4);
    now.ms = 31_999;
    expect(await ask()).toBe(4);
    now.newest = { state: 'pending', requestedAt: 6n };
    expect(await ask()).toBe(5);
  });

  test('one is given where nobody can say whether there was an erasure', async () => {
    const { now, ask } = kept();
    await ask();
    now.isAway = true;

    expect(await ask()).toBe(1);
    now.ms = 30_000;
    expect(await ask()).toBe(2);
  });
});
