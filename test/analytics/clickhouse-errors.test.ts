import { parseError } from '@clickhouse/client';
import { expect, test } from 'vitest';
import { insertError } from '../../services/analytics/clickhouse-errors.ts';

test.each([
  [
    'Code: 76. DB::ErrnoException: Cannot open file /x/properties.ada%40example%2Ecom.cmrk2: , errno: 24, strerror: Too many open files. (CANNOT_OPEN_FILE)',
    'ClickHouse cannot do it now: 76 CANNOT_OPEN_FILE (EMFILE: too many open files)',
  ],
  [
    'Code: 75. DB::ErrnoException: Cannot write to file /x/data.bin: , errno: 28, strerror: No space left on device. (CANNOT_WRITE_TO_FILE_DESCRIPTOR)',
    'ClickHouse cannot do it now: 75 CANNOT_WRITE_TO_FILE_DESCRIPTOR (ENOSPC: no space left on device)',
  ],
  [
    `Code: 117. DB::Exception: Cannot parse JSON object here: {"a":"errno: 24"}. (INCORRECT_DATA)`,
    'ClickHouse refuses a row: 117 INCORRECT_DATA',
  ],
])('%s is told as it is safe to print', (told, message) => {
  expect(insertError(parseError(told))).toMatchObject({
    message,
    cause: { message: message.replace(/^.*: (?=\d)/, '') },
  });
});
