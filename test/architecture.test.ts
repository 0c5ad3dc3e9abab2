import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

/** `from` imports `to`, both paths from the project's root; a package by its name. */
interface Import {
  readonly from: string;
  readonly to: string;
  readonly kind: 'static' | 'dynamic' | 'type';
}

const IMPORT = /^(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]/gm;
const ROLES = ['ingest', 'reading', 'projector', 'sink', 'audience', 'console'];
const DRIVERS: Record<string, RegExp> = {
  kafkajs: /^services\/event-log\/kafka/,
  '@platformatic/kafka': /^services\/event-log\/kafka/,
  '@kafkajs/confluent-schema-registry': /^services\/schema-registry\/confluent/,
  lmdb: /^services\/event-log\/lmdb/,
  pg: /^services\/database\/postgres/,
  '@electric-sql/pglite': /^services\/database\/pglite/,
  '@clickhouse/client': /^services\/analytics\/(clickhouse|chdb)/,
  chdb: /^services\/analytics\/chdb/,
};

const files = globSync('services/**/*.ts');
const imports = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, type, named, dynamic]) => {
    const target = named ?? dynamic ?? '';
    const to = target.startsWith('.') ? normalize(join(dirname(file), target)) : target;
    return { from: file, to, kind: dynamic ? 'dynamic' : type ? 'type' : 'static' };
  });
}

function folderOf(path: string): string {
  return path.startsWith('services/') ? (path.split('/')[1] ?? '') : '';
}

function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

function show(found: readonly Import[]): string[] {
  return found.map(({ from, to }) => `${from} → ${to}`);
}

describe('the way of the data', () => {
  test('there is code to look at, and its imports are seen', () => {
    expect(files.length).toBeGreaterThan(30);
    expect(imports.some(({ from, to }) => from === 'services/main.ts' && to.startsWith('services/'))).toBe(true);
  });

  test('messages and runtime import no folder of ours but runtime errors', () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        ['messages', 'runtime'].includes(folderOf(from)) &&
        to.startsWith('services/') &&
        folderOf(to) !== folderOf(from) &&
        to !== 'services/runtime/errors.ts',
    );
    expect(show(wrong)).toEqual([]);
  });

  test('messages does no I/O', () => {
    const wrong = imports.filter(
      ({ from, to }) => folderOf(from) === 'messages' && /^node:(net|http|https|child_process|dgram)/.test(to),
    );
    expect(show(wrong)).toEqual([]);
  });

  test('a role never imports another role', () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        ROLES.includes(folderOf(from)) && ROLES.includes(folderOf(to)) && folderOf(from) !== folderOf(to),
    );
    // Reading is the HTTP face of audiences: it hands a question over and gives the answer back.
    expect(show(wrong).filter((line) => !/^services\/reading\/.* → services\/audience\//.test(line))).toEqual([]);
  });

  test('only an open.ts names an adapter, by dynamic import', () => {
    const adapter =
      /^services\/(event-log\/(lmdb|kafka)|schema-registry\/confluent|database\/(pglite|postgres)|analytics\/(clickhouse|chdb))/;
    const wrong = imports.filter(
      ({ from, to, kind }) =>
        kind !== 'type' &&
        adapter.test(to) &&
        folderOf(from) !== folderOf(to) &&
        !(from.endsWith('/open.ts') && kind === 'dynamic'),
    );
    const eager = imports.filter(
      ({ from, to, kind }) => from.endsWith('/open.ts') && adapter.test(to) && kind === 'static',
    );
    expect(show([...wrong, ...eager])).toEqual([]);
  });

  test('a driver is imported in its adapter alone', () => {
    const wrong = imports.filter(({ from, to }) => {
      const home = DRIVERS[packageOf(to)];
      return home !== undefined && !home.test(from);
    });
    expect(show(wrong)).toEqual([]);
  });

  test('only main, the wiring and the command line read the configuration', () => {
    const wrong = imports.filter(
      ({ from, to, kind }) =>
        to === 'services/runtime/config.ts' &&
        kind !== 'type' &&
        !/^services\/(main|wiring\/.*|cli\/.*)\.ts$/.test(from),
    );
    const environment = files.filter((file) => /process\.env/.test(readFileSync(file, 'utf8')));
    expect(show(wrong)).toEqual([]);
    expect(environment.filter((file) => !/^services\/(main|cli\/.*)\.ts$/.test(file))).toEqual([]);
  });

  test('the event log does not know messages', () => {
    const wrong = imports.filter(({ from, to }) => folderOf(from) === 'event-log' && folderOf(to) === 'messages');
    expect(show(wrong)).toEqual([]);
  });

  test('no file is a barrel', () => {
    expect(files.filter((file) => file.endsWith('/index.ts'))).toEqual([]);
  });
});
