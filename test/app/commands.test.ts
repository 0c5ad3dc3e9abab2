import { expect, test } from 'vitest';
import { commandsOn, groupOf, type StoreName } from '../../services/app/commands.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { createLogger } from '../../services/runtime/logger.ts';

const logger = createLogger('silent', { write: () => undefined });
const call = { report: () => undefined, signal: new AbortController().signal };

/** Finds commands whose stores cannot be opened, and tells which they wanted. */
function finder() {
  const wanted: (readonly StoreName[])[] = [];
  const find = commandsOn({ config: readConfig({}), logger, hasReaders: true }, async (needs) => {
    wanted.push(needs);
    throw new Error('not to be opened');
  });
  return { find, wanted };
}

test('a command opens the stores that it needs when it is carried out, and no others', async () => {
  const { find, wanted } = finder();
  const [list, verify] = [find('project list'), find('verify')];
  expect(wanted).toEqual([]);

  await expect(list?.({}, call)).rejects.toThrow('not to be opened');
  await expect(verify?.({}, call)).rejects.toThrow('not to be opened');

  expect(wanted).toEqual([['database'], ['log', 'codec', 'database', 'analytics']]);
});

test('a command of no group is not found', () => {
  expect(groupOf('projects list')).toBeUndefined();
  expect(finder().find('toString')).toBeUndefined();
});
