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
import type { AnalyticsStore, Query } from '../../../services/stores/analytics/analytics-store.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { previewAudience } from '../../../services/questions/audiences.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
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

/** The number of users, and what finding it took. */
interface Asked {
  readonly users: number;
  readonly tookMs: number;
  readonly rowsRead: number;
  /** Unknown of ours, which names some of the users by a second query. */
  readonly bytesRead?: number;
}

type Ask = (store: AnalyticsStore) => Promise<Asked>;

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
    await compareAll(store, 'merged');
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
    await compareAll(store, 'with fresh parts');
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

async function compareAll(store: AnalyticsStore, state: string): Promise<void> {
  for (const question of QUESTIONS) {
    const peers = PEERS.map(({ name, ask }) => [name, asQuery(ask(question))] as const);
    await compare(
      store,
      `${question.name}, ${state}`,
      new Map([['tidemark', asPreview(audienceOf(question))], ...peers]),
    );
  }
  for (const { name, definition, posthog } of KINDS) {
    const peer = posthog === null ? [] : [['PostHog', asQuery({ sql: posthog, params: {} })] as const];
    await compare(store, `${name}, ${state}`, new Map([['tidemark', asPreview(definition)], ...peer]));
  }
}

async function compare(store: AnalyticsStore, question: string, asks: ReadonlyMap<string, Ask>): Promise<void> {
  const found = new Map<string, Asked>();
  const wayOf = ([name, ask]: readonly [string, Ask]) => {
    const run = async (): Promise<number> => {
      const answer = await ask(store);
      found.set(name, answer);
      return answer.tookMs;
    };
    return [name, run] as const;
  };
  for (const [name, times] of await timesInTurn(Object.fromEntries([...asks].map(wayOf)), ROUNDS)) {
    const { rowsRead = NaN, bytesRead, users = NaN } = found.get(name) ?? {};
    figures.add(`${question}: ${name}`, {
      best: [Math.min(...times), 'ms'],
      median: [median(times), 'ms'],
      'rows read': [rowsRead, 'rows'],
      ...(bytesRead === undefined ? {} : { 'bytes read': [bytesRead / 2 ** 20, 'MiB'] as const }),
      users: [users, 'users'],
    });
  }
}

/** Questions side by side: how long until each is answered, and until the last. */
async function together(store: AnalyticsStore, atOnce: number): Promise<void> {
  const questions = Array.from({ length: atOnce }, (_, index) => QUESTIONS[index % QUESTIONS.length] as Question);
  const begun = performance.now();
  const took = await Promise.all(
    questions.map(async (question) => {
      await asPreview(audienceOf(question))(store);
      return performance.now() - begun;
    }),
  );
  figures.add(`${atOnce} questions at once: tidemark`, {
    median: [median(took), 'ms'],
    longest: [Math.max(...took), 'ms'],
  });
}

function asQuery(query: Query): Ask {
  return async (store) => {
    const { rows, ...took } = await store.ask(query, LIMITS);
    return { ...took, users: Number(rows[0]?.['count']) };
  };
}

/** As the service answers it: the count, and some of the users by name. */
function asPreview(definition: object): Ask {
  const read = readDefinition(definition, { timezone: 'UTC' });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return async (store) => {
    const options = { projectId: PROJECT, now: BigInt(NOW_MS) * 1000n, sampleSize: 10 };
    const { count: users, ...took } = await previewAudience(new QueryBudget(store, LIMITS), read.definition, options);
    return { ...took, users };
  };
}
