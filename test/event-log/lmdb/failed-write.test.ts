import { expect, test } from 'vitest';
import { damaged } from '../../../services/event-log/embedded/errors.ts';
import { hasOverrun, isFailedWrite } from '../../../services/event-log/lmdb/errors.ts';

const REFUSED = 'No space left on device: Attempting to write page at position';

test.each([
  ['Input/output error', false],
  [`${REFUSED} 241664, size 4096, blocks 1, buffer sizes 4096 4096 346995248`, false],
  [`${REFUSED} 241664, size 4096, blocks 1, buffer sizes 4096 4096 -1766202864`, true],
  [`${REFUSED} 126156800, size 65536, blocks 12, buffer sizes 4096 4096 1766202864`, true],
])('a note of LMDB about a refused write that is longer than its buffer is an overrun (%s: %s)', (message, overrun) => {
  expect(hasOverrun(new Error(message))).toBe(overrun);
});

test('an error of LMDB itself is a failed write, an error thrown by its caller is not', () => {
  const ofLmdb = Object.assign(new Error('Input/output error'), { code: 5 });
  const ofNode = Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' });

  expect([ofLmdb, ofNode, damaged('broken'), new TypeError('wrong')].map(isFailedWrite)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
