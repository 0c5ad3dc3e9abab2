import { describe, expect, test } from 'vitest';
import { hasStrace, tracedAppends } from '../../support/event-log/traced-appends.ts';

describe('an append', () => {
  test.skipIf(!hasStrace())(
    'an append resolves after its pages and then the page that names them are on disk (strace)',
    async () => {
      const calls = await tracedAppends('lmdb');
      const synchronous = /data\.mdb", O_WRONLY\|O_DSYNC[^=]*= (\d+)/.exec(calls.join('\n'))?.[1];
      const kinds = calls.map((call) => kindOf(call, synchronous)).filter((kind) => kind !== undefined);
      const acknowledged = kinds.indexOf('acknowledge');
      expect(kinds.filter((kind) => kind === 'acknowledge').length).toBeGreaterThan(10);
      expect(kinds.slice(acknowledged - 3, acknowledged)).toEqual(['pages', 'flush', 'root']);
      expect(kinds.filter((kind) => kind === 'root').length).toBeGreaterThan(5);
    },
  );
});

/** What a line of strace's means to an append; undefined where nothing. */
function kindOf(call: string, synchronous: string | undefined): string | undefined {
  if (/ write\(1, "t \d/.test(call)) return 'acknowledge';
  if (/ fdatasync\(\d+\)| fdatasync resumed/.test(call)) return 'flush';
  if (call.includes(` pwrite64(${synchronous},`)) return 'root';
  return /iov_len=4096|, 4096, \d+\) *= 4096/.test(call) ? 'pages' : undefined;
}
