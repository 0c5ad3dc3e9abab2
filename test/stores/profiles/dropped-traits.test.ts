import { expect, test } from 'vitest';
import { DroppedTraitsWarning } from '../../../services/stores/profiles/dropped-traits.ts';

test('that profiles drop traits is said at the first, and once a minute with what came since', () => {
  const lines: object[] = [];
  let nowMs = 0;
  const warning = new DroppedTraitsWarning({ warn: (told: object) => void lines.push(told) }, () => nowMs);
  const drop = (userKey: string, traits: number): void => warning.note([{ projectId: 'proj_1', userKey, traits }]);

  drop('ada', 5);
  drop('bob', 2);
  nowMs = 59_999;
  drop('bob', 3);
  nowMs = 60_000;
  drop('cyd', 1);

  expect(lines).toEqual([
    { traits: 5, such: { project: 'proj_1', user: 'ada' } },
    { traits: 6, such: { project: 'proj_1', user: 'cyd' } },
  ]);
});
