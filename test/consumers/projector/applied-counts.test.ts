import { expect, test } from 'vitest';
import { countApplied, type AppliedMessage } from '../../../services/consumers/projector/applied-counts.ts';

const ONE: AppliedMessage = { topic: 'tidemark.track', partition: 1, projectId: 'p', hour: 7, isRepeat: false };

test('messages and repeats of one partition, project and hour are one count, wherever they are in the batch', () => {
  const other = { ...ONE, hour: 8 };

  expect(countApplied([ONE, other, { ...ONE, isRepeat: true }, ONE])).toEqual([
    { topic: 'tidemark.track', partition: 1, projectId: 'p', hour: 7, messages: 2, repeats: 1 },
    { topic: 'tidemark.track', partition: 1, projectId: 'p', hour: 8, messages: 1, repeats: 0 },
  ]);
});

test('each of topic, partition, project and hour is counted apart', () => {
  const others = [{ topic: 'tidemark.identify' }, { partition: 2 }, { projectId: 'q' }, { hour: -1 }];

  expect(countApplied([ONE, ...others.map((other) => ({ ...ONE, ...other }))])).toHaveLength(5);
});
