import { expect, test } from 'vitest';
import { Pace } from './pace.ts';
import { planFaults } from './schedule.ts';

const OPTIONS = {
  forMs: 60_000,
  kills: 20,
  others: 50,
  targets: [
    { name: 'service', kinds: ['kill', 'pause', 'clock'] },
    { name: 'disk', kinds: ['disk slow'] },
  ],
} as const;

test('a seed gives the same faults every time, and another seed others', () => {
  expect(planFaults({ ...OPTIONS, seed: 1 })).toEqual(planFaults({ ...OPTIONS, seed: 1 }));
  expect(planFaults({ ...OPTIONS, seed: 1 })).not.toEqual(planFaults({ ...OPTIONS, seed: 2 }));
});

test('there are as many faults as asked for, in the order of their time, each of a kind that its target knows', () => {
  const faults = planFaults({ ...OPTIONS, seed: 1 });

  expect(faults.filter(({ kind }) => kind === 'kill')).toHaveLength(OPTIONS.kills);
  expect(faults).toHaveLength(OPTIONS.kills + OPTIONS.others);
  expect(faults.map(({ atMs }) => atMs)).toEqual(faults.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
  for (const { target, kind } of faults) {
    expect(OPTIONS.targets.find(({ name }) => name === target)?.kinds).toContain(kind);
  }
});

test('a schedule that waits while nobody is answered goes on once it has waited as long as it may', async () => {
  const pace = new Pace({ answeredAt: -Infinity }, 0, 30);

  await expect(pace.reached(50)).resolves.toBeUndefined();
});
