import { join } from 'node:path';
import type { Death, Supervised } from './supervised.ts';
import type { StoreUrls } from '../support/stores/new-stores.ts';
import type { FaultKind, Faulty } from './schedule.ts';

/** A setting of every process: longer than any fault of its clock, and short enough to be waited for. */
export const CLOCK_TRUST_AFTER_MS = '20000';

/** Settings of every process: backups go there, when they are asked for. No fault befalls that disk. */
export function backupSettings(folder: string): { readonly BACKUP_DIR: string; readonly BACKUP_EVERY: string } {
  return { BACKUP_DIR: join(folder, 'backup'), BACKUP_EVERY: 'off' };
}

/** Something to be hurt, and how. Beginning and ending twice is no error. */
export interface Target extends Faulty {
  begin(kind: FaultKind, amount: number): Promise<void> | void;
  end(kind: FaultKind): Promise<void> | void;
}

/** An installation that a run torments. */
export interface Scene {
  readonly form: string;
  readonly targets: readonly Target[];
  /** Where requests go: through proxies. */
  readonly doors: readonly string[];
  /** For a command of the command line. */
  readonly environment: Readonly<Record<string, string>>;
  /** Past the proxies. */
  readonly stores: StoreUrls;
  readonly processes: readonly Supervised[];
  /** What cannot be done on this machine. */
  readonly skipped: readonly string[];
  /** Ends of servers that nobody asked for. */
  readonly serverDeaths: readonly string[];
  /** Where backups are. */
  readonly backupFolder: string;
  /** Another of the same form whose stores are empty, and whose processes do not run yet. It is closed with this one. */
  emptied(): Promise<Scene>;
  /** Ends every fault; resolves once all is running. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

/** Faults of a process of the service. */
export function processTarget(supervised: Supervised, more: readonly FaultKind[] = []): Target {
  return {
    name: supervised.name,
    kinds: ['kill', 'pause', 'pause', 'restart', 'clock', ...more],
    begin: async (kind, amount) => {
      if (kind === 'kill') await supervised.kill();
      if (kind === 'kill child') supervised.killChild();
      if (kind === 'restart') await supervised.stop();
      if (kind === 'pause') supervised.pause();
      if (kind === 'clock') supervised.setClock(amount);
    },
    end: (kind) => {
      if (kind === 'kill' || kind === 'restart') supervised.launch();
      if (kind === 'pause') supervised.resume();
      if (kind === 'clock') supervised.setClock(0);
    },
  };
}

/** Resolves with the names of those that do not become ready. */
export async function notReady(processes: readonly Supervised[], patienceMs: number): Promise<readonly string[]> {
  const deadline = performance.now() + patienceMs;
  let missing = processes;
  while (missing.length > 0 && performance.now() < deadline) {
    const ready = await Promise.all(missing.map((one) => one.isReady()));
    missing = missing.filter((_, index) => !ready[index]);
    if (missing.length > 0) await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return missing.map(({ name }) => name);
}

export function deathsOf({ processes }: Pick<Scene, 'processes'>): readonly Death[] {
  return processes.flatMap(({ deaths }) => deaths);
}
