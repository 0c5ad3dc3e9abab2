import { expect, test } from 'vitest';
import type { OpenedStores } from '../../services/app/open-stores.ts';
import { allCommands, groupOf } from '../../services/app/commands.ts';
import { readConfig } from '../../services/runtime/config.ts';
import { createLogger } from '../../services/runtime/logger.ts';

const nowhere = new Proxy({}, { get: () => () => undefined });
const config = readConfig({});
const logger = createLogger('silent', { write: () => undefined });
const parts = { log: nowhere, codec: nowhere, database: nowhere, analytics: nowhere } as unknown as OpenedStores;

test('every command of a service is in a group that names the stores it needs', () => {
  const names = Object.keys(allCommands({ ...parts, config, logger }));

  expect(names).toContain('project list');
  for (const name of names) expect(groupOf(name).commands({ ...parts, config, logger })).toHaveProperty([name]);
});

test('an unknown command is refused', () => {
  expect(() => groupOf('projects list')).toThrow(expect.objectContaining({ code: 'COMMAND_INVALID' }) as Error);
});
