import { describe, expect, test } from 'vitest';
import { SmallDisk } from '../torture/disks/small-disk.ts';
import { fillTheDisk } from './full-disk.ts';

describe.skipIf(!SmallDisk.canMount)('the embedded service on a disk that somebody else fills', () => {
  test(
    'the service answers 200 or 503, loses and doubles nothing, goes on once there is room, and stops',
    { timeout: 240_000 },
    async () => {
      const { answers, recoveredMs, ...outcome } = await fillTheDisk('tmpfs', 15);

      expect(Object.keys(answers)).toEqual(['200', '503']);
      expect(recoveredMs).toBeDefined();
      expect(outcome).toMatchObject({ exitCode: 0, lost: 0, doubled: 0 });
    },
  );

  test(
    'the service stops while the disk is full, and all that it answered 200 is in the log',
    { timeout: 240_000 },
    async () => {
      const outcome = await fillTheDisk('tmpfs', 8, { stopWhileFull: true });

      expect(outcome).toMatchObject({ exitCode: 0, lost: 0, doubled: 0 });
      expect(outcome.answers).toMatchObject({ 200: expect.any(Number), 503: expect.any(Number) });
    },
  );
});
