/** The roles of a process, and what each needs. */
import type { Config } from '../runtime/config.ts';
import { TidemarkError } from '../runtime/errors.ts';
import type { FirstStart } from '../stores/projects/first-start.ts';
import { isServer } from '../runtime/embedded.ts';

export const ROLES = ['all', 'ingest', 'projector', 'sink', 'webhooks'] as const;
export type Role = (typeof ROLES)[number];

/** The role named on the command line: `node services/main.js [ROLE]`. @throws TidemarkError `CONFIG_INVALID`. */
export function roleOf(args: readonly string[]): Role {
  const [named = 'all', ...more] = args;
  const role = ROLES.find((candidate) => candidate === named);
  if (role !== undefined && more.length === 0) return role;
  const given = args.map((arg) => JSON.stringify(arg)).join(' ');
  throw new TidemarkError('CONFIG_INVALID', `${given} names no role; there are ${ROLES.join(', ')}`);
}

/** The store that a role does without. */
const UNUSED: Readonly<Partial<Record<Role, string>>> = { projector: 'ANALYTICS_URL', webhooks: 'EVENT_LOG_URL' };

/**
 * Only a process of the role `all` can use embedded stores: one process at a time opens them.
 *
 * @throws TidemarkError `CONFIG_INVALID`, naming every setting that must change.
 */
export function checkRole(role: Role, { eventLogUrl, profilesUrl, analyticsUrl }: Config): void {
  if (role === 'all') return;
  const embedded = [
    ['EVENT_LOG_URL', eventLogUrl, 'kafka://HOST:9092'],
    ['PROFILES_URL', profilesUrl, 'postgres://USER:PASSWORD@HOST/DATABASE'],
    ['ANALYTICS_URL', analyticsUrl, 'http://USER:PASSWORD@HOST:8123/DATABASE'],
  ].filter(([name, url = '']) => !isServer(url) && name !== UNUSED[role]);
  if (embedded.length === 0) return;
  const needs = embedded.map(([name, , example]) => `${name} such as ${example}`).join(' and ');
  throw new TidemarkError(
    'CONFIG_INVALID',
    `the role ${role} shares its stores with other processes, which embedded ones cannot: it needs ${needs}`,
  );
}

/** A started role. */
export interface Running {
  /** `http://HOST:PORT` with the port that was bound. */
  readonly address: string;
  /** The project and keys made by the first start; undefined on later starts, and where another process makes them. */
  readonly firstStart: FirstStart | undefined;
  /** The names of all projects, oldest first; none where this role does not know them. */
  projectNames(): Promise<readonly string[]>;
  /** Rejects when a part has ended that the process cannot do without; never resolves. */
  readonly ended: Promise<never>;
  /** Finishes the work under way, then closes everything. Idempotent. */
  stop(): Promise<void>;
}
