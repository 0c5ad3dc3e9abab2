import { describe, expect, test } from 'vitest';
import * as rules from './architecture-rules.ts';
import { looseBudgets, lowered, overBudget, type Budgets } from './architecture-sizes.ts';
import { MAY_IMPORT, ROLES, SHARED } from './architecture-tables.ts';

function treeOf(texts: Readonly<Record<string, string>>): rules.Tree {
  return rules.treeOf(new Map(Object.entries(texts)));
}

function importing(from: string, target: string): rules.Tree {
  return treeOf({ [from]: `import { it } from '${target}';` });
}

/** A file in every folder that must exist. */
const COMPLETE = Object.fromEntries([...ROLES, ...SHARED].map((folder) => [`services/${folder}/it.ts`, '']));

describe('a rule of the imports fails where it is broken:', () => {
  const broken: readonly [string, rules.Rule, rules.Tree, string][] = [
    [
      'a file that does not exist is imported',
      rules.importsAreFound,
      importing('services/http/a.ts', './b.ts'),
      'services/http/a.ts → services/http/b.ts',
    ],
    [
      'a thread runs a file that does not exist',
      rules.importsAreFound,
      treeOf({ 'services/http/a.ts': `new Worker(new URL('./b.ts', import.meta.url))` }),
      'services/http/a.ts → services/http/b.ts',
    ],
    [
      'a file with one class has another name',
      rules.filesAreNamedAfterTheirClass,
      treeOf({ 'services/http/copy.ts': 'export class Sink {}', 'services/http/sink.ts': 'export class SqlSink {}' }),
      'services/http/copy.ts exports Sink',
    ],
    [
      'a part of the console imports the frame',
      rules.consoleImportsWhatItMay,
      importing('console/src/parts/a.tsx', '../frame/b.ts'),
      'console/src/parts/a.tsx → console/src/frame/b.ts',
    ],
    [
      'runtime imports a folder of ours',
      rules.foldersImportWhatTheyMay,
      importing('services/runtime/a.ts', '../messages/b.ts'),
      'services/runtime/a.ts → services/messages/b.ts',
    ],
    [
      'messages imports a store by import()',
      rules.foldersImportWhatTheyMay,
      treeOf({ 'services/messages/a.ts': `await import('../stores/b.ts')` }),
      'services/messages/a.ts → services/stores/b.ts',
    ],
    [
      'a folder is in no table',
      rules.tableHasEveryFolder,
      treeOf({ ...COMPLETE, 'services/new/a.ts': '' }),
      'new is not listed',
    ],
    [
      'the projector imports the sink',
      rules.rolesAreApart,
      importing('services/consumers/projector/a.ts', '../sink/b.ts'),
      'services/consumers/projector/a.ts → services/consumers/sink/b.ts',
    ],
    [
      'a third reader is no role',
      rules.rolesAreComplete,
      treeOf({ ...COMPLETE, 'services/consumers/mailer/a.ts': '' }),
      'consumers/mailer is not listed',
    ],
    [
      'a role that can be started has no folder',
      rules.rolesAreComplete,
      treeOf({ ...COMPLETE, 'services/app/role.ts': `export const ROLES = ['all', 'ingest', 'mailer'] as const;` }),
      'the role mailer has no folder',
    ],
    [
      'an adapter is named outside of open.ts',
      rules.onlyOpenNamesAnAdapter,
      treeOf({ 'services/app/a.ts': `await import('../event-log/embedded/b.ts')` }),
      'services/app/a.ts → services/event-log/embedded/b.ts',
    ],
    [
      'an open.ts imports an adapter before it is called',
      rules.onlyOpenNamesAnAdapter,
      importing('services/event-log/open.ts', './embedded/b.ts'),
      'services/event-log/open.ts → services/event-log/embedded/b.ts',
    ],
    [
      'one adapter imports another',
      rules.onlyOpenNamesAnAdapter,
      importing('services/event-log/kafka/a.ts', '../embedded/b.ts'),
      'services/event-log/kafka/a.ts → services/event-log/embedded/b.ts',
    ],
    [
      'a driver is imported outside of its adapter',
      rules.driversStayInTheirAdapters,
      importing('services/app/a.ts', '@platformatic/kafka'),
      'services/app/a.ts → @platformatic/kafka',
    ],
    [
      'messages opens a connection',
      rules.messagesDoNoIo,
      importing('services/messages/a.ts', 'node:net'),
      'services/messages/a.ts → node:net',
    ],
    [
      'messages logs',
      rules.messagesDoNoIo,
      importing('services/messages/a.ts', '../runtime/logger.ts'),
      'services/messages/a.ts → services/runtime/logger.ts',
    ],
    [
      'a store reads the configuration',
      rules.fewReadTheConfiguration,
      importing('services/stores/a.ts', '../runtime/config.ts'),
      'services/stores/a.ts → services/runtime/config.ts',
    ],
    [
      'a store reads the environment',
      rules.fewReadTheConfiguration,
      treeOf({ 'services/stores/a.ts': 'process.env.HOME' }),
      'services/stores/a.ts reads the environment',
    ],
    [
      'a file only exports others',
      rules.noFileIsABarrel,
      treeOf({ 'services/stores/index.ts': '' }),
      'services/stores/index.ts',
    ],
  ];

  test.each(broken)('%s', (_, rule, tree, violation) => {
    expect(rule(tree)).toEqual([violation]);
  });

  test('a folder of the tables is gone', () => {
    const { 'services/http/it.ts': _, ...others } = COMPLETE;

    expect(rules.tableHasEveryFolder(treeOf(others))).toEqual(['http does not exist']);
    expect(rules.rolesAreComplete(treeOf(others))).toEqual(['http does not exist']);
  });

  test('a thread takes a type from the file that starts it', () => {
    const tree = treeOf({
      'services/app/a.ts': `new Worker(new URL('./b.ts', import.meta.url));\nimport './d.ts';`,
      'services/app/b.ts': `import type { A } from './a.ts';`,
      'services/app/c.ts': `import { a } from './a.ts';`,
      'services/app/d.ts': '',
    });

    expect(rules.filesHaveNoCircle(tree)).toEqual([
      'services/app/a.ts → services/app/b.ts',
      'services/app/b.ts → services/app/a.ts',
    ]);
  });

  test('two folders import each other', () => {
    expect(rules.circlesOf({ ...MAY_IMPORT, stores: ['runtime', 'audience'] })).toEqual(['stores → audience']);
  });
});

test('a tree that breaks no rule has no violations', () => {
  const tree = treeOf({
    ...COMPLETE,
    'services/event-log/kafka/it.ts': `import { open } from '@platformatic/kafka';`,
    'services/event-log/open.ts': `export const open = () => import('./kafka/it.ts');`,
    'services/app/it.ts': `import { open } from '../event-log/open.ts';`,
  });
  const { circlesOf: _, treeOf: __, ...all } = rules;

  for (const rule of Object.values(all)) expect(rule(tree)).toEqual([]);
});

describe('a budget fails where it is exceeded, and where it is loose:', () => {
  const ample: Budgets = {
    filesInFolder: 1,
    importsOfFile: 1,
    linesOfFile: 40,
    filesOfName: 1,
    smallFiles: [],
    phrases: {},
    names: {},
  };
  const LONG = 'let it;\n'.repeat(31);
  const within = treeOf({ 'services/http/a.ts': `import 'x';\n${LONG}` });

  const exceeded: readonly [string, Readonly<Record<string, string>>, string][] = [
    [
      'files of a folder',
      { 'services/http/a.ts': 'import "x";', 'services/http/b.ts': '' },
      'filesInFolder: services/http 2',
    ],
    [
      'imports of a file',
      { 'services/http/a.ts': `import 'x';\nimport 'y';\n` },
      'importsOfFile: services/http/a.ts 2',
    ],
    ['lines of a file', { 'services/http/a.ts': '\n'.repeat(41) }, 'linesOfFile: services/http/a.ts 41'],
    [
      'files of a name',
      { 'services/http/a.ts': 'const it = 1;', 'services/app/a.ts': 'class it {}' },
      'filesOfName: it 2',
    ],
    [
      'small files',
      { 'services/http/a.ts': `import './sub/b.ts';\n${'\n'.repeat(31)}`, 'services/http/sub/b.ts': '' },
      'services/http/sub/b.ts belongs into the one file that imports it',
    ],
    [
      'a phrase in a comment, over the end of a line',
      { 'services/http/a.ts': '/**\n * It is none\n * of ours.\n */' },
      '"none of ours": 1, the budget is 0',
    ],
    ['a phrase in an identifier', { 'services/http/a.ts': 'holdThread();' }, '"hold thread": 1, the budget is 0'],
    ['a phrase in the name of a file', { 'services/http/turnstile.ts': '' }, '"turnstile": 1, the budget is 0'],
    ['a word in a declared name', { 'services/http/a.ts': '  const placeOf = 1;' }, '"place": 1, the budget is 0'],
  ];

  test.each(exceeded)('%s', (_, texts, violation) => {
    expect(overBudget(treeOf(texts), ample)).toContain(violation);
  });

  test('a word in a sentence is no name', () => {
    expect(overBudget(treeOf({ 'services/http/a.ts': '// It takes its place.' }), ample)).toEqual([]);
  });

  test('what is within its budgets has no violations', () => {
    expect([overBudget(within, ample), looseBudgets(within, ample)]).toEqual([[], []]);
  });

  test('each is lowered to what the tree needs, and none is raised', () => {
    const loose: Budgets = {
      ...ample,
      filesInFolder: 2,
      importsOfFile: 2,
      filesOfName: 2,
      smallFiles: ['services/gone.ts'],
      phrases: { turnstile: 1 },
      names: { place: 1 },
    };

    expect(looseBudgets(within, loose)).toHaveLength(6);
    expect(lowered(within, loose)).toEqual(ample);
    expect(lowered(treeOf({ 'services/http/a.ts': 'let placeOf;\nimport "x";' }), ample)).toEqual(ample);
  });
});
