import { expect, test } from 'vitest';
import { mayRunJobs } from '../../services/app/projects.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';

const lost = new TidemarkError('STORE_UNAVAILABLE', 'the connection was lost, as ordered');
const linesOfLog: object[] = [];
const logger = { warn: (line: object) => void linesOfLog.push(line) };

test('a process of ingest waits for a database that is lost when it asks whether it may run jobs', async () => {
  let queries = 0;
  const query = async <R>() => {
    if (queries++ === 0) throw lost;
    return [{ may: true }] as R[];
  };

  expect(await mayRunJobs({ database: { query }, logger }, new AbortController().signal)).toBe(true);
  expect(queries).toBe(2);
  expect(linesOfLog).toEqual([{ err: lost }]);
});

test('a process of ingest that is stopped before the database answers ends by that, and not by the loss', async () => {
  const stopping = new AbortController();
  const query = async (): Promise<never> => {
    stopping.abort();
    throw lost;
  };

  await expect(mayRunJobs({ database: { query }, logger }, stopping.signal)).rejects.toMatchObject({
    code: 'STOPPING',
  });
});
