import { expect, test } from 'vitest';
import type { Member } from '../../../services/questions/definition/audience.ts';
import { MovingWhere } from '../../../services/questions/explain/moving-where.ts';
import { readIn } from '../../support/messages/random-history.ts';

const SOON = '{"event":"Bought","where":[{"property":"ends","date":{"next":"7d"}}]}';
const DAY = 86_400_000_000n;
// 2026-11-20T00:00:00Z
const NOW = 1_795_132_800_000_000n;

test('what passes at an instant does not depend on which instants were asked about before', () => {
  const where = whereOf(SOON);
  const moving = new MovingWhere(where, { ends: '2026-11-30T00:00:00Z' }, { location: 'property', now: NOW });
  const instants = [0n, 5n, 11n, 5n, 0n, 3n, 11n, 4n].map((days) => NOW + days * DAY);

  expect(instants.map((now) => moving.passesAt(now))).toEqual([false, true, false, true, false, true, false, true]);
});

function whereOf(text: string): readonly Member[] {
  const read = readIn(text);
  if (!read.ok || read.definition.kind !== 'event') throw new Error('not a condition on an event');
  return read.definition.where;
}
