import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { heavyImport, SLOW, testProjects } from './support/unit-tests.ts';

const TREE: Readonly<Record<string, string>> = {
  'test/pure.test.ts': `import { parse } from '../services/parse.ts';\nimport type { Server } from './servers/server.ts';`,
  'test/starts.test.ts': `import { program } from './support/service/program.ts';`,
  'test/asks.test.ts': `import { serverUrl } from './servers/server.ts';`,
  'test/opens.test.ts': `import { open } from '../services/open.ts';`,
  'services/parse.ts': `import { format } from 'node:util';\nimport { parse } from './parse.ts';`,
  'test/support/service/program.ts': `import { spawn } from 'node:child_process';`,
  'services/open.ts': `export const open = async () => (await import('./store.ts')).store;`,
  'services/store.ts': `import { open } from 'chdb';`,
};

function way(file: string): string | undefined {
  return heavyImport(file, (name) => TREE[name] ?? '')?.join(' → ');
}

test('a test that starts processes, opens an embedded store or asks for a server is no unit test', () => {
  expect(way('test/pure.test.ts')).toBeUndefined();
  expect(way('test/starts.test.ts')).toBe('test/starts.test.ts → test/support/service/program.ts → node:child_process');
  expect(way('test/asks.test.ts')).toBe('test/asks.test.ts → test/servers/server.ts');
  expect(way('test/opens.test.ts')).toBe('test/opens.test.ts → services/open.ts → services/store.ts → chdb');
});

test('about half of the test files are unit tests, and the slow ones among the others exist', () => {
  const { unit, embedded } = testProjects();
  expect(unit.length).toBeGreaterThan(100);
  expect(SLOW.filter((file) => !embedded.includes(file))).toEqual([]);
});

test('every test file runs in one project, and what is named long in the one for the night', () => {
  const { unit, embedded, servers, long } = testProjects();

  expect([...unit, ...embedded, ...servers, ...long].toSorted()).toEqual(globSync('test/**/*.test.ts').toSorted());
  expect(long).toContain('test/torture/servers.long.test.ts');
  expect(servers).toContain('test/flow/servers.test.ts');
  expect(embedded).toContain('test/flow/whole-path.test.ts');
});
