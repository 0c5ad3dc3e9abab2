/** Load and faults at once, then the comparison: of the installation as it was made, or as it was restored. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Backups } from './beside/backups.ts';
import type { Forgetting } from './beside/forgetting.ts';
import type { LiveAudiences } from './beside/live-audiences.ts';
import { type ReplayCounts, Replays } from './beside/replays.ts';
import { caughtUp } from './check/catch-up.ts';
import type { LiveReport } from './check/check-live.ts';
import type { Findings } from './check/findings.ts';
import { type Compared, compareStores } from './check/compare-stores.ts';
import type { Load } from './load.ts';
import { Pace } from './pace.ts';
import { deathsOf, notReady, type Scene } from './scene.ts';
import { type Fault, planFaults } from './schedule.ts';
import type { Death } from './supervised.ts';

export interface RoundOptions {
  readonly seed: number;
  readonly forMs: number;
  readonly kills: number;
  /** Faults that are no kills. */
  readonly others: number;
  /** How fast the schedule goes on while nobody is answered (`Pace`). */
  readonly quietSpeed: number;
  /** By how much that may prolong it; as much as it needs where left out. */
  readonly maxWaitMs?: number;
  /** Messages that must be answered 200 before it ends. */
  readonly answered: number;
  /** Whether generations are built and swapped in meanwhile. */
  readonly replays: boolean;
  readonly say: (line: string) => void;
}

export interface RoundParts {
  readonly scene: Scene;
  readonly load: Load;
  readonly findings: Findings;
  readonly live: LiveAudiences | undefined;
  readonly forgetting: Forgetting | undefined;
  readonly backups: Backups | undefined;
}

export interface RoundReport {
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
  readonly schedule: readonly Fault[];
}

const READY_WITHIN_MS = 120_000;
const ANSWERED_WITHIN_MS = 60_000;
const CAUGHT_UP_WITHIN_MS = 300_000;
const REPLAYED_WITHIN_MS = 300_000;
const LIVE_WITHIN_MS = 120_000;
const BACKED_UP_WITHIN_MS = 120_000;
/** A job that was killed is begun again within a minute, and each takes two and a half. */
const FORGOTTEN_WITHIN_MS = 600_000;
/** Messages that are answered after the last backup: the restore loses them. */
const AFTER_BACKUP = 200;

/** The processes of the scene are stopped in the end, or were never ready. */
export async function round(parts: RoundParts, options: RoundOptions): Promise<RoundReport> {
  const { scene, load, findings, live, forgetting } = parts;
  const { ledger } = load;
  const [first, schedule] = [ledger.next, planFaults({ ...options, targets: scene.targets })];
  const { length: diedBefore } = scene.serverDeaths;
  const { say } = options;
  say(`${scene.form}: ${schedule.length} faults in ${options.forMs / 1000} s, seed ${options.seed}`);
  const replays = new Replays({ doors: scene.doors, findings });
  const begun = await loadAndFaults(parts, { replays, schedule, first }, options);
  say('the load has stopped; the readers catch up');
  const caughtUpMs = await catchUp(scene, load, findings);
  say('caught up; replays end');
  if (options.replays) await finish(replays, findings);
  say('audiences are read');
  const reports = live === undefined ? [] : await reportsOf(live, findings);
  say('people are forgotten');
  await forgetting?.finish(FORGOTTEN_WITHIN_MS);
  const forcedStops = scene.processes.flatMap(({ forced }) => forced.splice(0));
  await stopAll(scene, findings);
  say('stopped; comparing');
  const compared = await compareStores(load, scene.stores, findings, {
    live: reports,
    forgotten: forgetting?.projectId,
  });
  for (const wrong of load.wrong) findings.add('wrong answer', wrong);
  const kills = begun.filter(({ kind }) => kind === 'kill');
  return {
    forMs: options.forMs,
    faults: countBy(begun, ({ kind }) => kind),
    killed: countBy(kills, ({ target }) => target),
    answers: Object.fromEntries(load.answers),
    messages: {
      sent: ledger.next - first,
      answered: ledger.count('answered', first),
      unknown: ledger.count('unknown', first),
      refused: ledger.count('refused', first),
    },
    longestOutageMs: Math.round(load.longestOutageMs),
    caughtUpMs,
    replays: replays.counts,
    forgotten: forgetting?.people ?? 0,
    compared,
    findings,
    deaths: deathsOf(scene),
    serverDeaths: scene.serverDeaths.slice(diedBefore),
    forcedStops,
    schedule,
  };
}

interface UnderWay {
  readonly replays: Replays;
  readonly schedule: readonly Fault[];
  /** The first message of the round. */
  readonly first: number;
}

/** Resolves with the faults that were begun, once the load has stopped. */
async function loadAndFaults(
  { scene, load, findings, forgetting, backups }: RoundParts,
  { replays, schedule, first }: UnderWay,
  { say, answered, ...options }: RoundOptions,
): Promise<readonly Fault[]> {
  const { ledger } = load;
  load.start();
  if (options.replays) replays.start();
  forgetting?.start();
  backups?.start();
  const begun = await carryOut(schedule, scene, new Pace(load, options.quietSpeed, options.maxWaitMs), say);
  say('all faults are over');
  await scene.heal();
  await expectReady(scene, findings);
  while (ledger.count('answered', first) < answered) await sleep(100);
  if (backups !== undefined) {
    await backups.finish(BACKED_UP_WITHIN_MS);
    const backedUp = ledger.count('answered', first);
    while (ledger.count('answered', first) < backedUp + AFTER_BACKUP) await sleep(100);
  }
  await load.stop(ANSWERED_WITHIN_MS);
  return begun;
}

/** Resolves with the faults that were begun once all of them have ended. */
async function carryOut(
  schedule: readonly Fault[],
  { targets }: Scene,
  pace: Pace,
  say: RoundOptions['say'],
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

export async function expectReady({ processes }: Scene, findings: Findings): Promise<void> {
  for (const name of await notReady(processes, READY_WITHIN_MS)) findings.add('not ready again', name);
}

async function catchUp(scene: Scene, load: Load, findings: Findings): Promise<number> {
  const [startedAt, [project]] = [performance.now(), load.projects];
  const door = scene.doors[0];
  if (project === undefined || door === undefined) throw new Error('no project or no door');
  try {
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
