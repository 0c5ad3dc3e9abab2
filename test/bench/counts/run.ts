/**
 * `node test/bench/counts/run.ts [--events N] [--data FOLDER]`: questions for numbers by day over N synthetic events (10
 * million) of 2 million users, beside the layouts of two peers that hold the last three months. The data is made at the
 * first run and kept.
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
import { madeHistory } from '../audience/data.ts';
import { Figures, median, timesInTurn } from '../figures.ts';
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
/** A property of ten values. */
const SCREEN = `concat(',"screen":"s', toString(intDiv(dice, 1000) % 10), '"')`;
const folder = await madeHistory(given.data, { name: 'counts', events: Number(given.events), more: SCREEN });
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
  for (const [name, took] of await timesInTurn(ways, ROUNDS)) {
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
