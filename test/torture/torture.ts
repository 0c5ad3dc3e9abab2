/** One run: a round of load and faults, and where it is wanted a second one on what was restored from its last backup. */
import { Backups } from './beside/backups.ts';
import { Forgetting } from './beside/forgetting.ts';
import { LiveAudiences } from './beside/live-audiences.ts';
import { Findings } from './check/findings.ts';
import { Load } from './load.ts';
import { provision } from './provision.ts';
import { type RestoredOptions, type RestoredReport, restoreAndGoOn } from './restoring/restored-round.ts';
import { expectReady, round, type RoundReport } from './round.ts';
import type { Scene } from './scene.ts';

export interface RunOptions extends RestoredOptions {
  /** Whether there are ten audiences meanwhile, live ones where there can be any. */
  readonly live: boolean;
  /** Whether people are forgotten meanwhile. */
  readonly forgetting: boolean;
}

export interface Report extends RoundReport {
  readonly seed: number;
  readonly form: string;
  readonly skipped: readonly string[];
  readonly restored: RestoredReport | null;
}

/** A run whose service is stopped again; its stores are still there. */
export interface Finished {
  readonly report: Report;
  readonly load: Load;
}

export async function torture(scene: Scene, options: RunOptions): Promise<Finished> {
  const findings = new Findings();
  await scene.heal();
  await expectReady(scene, findings);
  const projects = await provision(scene);
  const forgetting = options.forgetting ? await forgettingIn(scene, findings) : undefined;
  const load = new Load({ ...options, projects, doors: () => scene.doors, usersALane: 20 });
  const live = options.live ? new LiveAudiences(() => scene.doors[0] ?? '') : undefined;
  await live?.save(projects);
  const { doors, backupFolder: folder } = scene;
  const backups = options.restoredForMs > 0 ? new Backups({ doors, folder, findings }) : undefined;
  const parts = { scene, load, findings, live, forgetting, backups };
  const reported = await round(parts, options);
  const restored = backups === undefined ? null : await restoredOf({ ...parts, backups }, options);
  const { form, skipped } = scene;
  return { report: { ...reported, seed: options.seed, form, skipped, restored }, load };
}

/** Resolves with null, and a finding of the first round, where nothing can be restored. */
async function restoredOf(
  parts: Parameters<typeof restoreAndGoOn>[0],
  options: RunOptions,
): Promise<RestoredReport | null> {
  try {
    return await restoreAndGoOn(parts, options);
  } catch (error) {
    parts.findings.add('not restored', String(error));
    return null;
  }
}

/** In a project that nobody else posts to. */
async function forgettingIn(scene: Scene, findings: Findings): Promise<Forgetting> {
  const [, project] = await provision(scene, ['UTC']);
  if (project === undefined) throw new Error('no project was made');
  return new Forgetting({ project, doors: scene.doors, findings });
}
