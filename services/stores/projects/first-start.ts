import { setTimeout as delay } from 'node:timers/promises';
import { TidemarkError } from '../../runtime/errors.ts';
import { firstScope, hashKey, makeKey } from './keys.ts';
import type { ApiKey, FirstKey, LostProject, NewProjectDefaults, Project, Scope } from './project-store.ts';
import type { SqlProjectStore } from './sql-project-store.ts';

export interface FirstStartOptions extends NewProjectDefaults {
  /** Keys to use instead of random ones. Never shown. */
  readonly writeKey: string | undefined;
  readonly readKey: string | undefined;
  readonly adminKey: string | undefined;
  /** A project that was lost, to be made again instead of the default project. */
  readonly lost?: LostProject | undefined;
}

export interface RandomKey {
  /** The first of its scopes. */
  readonly scope: Scope;
  readonly key: string;
}

export interface FirstStart {
  readonly project: Project;
  /** The random keys in plain text. They must be shown now: they cannot be recovered later. */
  readonly keys: readonly RandomKey[];
  /** Whether they replace keys that an earlier start created and never showed. */
  readonly isRepeated: boolean;
  /**
   * Must be called after the keys were shown: otherwise the next start considers them lost and replaces them. Returns
   * false if another process has replaced them already: the keys that were shown then do not work.
   */
  readonly noteShown: () => Promise<boolean>;
}

/** Whether other processes may make their first start on the same store at the same time. */
export interface OtherStarts {
  /**
   * How long another process has to show keys that it created. 0 if there is no other process: keys that were not shown
   * never will be.
   */
  readonly othersShowWithinMs: number;
}

const KEY_FILE_POLL_MS = 100;

/**
 * Creates the default project with a write and a read key, and an admin key, if the store has no project. If it has one whose keys such a
 * start created and never showed, replaces those keys. Returns undefined if there is nothing to do. If several
 * processes start at once, one of them creates the project.
 *
 * @throws TidemarkError `CONFIG_INVALID` if two of the given keys are equal; `STORE_UNAVAILABLE`.
 */
export async function makeFirstProject(
  store: SqlProjectStore,
  { timezone, joinIds, keepEventsMonths, writeKey, readKey, adminKey, lost: lostProject }: FirstStartOptions,
  otherStarts: OtherStarts,
): Promise<FirstStart | undefined> {
  const given = [writeKey, readKey, adminKey].filter((key) => key !== undefined);
  if (new Set(given).size < given.length) {
    throw new TidemarkError(
      'CONFIG_INVALID',
      'INITIAL_WRITE_KEY, INITIAL_READ_KEY and INITIAL_ADMIN_KEY must differ: each opens something else.',
    );
  }
  // Deployments save audiences with the first read key.
  const chosen = [choose(['write'], writeKey), choose(['read', 'audiences'], readKey), choose(['admin'], adminKey)];
  const wanted = lostProject ?? { name: 'default', timezone, rateLimit: null, joinIds, keepEventsMonths };
  const project = await store.createFirstProject(wanted, chosen.map(hashed));
  if (project !== undefined) return firstStartOf(store, project, chosen, false);
  const lost = await unseenKeys(store, otherStarts);
  if (lost.length === 0) return undefined;
  const others = chosen.filter(({ scopes }) => lost.some((key) => firstScope(key.scopes) === firstScope(scopes)));
  const ids = lost.map(({ id }) => id);
  const theirs = await store.replaceAwaitingKeys(ids, others.map(hashed));
  return theirs === undefined ? undefined : firstStartOf(store, theirs, others, true);
}

/** The text to print once for the person who started the service; '' if there is nothing to report. */
export function firstStartNotice({ project, keys, isRepeated }: FirstStart): string {
  if (keys.length === 0) return '';
  const lines = keys.map(({ scope, key }) => `  ${scope.padEnd(5)} key  ${key}`);
  const named = `the project "${project.name}" (${project.id})`;
  return [
    isRepeated
      ? `The first keys of ${named} may never have been seen: that start ended too early. These replace them, shown only this once:`
      : `Made ${named}. Its keys are shown only this once:`,
    ...lines,
    'More keys: ./tidemark key create. Lost ones: ./tidemark key revoke.\n',
  ].join('\n');
}

/** The keys that were not shown within the time that their creator had to show them. */
async function unseenKeys(store: SqlProjectStore, { othersShowWithinMs }: OtherStarts): Promise<readonly ApiKey[]> {
  const untilMs = performance.now() + othersShowWithinMs;
  for (;;) {
    const keys = await store.keysAwaitingShowing();
    if (keys.length === 0 || performance.now() >= untilMs) return keys;
    await delay(KEY_FILE_POLL_MS);
  }
}

interface Chosen {
  readonly scopes: readonly Scope[];
  readonly key: string;
  readonly given: boolean;
}

function firstStartOf(
  store: SqlProjectStore,
  project: Project,
  chosen: readonly Chosen[],
  isRepeated: boolean,
): FirstStart {
  const random = chosen.filter(({ given }) => !given);
  return {
    project,
    keys: random.map(({ scopes, key }) => ({ scope: firstScope(scopes), key })),
    isRepeated,
    noteShown: () => store.noteShown(random.map(({ key }) => hashKey(key))),
  };
}

function hashed({ scopes, key, given }: Chosen): FirstKey {
  const scope = firstScope(scopes);
  const name = `${scope.slice(0, 1).toUpperCase()}${scope.slice(1)} key (first start)`;
  return { scopes, name, sha256: hashKey(key), awaitsShowing: !given };
}

function choose(scopes: readonly Scope[], given: string | undefined): Chosen {
  return { scopes, key: given ?? makeKey(firstScope(scopes)), given: given !== undefined };
}
