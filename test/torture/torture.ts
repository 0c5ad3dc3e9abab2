/** One run: load and faults at once, then the comparison. */
import { setTimeout as sleep } from 'node:timers/promises';
import { caughtUp } from './check/catch-up.ts';
import type { LiveReport } from './check/check-live.ts';
import { Findings } from './check/findings.ts';
import { Forgetting } from './beside/forgetting.ts';
import { LiveAudiences } from './beside/live-audiences.ts';
import { Load } from './load.ts';
import { Pace } from './pace.ts';
import { provision } from './provision.ts';
import { type ReplayCounts, Replays } from './beside/replays.ts';
import { deathsOf, notReady, type Scene } from './scene.ts';
import { type Fault, planFaults } from './schedule.ts';
import type { Death } from './supervised.ts';
import { type Compared, compareStores } from './check/verdict.ts';

export interface RunOptions {
  readonly seed: number;
  readonly forMs: number;
  readonly kills: number;
  readonly others: number;
  readonly lanes: number;
  /** On average, between two requests of a caller. */
  readonly pauseMs: number;
  /** How fast the schedule goes on while nobody is answered (`Pace`). */
  readonly quietSpeed: number;
  /** By how much that may prolong it; as much as it needs where left out. */
  readonly maxWaitMs?: number;
  /** Messages that must be answered 200 before it ends. */
  readonly answered: number;
  /** Whether generations are built and swapped in meanwhile. */
  readonly replays: boolean;
  /** Whether ten audiences are live meanwhile. */
  readonly live: boolean;
  /** Whether people are forgotten meanwhile. */
  readonly forgetting: boolean;
  readonly say: (line: string) => void;
}

export interface Report {
  readonly seed: number;
  readonly form: string;
  readonly forMs: number;
  /** Faults that were begun, by kind. */
  readonly faults: Readonly<Record<string, number>>;
  readonly killed: Readonly<Record<string, number>>;
  readonly answers: Readonly<Record<string, number>>;
  readonly messages: Readonly<Record<'sent' | 'answered' | 'unknown' | 'refused', number>>;
  readonly longestOutageMs: number;
  readonly caughtUpMs: number;
  readonly replays: ReplayCounts;
  /** People who were forgotten. */
  readonly forgotten: number;
  readonly compared: Compared;
  readonly findings: Findings;
  /** Processes that ended though nobody asked them to, and were started again. */
  readonly deaths: readonly Death[];
  readonly serverDeaths: readonly string[];
  /** Stops in the middle of other faults that did not end with 0. */
  readonly forcedStops: readonly Death[];
  readonly skipped: readonly string[];
  readonly schedule: readonly Fault[];
}

const READY_WITHIN_MS = 120_000;
const ANSWERED_WITHIN_MS = 60_000;
const CAUGHT_UP_WITHIN_MS = 300_000;
const REPLAYED_WITHIN_MS = 300_000;
const LIVE_WITHIN_MS = 120_000;
/** A job that was killed is begun again within a minute, and each takes two and a half. */
const FORGOTTEN_WITHIN_MS = 600_000;

/** A run whose service is stopped again; its stores are still there. */
export interface Finished {
  readonly report: Report;
  readonly load: Load;
}

export async function torture(scene: Scene, options: RunOptions): Promise<Finished> {
  const { seed, forMs, say } = options;
  const findings = new Findings();
  const schedule = planFaults({ ...options, targets: scene.targets });
  await scene.heal();
  await expectReady(scene, findings);
  const projects = await provision(scene);
  const forgetting = options.forgetting ? await forgettingIn(scene, findings) : undefined;
  const load = new Load({ ...options, projects, doors: scene.doors, usersALane: 20 });
  const live = new LiveAudiences(() => scene.doors[0] ?? '');
  if (options.live) await live.save(projects);
  say(`${scene.form}: ${schedule.length} faults in ${forMs / 1000} s, seed ${seed}`);
  const replays = new Replays({ doors: scene.doors, findings });
  load.start();
  if (options.replays) replays.start();
  forgetting?.start();
  const begun = await carryOut(schedule, scene, new Pace(load, options.quietSpeed, options.maxWaitMs), say);
  say('all faults are over');
  await scene.heal();
  await expectReady(scene, findings);
  while (load.ledger.count('answered') < options.answered) await sleep(100);
  await load.stop(ANSWERED_WITHIN_MS);
  say('the load has stopped; the readers catch up');
  const caughtUpMs = await catchUp(scene, load, findings);
  say('caught up; replays end');
  if (options.replays) await finish(replays, findings);
  say('live audiences are read');
  const liveReports = options.live ? await reportsOf(live, findings) : [];
  say('people are forgotten');
  await forgetting?.finish(FORGOTTEN_WITHIN_MS);
  const forcedStops = scene.processes.flatMap(({ forced }) => forced.splice(0));
  await stopAll(scene, findings);
  say('stopped; comparing');
  const compared = await compareStores(load, scene.stores, findings, {
    live: liveReports,
    forgotten: forgetting?.projectId,
  });
  for (const wrong of load.wrong) findings.add('wrong answer', wrong);
  const { ledger } = load;
  const report: Report = {
    seed,
    form: scene.form,
    forMs,
    faults: countBy(begun, ({ kind }) => kind),
    killed: countBy(
      begun.filter(({ kind }) => kind === 'kill'),
      ({ target }) => target,
    ),
    answers: Object.fromEntries(load.answers),
    messages: {
      sent: ledger.next,
      answered: ledger.count('answered'),
      unknown: ledger.count('unknown'),
      refused: ledger.count('refused'),
    },
    longestOutageMs: Math.round(load.longestOutageMs),
    caughtUpMs,
    replays: replays.counts,
    forgotten: forgetting?.people ?? 0,
    compared,
    findings,
    deaths: deathsOf(scene),
    serverDeaths: scene.serverDeaths,
    forcedStops,
    skipped: scene.skipped,
    schedule,
  };
  return { report, load };
}

/** In a project that nobody else posts to. */
async function forgettingIn(scene: Scene, findings: Findings): Promise<Forgetting> {
  const [, project] = await provision(scene, ['UTC']);
  if (project === undefined) throw new Error('no project was made');
  return new Forgetting({ project, doors: scene.doors, findings });
}

/** Resolves with the faults that were begun once all of them have ended. */
async function carryOut(
  schedule: readonly Fault[],
  { targets }: Scene,
  pace: Pace,
  say: RunOptions['say'],
): Promise<readonly Fault[]> {
  const begun: Fault[] = [];
  const underWay: Promise<void>[] = [];
  for (const fault of schedule) {
    await pace.reached(fault.atMs);
    const target = targets.find(({ name }) => name === fault.target);
    if (target === undefined) throw new Error(`nothing is called ${fault.target}`);
    const inflict = async (): Promise<void> => {
      await target.begin(fault.kind, fault.amount);
      begun.push(fault);
      await sleep(fault.forMs);
      await target.end(fault.kind);
    };
    underWay.push(inflict().catch((error: unknown) => say(`${fault.kind} of ${fault.target}: ${String(error)}`)));
  }
  await Promise.all(underWay);
  return begun;
}

async function expectReady({ processes }: Scene, findings: Findings): Promise<void> {
  for (const name of await notReady(processes, READY_WITHIN_MS)) findings.add('not ready again', name);
}

/** Twice: what was on its way when it was first asked for has come by the second. */
async function catchUp(scene: Scene, load: Load, findings: Findings): Promise<number> {
  const [startedAt, [project]] = [performance.now(), load.projects];
  const door = scene.doors[0];
  if (project === undefined || door === undefined) throw new Error('no project or no door');
  try {
    await caughtUp(door, project, CAUGHT_UP_WITHIN_MS);
    await caughtUp(door, project, CAUGHT_UP_WITHIN_MS);
  } catch (error) {
    findings.add('not ready again', String(error));
  }
  return Math.round(performance.now() - startedAt);
}

async function finish(replays: Replays, findings: Findings): Promise<void> {
  await replays.finish(REPLAYED_WITHIN_MS).catch((error: unknown) => findings.add('not replayed', String(error)));
}

async function reportsOf(live: LiveAudiences, findings: Findings): Promise<readonly LiveReport[]> {
  try {
    return await live.reports(LIVE_WITHIN_MS);
  } catch (error) {
    findings.add('not live', String(error));
    return [];
  }
}

async function stopAll({ processes }: Scene, findings: Findings): Promise<void> {
  await Promise.all(processes.map((one) => one.stop()));
  for (const death of processes.flatMap(({ forced }) => forced))
    findings.add('not stopped by itself', JSON.stringify(death));
}

function countBy<T>(list: readonly T[], keyOf: (one: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of list) counts[keyOf(one)] = (counts[keyOf(one)] ?? 0) + 1;
  return counts;
}
