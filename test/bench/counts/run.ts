/**
 * `node test/bench/counts/run.ts [--events N] [--data FOLDER]`: questions for numbers by day over N synthetic events (10
 * million) of 2 million users, beside the layouts of two peers that hold the last three months. The data is made at the
 * first run and kept. In turn, round by round, so that what else the machine does meets all alike.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Session } from 'chdb';
import { countEvents } from '../../../services/questions/events/event-counts.ts';
import { readCountsQuestion } from '../../../services/questions/events/read-question.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { microsAt } from '../../../services/messages/timestamp.ts';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import { PROJECT as KEYED_PROJECT } from '../../support/http/reading-server.ts';
import { NOW_MS, PROJECT } from '../audience/shape.ts';
import { Figures, median } from '../figures.ts';
import { madeHistory } from './data.ts';
import { PEERS } from './layouts.ts';
import { bodyOf, type Question, QUESTIONS } from './questions.ts';

const ROUNDS = 9;
const LIMITS = { maxMs: 300_000, maxMemoryBytes: 8 * 2 ** 30, maxRowsRead: 2 ** 40 };

const { values: given } = parseArgs({
  options: {
    events: { type: 'string', default: '10000000' },
    data: { type: 'string', default: join(import.meta.dirname, '../../../data/bench') },
  },
});
const folder = await madeHistory(given.data, Number(given.events));
const figures = new Figures();
const store = await openAnalytics(`chdb:${folder}`);
try {
  await fillPeers(folder);
  for (const question of QUESTIONS) await compare(store, question);
} finally {
  await store.close();
}

async function fillPeers(root: string): Promise<void> {
  const session = new Session(join(root, 'store'));
  try {
    for (const { table, fill } of PEERS) {
      session.query(table);
      const [, name = ''] = /EXISTS (\w+)/.exec(table) ?? [];
      if (session.query(`SELECT count() FROM ${name}`, 'TSV').trim() === '0') await session.queryAsync(fill);
    }
  } finally {
    session.close();
  }
}

async function compare(analytics: AnalyticsStore, question: Question): Promise<void> {
  const ways: Readonly<Record<string, () => Promise<number>>> = {
    'tidemark, days of UTC': () => ask(analytics, question, 'UTC'),
    'tidemark, days of Europe/Berlin': () => ask(analytics, question, 'Europe/Berlin'),
    ...Object.fromEntries(
      PEERS.map((peer) => [
        peer.name,
        async () => (await analytics.ask({ sql: peer.ask(question), params: {} }, LIMITS)).tookMs,
      ]),
    ),
  };
  const times = new Map(Object.keys(ways).map((name): [string, number[]] => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, run] of Object.entries(ways)) {
      const tookMs = await run();
      // The first round brings the files into memory.
      if (round > 0) times.get(name)?.push(tookMs);
    }
  }
  for (const [name, took] of times) {
    figures.add(`${question.name}: ${name}`, { best: [Math.min(...took), 'ms'], median: [median(took), 'ms'] });
  }
}

async function ask(analytics: AnalyticsStore, question: Question, timezone: string): Promise<number> {
  const text = bodyOf(question, timezone);
  const read = readCountsQuestion({ project: KEYED_PROJECT, text });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const context = { projectId: PROJECT, now: microsAt(NOW_MS) };
  const counts = await countEvents(new QueryBudget(analytics, LIMITS), context, read.value);
  return counts?.tookMs ?? NaN;
}
