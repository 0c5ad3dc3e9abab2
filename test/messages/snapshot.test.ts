import { expect, test } from 'vitest';
import { changeOfSnapshot } from '../../services/consumers/snapshots.ts';
import { mergeChanges } from '../../services/consumers/projector/fold.ts';
import { snapshotParts } from '../../services/messages/snapshot.ts';
import { codec } from '../support/messages/messages.ts';
import { SNAPSHOT } from '../support/messages/sample-messages.ts';

test('a profile that is too large for a record is in several, which together are the profile', () => {
  const version = SNAPSHOT.anonymous?.version ?? '';
  const traits = Array.from({ length: 10_000 }, (_, n) => ({ name: `t${n}`, value: `"${'x'.repeat(300)}"`, version }));
  const whole = { ...SNAPSHOT, traits };

  const parts = snapshotParts(whole);

  expect(parts.length).toBeGreaterThan(5);
  for (const part of parts) expect(codec.encodeSnapshot(part).length).toBeLessThan(500_000);
  const merged = mergeChanges(parts.toReversed().map(changeOfSnapshot));
  expect(merged).toEqual(changeOfSnapshot(whole));
  expect(snapshotParts({ ...whole, traits: [] })).toEqual([{ ...whole, traits: [] }]);
});
