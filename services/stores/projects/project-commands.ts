import { formatMicros, isTimezone } from '../../messages/timestamp.ts';
import { commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { formatMonths, monthsOf } from './kept-events.ts';
import { firstScope, hashKey, makeKey } from './keys.ts';
import {
  type ApiKey,
  type Project,
  type ProjectChanges,
  type Scope,
  SCOPES,
  type NewProjectDefaults,
} from './project-store.ts';
import type { SqlProjectStore } from './sql-project-store.ts';

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
  readonly search_traits: readonly string[];
  readonly name_traits: readonly string[];
  readonly join_ids: boolean;
  readonly keep_events: string | null;
  readonly events_from: string | null;
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

/** The settings of a project, as the interface has checked them but for what its document cannot say. Null is for no limit. */
export type ProjectSettings = Partial<Omit<ProjectSummary, 'id' | 'events_from' | 'created_at'>>;

/** @throws TidemarkError `COMMAND_INVALID` for a setting that is not valid; what the store throws. */
export async function createProject(
  store: SqlProjectStore,
  { joinIds, keepEventsMonths, ...defaults }: NewProjectDefaults,
  { name, timezone = defaults.timezone, rate_limit: rateLimit = null }: ProjectSettings & { readonly name: string },
): Promise<ProjectSummary> {
  const project = { name: checkName(name), timezone: checkTimezone(timezone), rateLimit, joinIds, keepEventsMonths };
  return showProject(await store.createProject(project));
}

/** @throws TidemarkError `COMMAND_INVALID`, `PROJECT_UNKNOWN`; what the store throws. */
export async function changeProject(
  store: SqlProjectStore,
  id: string,
  settings: ProjectSettings,
): Promise<ProjectSummary> {
  return showProject(await store.updateProject(checkId('project', id), changesOf(settings)));
}

/** @throws TidemarkError `PROJECT_UNKNOWN`; what the store throws. */
export async function findProject(store: Pick<SqlProjectStore, 'findProject'>, id: string): Promise<ProjectSummary> {
  return showProject(await expectProject(store, id));
}

/** @throws TidemarkError `PROJECT_UNKNOWN`. */
export async function expectProject(store: Pick<SqlProjectStore, 'findProject'>, id: string): Promise<Project> {
  const found = ID.test(id) ? await store.findProject(id) : undefined;
  if (found === undefined) throw new TidemarkError('PROJECT_UNKNOWN', 'There is no such project.');
  return found;
}

/** What a new key is to be. One of the scope admin belongs to no project, every other to one. */
export interface KeySettings {
  readonly project?: string;
  readonly scopes: readonly Scope[];
  readonly name?: string;
}

/** @throws TidemarkError `COMMAND_INVALID`, `PROJECT_UNKNOWN`; what the store throws. */
export async function createKey(store: SqlProjectStore, { project, scopes, name }: KeySettings): Promise<CreatedKey> {
  const checked = checkScopes(scopes);
  const key = makeKey(firstScope(checked));
  const made = { scopes: checked, sha256: hashKey(key), name: name === undefined ? null : checkName(name) };
  return { ...showKey(await store.addKey(projectOf(checked, project), made)), key };
}

/** @throws TidemarkError `COMMAND_INVALID`, `KEY_UNKNOWN`; what the store throws. */
export async function revokeKey(store: SqlProjectStore, id: string): Promise<KeySummary> {
  return showKey(await store.revokeKey(checkId('key', id)));
}

function changesOf({
  name,
  timezone,
  search_traits: searched,
  name_traits: named,
  join_ids: joinIds,
  keep_events: kept,
  ...limits
}: ProjectSettings): ProjectChanges {
  const changes = {
    name: name === undefined ? undefined : checkName(name),
    timezone: timezone === undefined ? undefined : checkTimezone(timezone),
    rateLimit: limits.rate_limit,
    rateLimitBytes: limits.rate_limit_bytes,
    queryMaxMs: limits.query_max_ms,
    queryMaxMemoryBytes: limits.query_max_memory_bytes,
    queryMaxRows: limits.query_max_rows,
    searchTraits: searched === undefined ? undefined : checkTraits(searched),
    nameTraits: named === undefined ? undefined : checkTraits(named),
    joinIds,
    keepEventsMonths: typeof kept === 'string' ? monthsOf(kept) : kept,
  };
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  if (given.length === 0)
    throw commandInvalid(
      'Nothing to change: give a name, a timezone, a limit, the traits of the search or of names, whether ids are joined, or how long events are kept.',
    );
  return Object.fromEntries(given);
}

// Control characters and invisible characters that reverse text would make a name look different in a terminal. A lone
// surrogate is not valid text.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** The name of a project or of a key. */
function checkName(name: string): string {
  if (name.trim() !== '' && !UNPRINTABLE.test(name)) return name;
  throw commandInvalid('A name has a character that is not a space, and no control characters.');
}

function checkTimezone(timezone: string): string {
  if (isTimezone(timezone)) return timezone;
  throw commandInvalid(`${JSON.stringify(timezone)} is not an IANA time zone such as Europe/Berlin.`);
}

/** A trait may have any name that a message can give it. */
function checkTraits(names: readonly string[]): readonly string[] {
  if (names.every((name) => name.isWellFormed() && !name.includes('\0'))) return names;
  throw commandInvalid('The name of a trait has no NUL character and no half of a surrogate pair.');
}

/** Each once, in the order of `SCOPES`. */
function checkScopes(given: readonly Scope[]): readonly Scope[] {
  const all = SCOPES.filter((scope) => given.includes(scope));
  if (all.includes('admin') && all.length > 1) {
    throw commandInvalid('A key with the scope admin has no other: it opens all that read and audiences open.');
  }
  return all;
}

const ADMIN_HAS_NO_PROJECT = 'An admin key belongs to the installation: it is made without a project.';

/** An admin key belongs to no project, every other to one. */
function projectOf(scopes: readonly Scope[], project: string | undefined): string | null {
  if (!scopes.includes('admin')) return checkId('project', project ?? '');
  if (project === undefined) return null;
  throw commandInvalid(ADMIN_HAS_NO_PROJECT);
}

const ID = /^\w{1,100}$/u;

/** Only the store knows whether an id exists. A string that it cannot look up (with a NUL) is invalid. */
function checkId(what: 'project' | 'key', id: string): string {
  if (ID.test(id)) return id;
  throw commandInvalid(`${JSON.stringify(id)} is not the id of a ${what}.`);
}

export function showProject(project: Project): ProjectSummary {
  return {
    id: project.id,
    name: project.name,
    timezone: project.timezone,
    rate_limit: project.rateLimit,
    rate_limit_bytes: project.rateLimitBytes,
    query_max_ms: project.queryMaxMs,
    query_max_memory_bytes: project.queryMaxMemoryBytes,
    query_max_rows: project.queryMaxRows,
    search_traits: project.searchTraits,
    name_traits: project.nameTraits,
    join_ids: project.joinIds,
    keep_events: formatMonths(project.keepEventsMonths),
    events_from: project.eventsFrom === null ? null : formatMicros(project.eventsFrom),
    created_at: instant(project.createdAtMs),
  };
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
