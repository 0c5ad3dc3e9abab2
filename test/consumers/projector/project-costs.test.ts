import { expect, test } from 'vitest';
import { changeOf } from '../../../services/consumers/projector/fold.ts';
import { ProjectCosts } from '../../../services/consumers/projector/project-costs.ts';
import { identify, track } from '../../support/messages/messages.ts';

const wide = changeOf(identify({ projectId: 'wide', userId: 'a', traits: `{"text":"${'x'.repeat(100_000)}"}` }));
const small = changeOf(track({ projectId: 'small', userId: 'b' }));

test('a project is slow while its changes took a second of the last, several milliseconds each', () => {
  let now = 0;
  const costs = new ProjectCosts(() => now);

  costs.note([wide, ...Array<typeof small>(100).fill(small)], 3_000);
  const before = [...costs.slow()];
  now = 60_000;

  expect(before).toEqual(['wide']);
  expect([...costs.slow()]).toEqual([]);
});

test('a project of many quick changes is not slow', () => {
  const costs = new ProjectCosts(() => 0);

  costs.note(Array<typeof small>(1_000).fill(small), 4_000);

  expect([...costs.slow()]).toEqual([]);
});

test('a transaction without changes costs nobody anything', () => {
  const costs = new ProjectCosts(() => 0);

  costs.note([], 60_000);

  expect([...costs.slow()]).toEqual([]);
});
