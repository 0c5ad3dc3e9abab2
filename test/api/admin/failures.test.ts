import { expect, test } from 'vitest';
import { refusalOfFailure } from '../../../services/api/admin/failures.ts';

test.each([
  ['BACKUP_UNAVAILABLE', 'unavailable'],
  ['LOG_NEWER', 'unavailable'],
  ['STORE_UNAVAILABLE', 'unavailable'],
  ['PROJECT_UNKNOWN', 'not-found'],
  ['LOG_DAMAGED', 'internal'],
] as const)('an operator is told of %s as %s, with the code', (code, refused) => {
  expect(refusalOfFailure({ code, message: 'why' }, 'POST')).toEqual({ refused, detail: 'why', errorCode: code });
});
