/**
 * `npm run bench:audience [-- --events N] [--data FOLDER]`: three questions, and one of each kind of condition, over N synthetic events (10 million; the
 * figures in the README are of 100 million) of 2 million users, beside the layouts of two peers holding the same. The
 * data is made at the first run and kept.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AnalyticsStore, Query, QueryResult } from '../../../services/stores/analytics/analytics-store.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { compilePreview } from '../../../services/questions/sql/compile.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { Figures, median, timesInTurn } from '../figures.ts';
import { linkedCopy, madeHistory, makeFresh } from './data.ts';
import { PEERS } from './layouts.ts';
import { KINDS } from './kinds.ts';
import { audienceOf, QUESTIONS, type Question } from './questions.ts';
import { NOW_MS, PRODUCTS, PROJECT } from './shape.ts';

const ROUNDS = 5;
const AT_ONCE = [4, 10] as const;
const LIMITS = { maxMs: 120_000, maxMemoryBytes: 8 * 2 ** 30, maxRowsRead: 2 ** 40 };

interface Layout {
  readonly name: string;
  readonly ask: (question: Question) => Query;
}

const LAYOUTS: readonly Layout[] = [{ name: 'tidemark', ask: ourQuery }, ...PEERS];

const { values: given } = parseArgs({
  options: {
    events: { type: 'string', default: '10000000' },
    data: { type: 'string', default: join(import.meta.dirname, '../../../data/bench') },
    // For the second process, which the first starts: chDB opens one folder in a process.
    fresh: { type: 'string' },
  },
});
const events = Number(given.events);
if (!Number.isSafeInteger(events) || events < 1) throw new Error(`${given.events} is no number of events`);
const figures = new Figures();
if (given.fresh === undefined) await merged();
else await withFresh(given.fresh);

async function merged(): Promise<void> {
  const folder = await madeHistory(given.data, {
    name: 'audience-with-products',
    events,
    peers: PEERS,
    more: PRODUCTS,
  });
  await asking(folder, async (store) => {
    for (const question of QUESTIONS) await compare(store, `${question.name}, merged`, queriesFor(question));
    for (const { name, definition, posthog } of KINDS) {
      const peer: [string, Query][] = posthog === null ? [] : [['PostHog', { sql: posthog, params: {} }]];
      await compare(store, name, new Map([['tidemark', queryOf(definition)], ...peer]));
    }
    for (const atOnce of AT_ONCE) await together(store, atOnce);
  });
  const copy = `${folder}-fresh`;
  try {
    await linkedCopy(folder, copy);
    const child = spawn(process.execPath, [import.meta.filename, '--events', `${events}`, '--fresh', copy], {
      stdio: 'inherit',
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    process.exitCode = code ?? 1;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** The same after twenty more inserts that nothing has merged, some of them repeats. */
async function withFresh(folder: string): Promise<void> {
  await asking(folder, async (store) => {
    makeFresh(folder, events, PRODUCTS);
    for (const question of QUESTIONS) await compare(store, `${question.name}, with fresh parts`, queriesFor(question));
  });
}

async function asking(folder: string, ask: (store: AnalyticsStore) => Promise<void>): Promise<void> {
  const store = await openAnalytics(`chdb:${folder}`);
  try {
    await ask(store);
  } finally {
    await store.close();
  }
}

async function compare(store: AnalyticsStore, question: string, queries: ReadonlyMap<string, Query>): Promise<void> {
  const found = new Map<string, QueryResult>();
  const wayOf = ([name, query]: readonly [string, Query]) => {
    const run = async (): Promise<number> => {
      const answer = await store.ask(query, LIMITS);
      found.set(name, answer);
      return answer.tookMs;
    };
    return [name, run] as const;
  };
  for (const [name, times] of await timesInTurn(Object.fromEntries([...queries].map(wayOf)), ROUNDS)) {
    const { rows, rowsRead = NaN, bytesRead = NaN } = found.get(name) ?? { rows: [] };
    figures.add(`${question}: ${name}`, {
      best: [Math.min(...times), 'ms'],
      median: [median(times), 'ms'],
      'rows read': [rowsRead, 'rows'],
      'bytes read': [bytesRead / 2 ** 20, 'MiB'],
      users: [Number(rows[0]?.['count']), 'users'],
    });
  }
}

/** Questions side by side: how long until each is answered, and until the last. */
async function together(store: AnalyticsStore, atOnce: number): Promise<void> {
  const asked = Array.from({ length: atOnce }, (_, index) => QUESTIONS[index % QUESTIONS.length] as Question);
  const begun = performance.now();
  const took = await Promise.all(
    asked.map(async (question) => {
      await store.ask(ourQuery(question), LIMITS);
      return performance.now() - begun;
    }),
  );
  figures.add(`${atOnce} questions at once: tidemark`, {
    median: [median(took), 'ms'],
    longest: [Math.max(...took), 'ms'],
  });
}

function queriesFor(question: Question): ReadonlyMap<string, Query> {
  return new Map(LAYOUTS.map(({ name, ask }) => [name, ask(question)]));
}

function ourQuery(question: Question): Query {
  return queryOf(audienceOf(question));
}

function queryOf(definition: object): Query {
  const read = readDefinition(definition, { timezone: 'UTC' });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return compilePreview(read.definition, { projectId: PROJECT, now: BigInt(NOW_MS) * 1000n, sampleSize: 10 });
}
