/**
 * `node test/bench/counts/funnels.ts [--events N] [--data FOLDER]`: funnels over N synthetic events (10 million) of 2
 * million users, and the audience that is each funnel's last step. The data is that of `run.ts`.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { microsAt } from '../../../services/messages/timestamp.ts';
import { previewAudience } from '../../../services/questions/audiences.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { countFunnel } from '../../../services/questions/events/funnel.ts';
import { readFunnel } from '../../../services/questions/events/read-funnel.ts';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { PROJECT as KEYED_PROJECT } from '../../support/http/reading-server.ts';
import { madeHistory } from '../audience/data.ts';
import { NOW_MS, PROJECT } from '../audience/shape.ts';
import { Figures, median, timesInTurn } from '../figures.ts';

const ROUNDS = 5;
const LIMITS = { maxMs: 300_000, maxMemoryBytes: 8 * 2 ** 30, maxRowsRead: 2 ** 40 };
const FROM_MANY = ['Page Viewed', 'Event 7', 'Order Completed', 'Event 3', 'Trial Started'];
/** A property of ten values, as `run.ts` has it. */
const SCREEN = `concat(',"screen":"s', toString(intDiv(dice, 1000) % 10), '"')`;

const FUNNELS = {
  'three of 5 % and less, 30 days': { events: FROM_MANY.slice(2), last: '30d' },
  'two, from 40 %, a year': { events: [FROM_MANY[0], FROM_MANY[2]], last: '365d' },
  'three, from 40 %, a year': { events: [FROM_MANY[0], FROM_MANY[2], FROM_MANY[4]], last: '365d' },
  'five, from 40 %, a year': { events: FROM_MANY, last: '365d' },
  'five, from 40 %, a year, by plan': { events: FROM_MANY, last: '365d', split: { trait: 'plan', top: 5 } },
};

const { values: given } = parseArgs({
  options: {
    events: { type: 'string', default: '10000000' },
    data: { type: 'string', default: join(import.meta.dirname, '../../../data/bench') },
  },
});
const folder = await madeHistory(given.data, { name: 'counts', events: Number(given.events), more: SCREEN });
const found = new Figures();
const analytics = await openAnalytics(`chdb:${folder}`);
const context = { projectId: PROJECT, now: microsAt(NOW_MS) };
try {
  for (const [name, { events, last, ...more }] of Object.entries(FUNNELS)) {
    const text = JSON.stringify({ sequence: sequenceOf(events, last), ...more });
    const read = readFunnel({ project: KEYED_PROJECT, text });
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const lastStep = read.value.audiences.at(-1)?.reached ?? '';
    const ways = {
      funnel: async () => (await countFunnel(new QueryBudget(analytics, LIMITS), context, read.value)).tookMs,
      'audience of its last step': async () => previewMs(lastStep),
    };
    for (const [way, run] of Object.entries(ways)) {
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      found.add(`${name}: ${way}`, { processor: [(user + system) / 1000, 'ms'] });
    }
    for (const [way, took] of await timesInTurn(ways, ROUNDS))
      found.add(`${name}: ${way}`, { best: [Math.min(...took), 'ms'], median: [median(took), 'ms'] });
  }
} finally {
  await analytics.close();
}

/** Each within 7 days after the one before. */
function sequenceOf(events: readonly (string | undefined)[], last: string): object {
  const [first, ...others] = events;
  const next = others.reduceRight<object | undefined>(
    (followed_by, event) => ({ event, within: '7d', ...(followed_by && { followed_by }) }),
    undefined,
  );
  return { event: first, within: { last }, followed_by: next };
}

async function previewMs(text: string): Promise<number> {
  const read = readDefinition(JSON.parse(text), { timezone: 'UTC' });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const options = { ...context, sampleSize: 0 };
  return (await previewAudience(new QueryBudget(analytics, LIMITS), read.definition, options)).tookMs;
}
