/**
 * Live audiences under load: from a message that is posted until a waiting client has the change, and from the instant at
 * which somebody's time is over until then; beside the same load where the same audiences are evaluated every hour, in turn.
 * `BENCH_LIVE=rate=50,audiences=20,seconds=20,changes=10` makes it smaller, `hourly=0` leaves out what it is compared with,
 * and with `anonymous=2` a fifth of the messages of known users come by an anonymous id.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceProcess } from '../../support/service/service.ts';
import { cpuSecondsOf } from '../cpu.ts';
import { type Figures, median, ROUNDS } from '../figures.ts';
import type { Form } from '../forms.ts';
import { withService } from '../http.ts';
import { LiveFollower, LiveReceiver, RECEIVER_SETTINGS } from './follower.ts';
import { LEAVES_AFTER_MS, LiveLoad, type LiveLoadReport, SESSION, USERS } from './load.ts';

interface Size {
  /** Events a second. */
  readonly rate: number;
  readonly audiences: number;
  readonly seconds: number;
  /** Changes a second of the audience that is followed, which are a part of the rate. */
  readonly changes: number;
  /** Users who leave because their time is over, in the whole run. */
  readonly dues: number;
  /** How many of ten messages of a user come by an anonymous id. */
  readonly anonymous: number;
  /** 0: without the same load beside audiences that are evaluated every hour. */
  readonly hourly: number;
}

const USUAL: Size = { rate: 500, audiences: 100, seconds: 50, changes: 100, dues: 500, anonymous: 0, hourly: 1 };

const PATIENCE_SECONDS = 60;

interface Run extends LiveLoadReport {
  /** From posted to seen by the client that waits, and by a webhook. */
  readonly seenMs: readonly number[];
  readonly sentMs: readonly number[];
  /** From the instant at which time is over to seen. */
  readonly dueMs: readonly number[];
  readonly queryableMs: readonly number[];
  /** A share of one processor. */
  readonly cpuShare: number;
}

export async function benchLive(figures: Figures, form: Form): Promise<void> {
  const size = { ...USUAL, ...sizeOf(process.env['BENCH_LIVE'] ?? '') };
  const live: Run[] = [];
  const hourly: Run[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    if (size.hourly > 0) hourly.push(await runWith(form, size, '1h'));
    live.push(await runWith(form, size, 'live'));
  }
  report(figures, `${form.title}${size.audiences} live audiences, ${size.rate} events/s`, live);
  if (hourly.length === 0) return;
  report(figures, `${form.title}the same, evaluated every hour`, hourly);
  const ratio = (pick: (run: Run) => number): number => median(live.map(pick)) / median(hourly.map(pick));
  figures.add(`${form.title}live beside hourly`, {
    'ingest p99': [ratio(({ p99Ms }) => p99Ms), 'times'],
    'posted to queryable, median': [ratio(({ queryableMs }) => median(queryableMs)), 'times'],
    'processor time': [ratio(({ cpuShare }) => cpuShare), 'times'],
  });
}

function sizeOf(text: string): Partial<Size> {
  const members = text.split(',').filter((member) => member !== '');
  return Object.fromEntries(
    members.map((member) => member.split('=')).map(([name = '', value]) => [name, Number(value)]),
  );
}

async function runWith(form: Form, size: Size, refresh: 'live' | '1h'): Promise<Run> {
  let run: Run | undefined;
  await withService(
    form,
    async (service) => {
      const followed = await makeAudiences(service, size.audiences, refresh);
      const load = new LiveLoad(service, size);
      await load.run((USERS * SESSION) / size.rate, false);
      run = await measured(service, size, load, refresh === 'live' ? followed : null);
    },
    { settings: RECEIVER_SETTINGS },
  );
  if (run === undefined) throw new Error('nothing was measured');
  return run;
}

async function measured(service: ServiceProcess, size: Size, load: LiveLoad, followed: Followed | null): Promise<Run> {
  const followers = followed && {
    entering: new LiveFollower(service, followed.entering),
    leaving: new LiveFollower(service, followed.leaving),
    webhook: await LiveReceiver.of(service, followed.entering),
  };
  followers?.entering.start();
  followers?.leaving.start();
  const queryableMs: number[] = [];
  const before = await cpuSecondsOf(service.pid);
  const loading = load.run(size.seconds, true);
  const until = performance.now() + size.seconds * 1000;
  while (performance.now() < until) queryableMs.push(await timeToQueryable(service));
  const answers = await loading;
  const cpuShare = ((await cpuSecondsOf(service.pid)) - before) / size.seconds;
  const entered = ['entered', load.enteredAt, PATIENCE_SECONDS] as const;
  const seenMs = followers ? await followers.entering.delays(...entered) : [];
  const sentMs = followers ? await followers.webhook.delays(...entered) : [];
  const dueMs = followers
    ? await followers.leaving.delays('left', load.leavesAt, PATIENCE_SECONDS + LEAVES_AFTER_MS / 1000)
    : [];
  await Promise.all([followers?.entering.stop(), followers?.leaving.stop()]);
  followers?.webhook.stop();
  return { ...answers, seenMs, sentMs, dueMs, queryableMs, cpuShare };
}

interface Followed {
  readonly entering: string;
  readonly leaving: string;
}

/** A third asks about traits, some about events and traits, some about nests of both. */
function definitionOf(index: number): object {
  const where = [{ property: 'path', is: `/p/${index % 40}` }];
  const viewed = { event: 'Page Viewed', where, within: { last: '7d' } };
  const plan = { trait: 'plan', is: ['free', 'team', 'pro'][index % 3] };
  if (index % 10 < 3) return { all: [plan, { trait: 'age', gt: 20 + (index % 50) }] };
  if (index % 10 < 7) return { all: [plan, { ...viewed, count: { at_least: 1 + (index % 3) } }] };
  const ordered = { event: 'Order Completed', within: { last: '30d' } };
  return { any: [viewed, { all: [{ not: ordered }, plan] }, { event: 'Trial Started', first: { last: '1d' } }] };
}

export async function makeAudiences(service: ServiceProcess, count: number, refresh: string): Promise<Followed> {
  const save = (name: string, definition: object): Promise<string> =>
    saveAudience(service, { name, definition, refresh });
  const entering = await save('Signed up', { event: 'Signed Up' });
  const leaving = await save('Was here', { event: 'Was Here', within: { last: '1h' } });
  const others: string[] = [];
  for (let index = 2; index < count; index++) others.push(await save(`Audience ${index}`, definitionOf(index)));
  for (const id of [entering, leaving, ...others]) await untilKept(service, id, refresh === 'live');
  return { entering, leaving };
}

async function saveAudience(service: ServiceProcess, body: object): Promise<string> {
  return (await service.ask<{ id: string }>('/v1/audiences', body)).id;
}

/** Until it has been evaluated, and follows if it is live: what begins under load is another matter. */
async function untilKept(service: ServiceProcess, id: string, isLive: boolean): Promise<void> {
  for (;;) {
    const answer = await service.request(`/v1/audiences/${id}`);
    const audience = (await answer.json()) as Record<'evaluation' | 'live_through', unknown>;
    if (audience.evaluation !== null && (audience.live_through !== null || !isLive)) return;
    await delay(100);
  }
}

async function timeToQueryable(service: ServiceProcess): Promise<number> {
  const started = performance.now();
  const posted = await service.request('/v1/track', { user_id: 'probe', event: 'Probe' });
  const { receipt } = (await posted.json()) as { receipt: string };
  await service.request(`/v1/receipts/${receipt}?wait=30`);
  return performance.now() - started;
}

function report(figures: Figures, name: string, runs: readonly Run[]): void {
  const seen = runs.flatMap(({ seenMs }) => seenMs).toSorted((a, b) => a - b);
  const sent = runs.flatMap(({ sentMs }) => sentMs).toSorted((a, b) => a - b);
  const due = runs.flatMap(({ dueMs }) => dueMs).toSorted((a, b) => a - b);
  const queryable = runs.flatMap(({ queryableMs }) => queryableMs).toSorted((a, b) => a - b);
  figures.add(name, {
    ...(seen.length > 0 && {
      ...percentiles('posted to seen', seen),
      ...percentiles('posted to a webhook', sent),
      ...percentiles('time over to seen', due),
    }),
    ...percentiles('posted to queryable', queryable),
    'ingest p50': [median(runs.map(({ p50Ms }) => p50Ms)), 'ms'],
    'ingest p99': [median(runs.map(({ p99Ms }) => p99Ms)), 'ms'],
    'errors of requests': [runs.reduce((sum, { errors }) => sum + errors, 0), ''],
    "the service's share of a processor": [median(runs.map(({ cpuShare }) => cpuShare)), ''],
  });
}

function percentiles(what: string, sorted: readonly number[]): Readonly<Record<string, readonly [number, string]>> {
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return {
    [`${what}: how many`]: [sorted.length, ''],
    [`${what}, p50`]: [at(0.5), 'ms'],
    [`${what}, p99`]: [at(0.99), 'ms'],
    [`${what}, longest`]: [at(1), 'ms'],
  };
}
