import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import budgets from './architecture-budgets.json' with { type: 'json' };
import { importsOf, type Import } from './support/imports.ts';

/** Folders of `services/` in the order of the data's way, each with those whose files its own may import. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  messages: ['runtime'],
  'event-log': ['runtime'],
  stores: ['runtime', 'messages', 'event-log'],
  http: ['runtime', 'messages', 'event-log', 'stores'],
  ingest: ['runtime', 'messages', 'event-log', 'stores', 'http'],
  consumers: ['runtime', 'messages', 'event-log', 'stores'],
  audience: ['runtime', 'messages', 'stores'],
  'query-api': ['runtime', 'messages', 'event-log', 'stores', 'http', 'audience'],
  maintenance: ['runtime', 'messages', 'event-log', 'stores', 'consumers'],
  app: [
    'runtime',
    'messages',
    'event-log',
    'stores',
    'http',
    'ingest',
    'consumers',
    'audience',
    'query-api',
    'maintenance',
  ],
  cli: ['runtime', 'messages', 'stores', 'query-api', 'maintenance', 'app'],
};

/** What runs in a process of its own. They meet in the log and in the stores. */
const ROLES = ['ingest', 'query-api', 'consumers/projector', 'consumers/sink', 'audience'];

/** Folders of adapters. Only an `open.ts` outside of them imports from them, when it is called. */
const ADAPTERS = [
  'event-log/lmdb',
  'event-log/kafka',
  'stores/database/pglite',
  'stores/database/postgres',
  'stores/analytics/chdb',
  'stores/analytics/clickhouse',
];

/** What the messages' bytes need of a server: apart from the vocabulary, which does no I/O. */
const REGISTRY = 'services/messages/registry';

const DRIVERS: Readonly<Record<string, RegExp>> = {
  kafkajs: /^services\/event-log\/kafka\//,
  '@platformatic/kafka': /^services\/event-log\/kafka\//,
  '@kafkajs/confluent-schema-registry': /^services\/messages\/registry\//,
  lmdb: /^services\/event-log\/lmdb\//,
  pg: /^services\/stores\/database\/postgres\//,
  '@electric-sql/pglite': /^services\/stores\/database\/pglite\//,
  '@clickhouse/client': /^services\/stores\/analytics\/(clickhouse|chdb)\//,
  chdb: /^services\/stores\/analytics\/chdb\//,
};

const files = globSync('services/**/*.ts').sort();
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
const imports = files.flatMap((file) => importsOf(file, texts.get(file) ?? ''));

/** `stores/database` of a file below it, '' of `main.ts` and of packages. */
function placeOf(path: string): string {
  return path.startsWith('services/') ? dirname(path).slice('services/'.length) : '';
}

/** The first folder below `services/`. */
function folderOf(path: string): string {
  return placeOf(path).split('/')[0] ?? '';
}

/** The entry of `list` that the path lies in. */
function within(path: string, list: readonly string[]): string | undefined {
  return list.find((entry) => path.startsWith(`services/${entry}/`));
}

function packageOf(target: string): string {
  const parts = target.split('/');
  return parts.slice(0, target.startsWith('@') ? 2 : 1).join('/');
}

function show(found: readonly Import[]): string[] {
  return found.map(({ from, to }) => `${from} → ${to}`);
}

describe('the imports', () => {
  test('every import that names a file of ours finds it', () => {
    expect(files.length).toBeGreaterThan(30);
    expect(imports.some(({ from, to }) => from === 'services/main.ts' && to.startsWith('services/'))).toBe(true);
    expect(imports.some(({ kind }) => kind === 'url')).toBe(true);
    expect(show(imports.filter(({ to }) => to.startsWith('services/') && !existsSync(to)))).toEqual([]);
  });

  test('a folder imports only what its line of the table names, and the table names every folder', () => {
    const folders = [...new Set(files.map(folderOf))].filter((folder) => folder !== '');
    expect(folders.sort()).toEqual(Object.keys(MAY_IMPORT).sort());
    const wrong = imports.filter(({ from, to }) => {
      const [own, other] = [folderOf(from), folderOf(to)];
      return own !== '' && other !== '' && own !== other && !MAY_IMPORT[own]?.includes(other);
    });
    expect(show(wrong)).toEqual([]);
  });

  test('the table has no circle', () => {
    const seen = new Set<string>();
    for (const [folder, allowed] of Object.entries(MAY_IMPORT)) {
      expect(allowed.filter((other) => !seen.has(other))).toEqual([]);
      seen.add(folder);
    }
  });

  test('a role imports no other role', () => {
    const wrong = imports.filter(({ from, to }) => {
      const [own, other] = [within(from, ROLES), within(to, ROLES)];
      // The query API is the HTTP face of audiences.
      return own && other && own !== other && !(own === 'query-api' && other === 'audience');
    });
    expect(show(wrong)).toEqual([]);
  });

  test('only an open.ts names an adapter, and only when it is called', () => {
    const wrong = imports.filter(({ from, to, kind }) => {
      const adapter = within(to, ADAPTERS);
      if (adapter === undefined || kind === 'type' || within(from, ADAPTERS) === adapter) return false;
      return !(from.endsWith('/open.ts') && kind === 'dynamic');
    });
    // chDB speaks through the client of ClickHouse's own adapter.
    expect(
      show(wrong).filter(
        (line) => !/^services\/stores\/analytics\/chdb\/.* → services\/stores\/analytics\/clickhouse\//.test(line),
      ),
    ).toEqual([]);
  });

  test('a driver is imported in its adapter alone', () => {
    const wrong = imports.filter(({ to }) => DRIVERS[packageOf(to)] !== undefined);
    expect(wrong.length).toBeGreaterThan(8);
    expect(show(wrong.filter(({ from, to }) => !DRIVERS[packageOf(to)]?.test(from)))).toEqual([]);
  });

  test('messages does no I/O, and no more than errors and types of runtime come into it', () => {
    const own = imports.filter(({ from }) => folderOf(from) === 'messages' && !from.startsWith(REGISTRY));
    const io = own.filter(({ to }) => /^node:(net|http|https|child_process|dgram|tls)/.test(to));
    const runtime = own.filter(({ to }) => folderOf(to) === 'runtime' && to !== 'services/runtime/errors.ts');
    expect(show([...io, ...runtime])).toEqual([]);
  });

  test('only main, app and the command line read the configuration', () => {
    const wrong = imports.filter(
      ({ from, to, kind }) =>
        to === 'services/runtime/config.ts' && kind !== 'type' && !/^services\/(main|app\/.*|cli\/.*)\.ts$/.test(from),
    );
    const environment = files.filter((file) => /process\.env/.test(texts.get(file) ?? ''));
    expect(show(wrong)).toEqual([]);
    expect(environment.filter((file) => !/^services\/(main|cli\/.*)\.ts$/.test(file))).toEqual([]);
  });
});

describe('the size of things', () => {
  /** Of every name the files that `list` has of it, where there are more than `most`. */
  function over(list: ReadonlyMap<string, number>, most: number): string[] {
    return [...list].filter(([, count]) => count > most).map(([name, count]) => `${name}: ${count}`);
  }

  function countBy<T>(list: readonly T[], keyOf: (item: T) => string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const item of list) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
    return counts;
  }

  test('no folder has more files, no file more lines or imports than the budget', () => {
    const lines = new Map(files.map((file) => [file, (texts.get(file) ?? '').split('\n').length - 1]));
    expect(over(countBy(files, dirname), budgets.filesInFolder)).toEqual([]);
    expect(
      over(
        countBy(imports, ({ from }) => from),
        budgets.importsOfFile,
      ),
    ).toEqual([]);
    expect(over(lines, budgets.linesOfFile)).toEqual([]);
  });

  test('a budget that could be lower is lowered', () => {
    const most = (counts: ReadonlyMap<string, number>): number => Math.max(...counts.values());
    const imported = countBy(imports, ({ from }) => from);
    expect(budgets.filesInFolder).toBe(most(countBy(files, dirname)));
    expect(budgets.importsOfFile).toBe(most(imported));
    expect(budgets.filesInFolder).toBeLessThanOrEqual(25);
    expect(budgets.linesOfFile).toBeLessThanOrEqual(300);
  });

  test('a file of 30 lines or less that one file imports is part of that file', () => {
    const importers = new Map<string, Set<string>>();
    for (const { from, to } of imports) importers.set(to, (importers.get(to) ?? new Set()).add(from));
    const small = files.filter(
      (file) => (texts.get(file) ?? '').split('\n').length <= 31 && importers.get(file)?.size === 1,
    );
    expect(small.filter((file) => !(budgets.smallFiles as readonly string[]).includes(file))).toEqual([]);
    expect((budgets.smallFiles as readonly string[]).filter((file) => !small.includes(file))).toEqual([]);
  });

  test('no top-level name stands in more than two files', () => {
    const DECLARED = /^(?:export )?(?:async )?(?:function\*?|class|const|let|interface|type) ([\w$]+)/gm;
    const names = files.flatMap((file) => [
      ...new Set([...(texts.get(file) ?? '').matchAll(DECLARED)].map(([, name]) => name ?? '')),
    ]);
    expect(over(countBy(names, String), budgets.filesOfName)).toEqual([]);
  });

  test('no file is a barrel', () => {
    expect(files.filter((file) => basename(file) === 'index.ts')).toEqual([]);
  });
});
