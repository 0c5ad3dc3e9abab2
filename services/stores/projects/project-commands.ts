import { isTimezone } from '../../messages/timestamp.ts';
import { type CommandArguments, commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { firstScope, hashKey, makeKey } from './keys.ts';
import {
  type ApiKey,
  type Project,
  type ProjectChanges,
  type ProjectLimits,
  type ProjectStore,
  type Scope,
  SCOPES,
} from './project-store.ts';

/** A project as operators see it, without its secret. Times are RFC 3339. */
export interface ProjectSummary {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
  readonly rate_limit: number | null;
  readonly rate_limit_bytes: number | null;
  readonly query_max_ms: number | null;
  readonly query_max_memory_bytes: number | null;
  readonly query_max_rows: number | null;
  readonly created_at: string;
}

export interface KeySummary {
  readonly id: string;
  /** Null for an admin key. */
  readonly project_id: string | null;
  /** The first of `scopes`. */
  readonly scope: Scope;
  readonly scopes: readonly Scope[];
  readonly name: string | null;
  readonly created_at: string;
  /** `YYYY-MM-DD` in UTC. */
  readonly last_used_day: string | null;
  readonly revoked_at: string | null;
}

/** With the key itself, which is shown only once. */
export interface CreatedKey extends KeySummary {
  readonly key: string;
}

/** @throws TidemarkError `COMMAND_INVALID` for a setting that is not valid; what the store throws. */
export async function createProject(
  store: ProjectStore,
  defaultTimezone: string,
  { name, timezone = defaultTimezone, rate_limit: rateLimit = null }: CommandArguments,
): Promise<ProjectSummary> {
  const project = {
    name: checkName(name),
    timezone: checkTimezone(timezone),
    rateLimit: checkRateLimit(rateLimit),
  };
  return showProject(await store.createProject(project));
}

/** @throws TidemarkError `COMMAND_INVALID`, `PROJECT_UNKNOWN`; what the store throws. */
export async function changeProject(
  store: ProjectStore,
  id: string,
  changes: CommandArguments,
): Promise<ProjectSummary> {
  return showProject(await store.updateProject(checkId('project', id), checkChanges(changes)));
}

/** @throws TidemarkError `PROJECT_UNKNOWN`; what the store throws. */
export async function findProject(store: Pick<ProjectStore, 'findProject'>, id: string): Promise<ProjectSummary> {
  const found = ID.test(id) ? await store.findProject(id) : undefined;
  if (found === undefined) throw new TidemarkError('PROJECT_UNKNOWN', 'There is no such project.');
  return showProject(found);
}

/** @throws TidemarkError `COMMAND_INVALID`, `PROJECT_UNKNOWN`; what the store throws. */
export async function createKey(store: ProjectStore, { project, scopes, name }: CommandArguments): Promise<CreatedKey> {
  const checked = checkScopes(scopes);
  const key = makeKey(firstScope(checked));
  const made = { scopes: checked, sha256: hashKey(key), name: name === undefined ? null : checkKeyName(name) };
  return { ...showKey(await store.addKey(projectOf(checked, project), made)), key };
}

/** @throws TidemarkError `COMMAND_INVALID`, `KEY_UNKNOWN`; what the store throws. */
export async function revokeKey(store: ProjectStore, id: string): Promise<KeySummary> {
  return showKey(await store.revokeKey(checkId('key', id)));
}

function checkChanges(args: CommandArguments): ProjectChanges {
  const { name, timezone, rate_limit: rateLimit } = args;
  const changes = {
    ...(name !== undefined && { name: checkName(name) }),
    ...(timezone !== undefined && { timezone: checkTimezone(timezone) }),
    ...(rateLimit !== undefined && { rateLimit: checkRateLimit(rateLimit) }),
    ...checkLimits(args),
  };
  if (Object.keys(changes).length === 0) throw commandInvalid('Nothing to change: give a name, a timezone or a limit.');
  return changes;
}

// Control characters and invisible characters that reverse text would make a name look different in a terminal. A lone
// surrogate is not valid text.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

function checkName(name: unknown): string {
  if (typeof name !== 'string' || name.trim() === '' || characters(name) > 200) {
    throw commandInvalid('A project name has 1 to 200 characters.');
  }
  if (UNPRINTABLE.test(name)) throw commandInvalid('A project name has no control characters.');
  return name;
}

function checkTimezone(timezone: unknown): string {
  if (typeof timezone === 'string' && isTimezone(timezone)) return timezone;
  throw commandInvalid(`${JSON.stringify(timezone)} is not an IANA time zone such as Europe/Berlin.`);
}

function checkRateLimit(limit: unknown): number | null {
  if (limit === null || (typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 1)) return limit;
  throw commandInvalid('A rate limit is a whole number of requests a second from 1 up, or none.');
}

function checkLimits(args: CommandArguments): Partial<ProjectLimits> {
  const limits = [
    ['rateLimitBytes', args['rate_limit_bytes'], Number.MAX_SAFE_INTEGER],
    ['queryMaxMs', args['query_max_ms'], 600_000],
    ['queryMaxMemoryBytes', args['query_max_memory_bytes'], 2 ** 50],
    ['queryMaxRows', args['query_max_rows'], Number.MAX_SAFE_INTEGER],
  ] as const;
  const given = limits.filter(([, limit]) => limit !== undefined);
  return Object.fromEntries(given.map(([name, limit, most]) => [name, checkLimit(limit, most)]));
}

function checkLimit(limit: unknown, most: number): number | null {
  if (limit === null) return null;
  if (typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 1 && limit <= most) return limit;
  throw commandInvalid(`A limit is a whole number from 1 to ${most}, or none.`);
}

/** @param given One or several. */
function checkScopes(given: unknown): readonly Scope[] {
  const scopes: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (scopes.length === 0 || !scopes.every((scope) => SCOPES.some((known) => known === scope))) {
    throw commandInvalid(`The scopes of a key are of ${SCOPES.join(', ')}.`);
  }
  const all = SCOPES.filter((scope) => scopes.includes(scope));
  if (all.includes('admin') && all.length > 1) {
    throw commandInvalid('A key with the scope admin has no other: it opens all that read and audiences open.');
  }
  return all;
}

const ADMIN_HAS_NO_PROJECT = 'An admin key belongs to the installation: it is made without a project.';

/** An admin key belongs to no project, every other to one. */
function projectOf(scopes: readonly Scope[], project: unknown): string | null {
  if (!scopes.includes('admin')) return checkId('project', project);
  if (project === undefined || project === null) return null;
  throw commandInvalid(ADMIN_HAS_NO_PROJECT);
}

/** @throws TidemarkError `COMMAND_INVALID`. */
export function checkKeyName(name: unknown): string {
  if (typeof name === 'string' && name.trim() !== '' && characters(name) <= 200 && !UNPRINTABLE.test(name)) return name;
  throw commandInvalid('The name of a key has 1 to 200 characters, none of them a control character.');
}

const ID = /^\w{1,100}$/u;

/** Only the store knows whether an id exists. A string that it cannot look up (with a NUL) is invalid. */
function checkId(what: 'project' | 'key', id: unknown): string {
  if (typeof id === 'string' && ID.test(id)) return id;
  throw commandInvalid(`${JSON.stringify(id)} is not the id of a ${what}.`);
}

function characters(text: string): number {
  return Array.from(text).length;
}

export function showProject({ id, name, timezone, rateLimit, createdAtMs, ...project }: Project): ProjectSummary {
  const limits = {
    rate_limit_bytes: project.rateLimitBytes,
    query_max_ms: project.queryMaxMs,
    query_max_memory_bytes: project.queryMaxMemoryBytes,
    query_max_rows: project.queryMaxRows,
  };
  return { id, name, timezone, rate_limit: rateLimit, ...limits, created_at: instant(createdAtMs) };
}

export function showKey({ id, projectId, scopes, name, lastUsedDay, createdAtMs, revokedAtMs }: ApiKey): KeySummary {
  const times = {
    created_at: instant(createdAtMs),
    last_used_day: lastUsedDay,
    revoked_at: revokedAtMs === null ? null : instant(revokedAtMs),
  };
  return { id, project_id: projectId, scope: firstScope(scopes), scopes, name, ...times };
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
