import { describe, expect, test } from 'vitest';
import { hasStrace, tracedAppends } from '../../../support/event-log/traced-appends.ts';

describe('an append to a log of segments', () => {
  test.skipIf(!hasStrace())(
    'an append resolves after its frame is on disk, and then the head says so (strace)',
    async () => {
      const calls = await tracedAppends();
      const kinds = calls.map(kindOf).filter((kind) => kind !== undefined);
      const acknowledged = kinds.indexOf('acknowledge');
      expect(kinds.filter((kind) => kind === 'acknowledge').length).toBeGreaterThan(10);
      expect(kinds.slice(acknowledged - 3, acknowledged)).toEqual(['frame', 'flush', 'head']);
      expect(kinds.filter((kind) => kind === 'head').length).toBeGreaterThan(5);
    },
  );
});

/** What a line of strace's means to an append; undefined where nothing. */
function kindOf(call: string): string | undefined {
  if (/ write\(1, "t \d/.test(call)) return 'acknowledge';
  if (/ fdatasync\(\d+\)| fdatasync resumed/.test(call)) return 'flush';
  if (call.includes('"TMH1')) return 'head';
  return call.includes('"TMF1') ? 'frame' : undefined;
}
