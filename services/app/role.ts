/** What a process does of the whole, and what it needs for that. */
import type { Config } from '../runtime/config.ts';
import { TidemarkError } from '../runtime/errors.ts';
import type { FirstStart } from '../stores/projects/first-start.ts';
import { isServer } from './embedded.ts';

export const ROLES = ['all', 'ingest', 'projector', 'sink'] as const;
export type Role = (typeof ROLES)[number];

/** The role that the command line names: `node services/main.js [ROLE]`. @throws TidemarkError `CONFIG_INVALID`. */
export function roleOf(args: readonly string[]): Role {
  const [named = 'all', ...more] = args;
  const role = ROLES.find((candidate) => candidate === named);
  if (role !== undefined && more.length === 0) return role;
  const given = args.map((arg) => JSON.stringify(arg)).join(' ');
  throw new TidemarkError('CONFIG_INVALID', `${given} names no role; there are ${ROLES.join(', ')}`);
}

/**
 * Embedded stores of profiles and analytics are open in one process at a time: only the one that does everything.
 *
 * @throws TidemarkError `CONFIG_INVALID`, naming every setting that stands in the way.
 */
export function checkRole(role: Role, { profilesUrl, analyticsUrl }: Config): void {
  if (role === 'all') return;
  const embedded = [
    ['PROFILES_URL', profilesUrl, 'postgres://USER:PASSWORD@HOST/DATABASE'],
    ['ANALYTICS_URL', analyticsUrl, 'http://USER:PASSWORD@HOST:8123/DATABASE'],
  ].filter(([name, url = '']) => !isServer(url) && !(role === 'projector' && name === 'ANALYTICS_URL'));
  if (embedded.length === 0) return;
  const needs = embedded.map(([name, , example]) => `${name} such as ${example}`).join(' and ');
  throw new TidemarkError(
    'CONFIG_INVALID',
    `the role ${role} shares its stores with other processes, which embedded ones cannot: it needs ${needs}`,
  );
}

/** A process at its work, whatever its role. */
export interface Running {
  /** `http://HOST:PORT` with the port that was taken. */
  readonly address: string;
  /** What the first start on these data made; undefined on later starts, and where another process does that. */
  readonly firstStart: FirstStart | undefined;
  /** Rejects when a part without which the process makes no sense has ended; never resolves. */
  readonly ended: Promise<never>;
  /** Finishes what was begun, then closes everything. Idempotent. */
  stop(): Promise<void>;
}
