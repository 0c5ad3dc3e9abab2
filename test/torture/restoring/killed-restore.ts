/** `tidemark restore`, killed at random moments and begun again until it has come to its end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { reapWithUs } from '../../servers/processes/reaped.ts';
import type { Dice } from '../dice.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The first is killed within this time, each later one within as much more: so every step is hit, and each run comes further. */
const KILLED_WITHIN_MS = 1_500;
/** What a restore says that comes after one that was killed before it could print that it was done. */
const WAS_RESTORED = 'was restored into these stores before';

export interface RestoreOptions {
  readonly folder: string;
  /** Erasures that may be newer than the backup. */
  readonly erasures: string | undefined;
  /** Names the empty stores. */
  readonly environment: Readonly<Record<string, string>>;
  readonly dice: Dice;
  readonly kills: number;
}

export interface Restored {
  readonly kills: number;
  /** How many the log got, blank ones too; null where the last kill came behind the end of the restore. */
  readonly records: number | null;
  readonly tookMs: number;
}

/** @throws Error where a run that was not killed ends with another code than 0. */
export async function restoreWithKills(options: RestoreOptions): Promise<Restored> {
  const startedAt = performance.now();
  for (let kills = 0; ; kills++) {
    const withinMs = kills < options.kills ? options.dice.next() * KILLED_WITHIN_MS * (kills + 1) : undefined;
    const printed = await runOnce(options, withinMs, kills > 0);
    if (printed === undefined) continue;
    const { records } = JSON.parse(printed) as Pick<Restored, 'records'>;
    return { kills, records, tookMs: Math.round(performance.now() - startedAt) };
  }
}

/** Resolves with what it printed; undefined where it was killed. */
async function runOnce(
  { folder, erasures, environment }: RestoreOptions,
  killAfterMs: number | undefined,
  wasKilled: boolean,
): Promise<string | undefined> {
  const given = erasures === undefined ? [] : ['--erasures', erasures];
  const child = spawn(
    process.execPath,
    [join(ROOT, 'services/cli/tidemark.js'), 'restore', folder, ...given, '--json'],
    {
      cwd: ROOT,
      env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  reapWithUs(child, 'SIGKILL');
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr), ended(child)]);
  clearTimeout(timer);
  if (child.signalCode === 'SIGKILL') return undefined;
  if (child.exitCode === 0) return printed;
  if (wasKilled && complaint.includes(WAS_RESTORED)) return '{"records":null}';
  throw new Error(`the restore ended with ${child.exitCode ?? child.signalCode}: ${complaint.slice(-2_000)}`);
}

async function ended(child: ReturnType<typeof spawn>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
