import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { Dice } from '../torture/dice.ts';
import { flipBits } from './flips.ts';
import { killUnread, killWriters } from './kills.ts';

describe('a log of segments', { timeout: 300_000 }, () => {
  test('a log of segments that loses its writers at any moment and at steps of their work has every acknowledged record, once', async () => {
    const dice = new Dice(Date.now());

    const { kills, acknowledged, lost, wrong, steps } = await killWriters(await temporaryFolder(), {
      kills: 60,
      dice,
      after: () => undefined,
    });

    expect({ kills, lost, wrong }).toEqual({ kills: 60, lost: [], wrong: [] });
    expect(acknowledged).toBeGreaterThan(60);
    expect(Object.keys(steps).toSorted()).toEqual(['any', 'cut', 'erase', 'seal']);
  });

  test('a writer whose lines nobody reads deletes only what it has said', async () => {
    const { acknowledged, lost, wrong } = await killUnread(await temporaryFolder(), 60);

    expect({ lost, wrong }).toEqual({ lost: [], wrong: [] });
    expect(acknowledged).toBeGreaterThan(60);
  });

  test('a log of segments in which one bit has changed gives out no wrong record, and names those that it has lost', async () => {
    const { named, wrong } = flipBits(await temporaryFolder(), { flips: 200, dice: new Dice(Date.now()) });

    expect(wrong).toEqual([]);
    expect(named).toBeGreaterThan(0);
  });
});
