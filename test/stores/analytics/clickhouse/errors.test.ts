import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createClient, parseError } from '@clickhouse/client';
import { expect, onTestFinished, test } from 'vitest';
import { insertError } from '../../../../services/stores/analytics/clickhouse/errors.ts';

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

test.each([
  'Code: 159. DB::Exception: Timeout exceeded: elapsed 2 seconds, maximum: 1. (TIMEOUT_EXCEEDED)',
  'Code: 160. DB::Exception: Estimated query execution time (20 seconds) is too long. (TOO_SLOW)',
])('%s is a timeout', (told) => {
  expect(insertError(parseError(told))).toMatchObject({ code: 'STORE_TIMEOUT', retryable: true });
});

test.each([
  'Code: 469. DB::Exception: Constraint `only_good` for table x.track_rows is violated at row 1. (VIOLATED_CONSTRAINT)',
  'Code: 395. DB::Exception: no: while executing FUNCTION throwIf. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)',
])('%s is a refusal of a row', (told) => {
  expect(insertError(parseError(told))).toMatchObject({ code: 'STORE_REJECTED', retryable: false });
});

test('no answer in the time of a request is a timeout, no connection is not', async () => {
  const silent = createServer((socket) => void socket.on('error', () => undefined));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const client = createClient({ url: `http://127.0.0.1:${port}`, request_timeout: 100 });
  onTestFinished(() => client.close());
  const failure = () => client.command({ query: 'SELECT 1' }).catch((error: unknown) => insertError(error));

  expect(await failure()).toMatchObject({ code: 'STORE_TIMEOUT' });
  silent.close();
  await expect.poll(failure).toMatchObject({ code: 'STORE_UNAVAILABLE' });
});
