/** The disaster: the stores are gone, and the last backup is restored into empty ones, while callers go on posting. */
import { writeFile } from 'node:fs/promises';
import type { Backups } from '../beside/backups.ts';
import { Forgetting } from '../beside/forgetting.ts';
import { Findings } from '../check/findings.ts';
import { readLog } from '../check/read-log.ts';
import { Dice } from '../dice.ts';
import { Load } from '../load.ts';
import { round, type RoundOptions, type RoundParts, type RoundReport } from '../round.ts';
import { BackedUp, endsOfBackup } from './backed-up.ts';
import { type Restored, restoreWithKills } from './killed-restore.ts';

export interface RestoredOptions extends RoundOptions {
  readonly lanes: number;
  /** On average, between two requests of a caller. */
  readonly pauseMs: number;
  /** How long the round takes that follows on what is restored from a backup; 0: without one. */
  readonly restoredForMs: number;
}

export interface RestoredReport extends RoundReport {
  readonly backups: Backups['counts'];
  readonly restore: Restored;
  /** Messages of the last backup, without those of people who were forgotten. */
  readonly backedUp: number;
  /** Messages that were answered before, and are not in the backup. */
  readonly lost: number;
}

/** Kills of `tidemark restore`. */
const RESTORE_KILLS = 8;

/**
 * Restores, starts the service on it, and has a second round with the same callers, people and audiences.
 *
 * @param parts Those of the first round; its service is stopped.
 */
export async function restoreAndGoOn(
  { scene: former, load: before, live, forgetting, backups }: RoundParts & { readonly backups: Backups },
  options: RestoredOptions,
): Promise<RestoredReport> {
  const [findings, { seed, say, restoredForMs: forMs }] = [new Findings(), options];
  const { folder } = backups;
  const backedUp = new BackedUp({ ends: await endsOfBackup(folder), forgotten: forgetting?.projectId });
  await readLog(former.stores.EVENT_LOG_URL, (message) => backedUp.add(message));
  const told = backedUp.rewind(before);
  const scene = await former.emptied();
  const dice = new Dice(seed + 1);
  say(`a backup of ${backedUp.messages} messages is restored`);
  const erasures = forgetting && `${folder}.erasures`;
  if (forgetting && erasures) await writeFile(erasures, forgetting.listed);
  const restore = await restoreWithKills({
    folder,
    erasures,
    environment: scene.environment,
    dice,
    kills: RESTORE_KILLS,
  });
  say(`restored after ${restore.kills} kills`);
  const { projects, ledger } = before;
  const load = new Load({
    ...options,
    seed: seed + 1,
    projects,
    doors: () => scene.doors,
    usersALane: 20,
    before: { ledger, told },
  });
  live?.moveTo(() => scene.doors[0] ?? '');
  const again = forgetting && new Forgetting({ ...forgetting.moved, doors: scene.doors, findings });
  const share = forMs / options.forMs;
  const faults = { kills: Math.ceil(options.kills * share), others: Math.ceil(options.others * share) };
  await scene.heal();
  const parts = { scene, load, findings, live, forgetting: again, backups: undefined };
  const reported = await round(parts, {
    ...options,
    ...faults,
    seed: seed + 1,
    forMs,
    ...(options.maxWaitMs !== undefined && { maxWaitMs: options.maxWaitMs * share }),
  });
  await readLog(scene.stores.EVENT_LOG_URL, (message) => backedUp.check(message, findings));
  backedUp.finish(findings);
  return { ...reported, backups: backups.counts, restore, backedUp: backedUp.messages, lost: backedUp.lost };
}
