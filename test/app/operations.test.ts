import { expect, test } from 'vitest';
import type { StoreName } from '../../services/app/open-stores.ts';
import { operationsOn } from '../../services/app/operations.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { createLogger } from '../../services/runtime/logger.ts';
import { emptiedDatabase } from '../support/stores/database.ts';

test('an operation opens the stores that it needs when it is carried out, and no others', async () => {
  const wanted: (readonly StoreName[])[] = [];
  const logger = createLogger('silent', { write: () => undefined });
  const importer = { run: () => Promise.reject(new Error('not to be run')) };
  const own = { config: readConfig({}), logger, hasReaders: true, importer };
  const { imports, generations, jobs } = operationsOn(own, await emptiedDatabase(), async (needs) => {
    wanted.push(needs);
    throw new Error('not to be opened');
  });
  expect(wanted).toEqual([]);

  await expect(imports.check({} as never)).rejects.toThrow('not to be opened');
  await expect(generations.list()).rejects.toThrow('not to be opened');
  const { id } = await jobs.start({ kind: 'dead-letters drop', args: {}, principal: 'local' });
  const ends = [];
  for await (const end of await jobs.follow(id)) ends.push(end);

  expect(ends.at(-1)).toEqual({ failure: { message: 'not to be opened' } });
  expect(wanted).toEqual([['database'], ['log', 'codec', 'database', 'analytics'], ['log', 'codec', 'database']]);
  await jobs.stop();
});
