import { setTimeout as delay } from 'node:timers/promises';
import { TidemarkError } from '../../runtime/errors.ts';
import { hashKey, makeKey } from './keys.ts';
import type { ApiKey, FirstKey, Project, ProjectStore, Scope } from './project-store.ts';

export interface FirstStartOptions {
  readonly timezone: string;
  /** Keys to use instead of random ones. Never shown. */
  readonly writeKey: string | undefined;
  readonly readKey: string | undefined;
}

export interface FirstStart {
  readonly project: Project;
  /** The random keys, in plain text: to be shown once, now, since nobody can find them out later. */
  readonly keys: readonly { readonly scope: Scope; readonly key: string }[];
  /** Whether they take the place of keys that a start before made and never showed. */
  readonly isRepeated: boolean;
  /**
   * To be called when the keys were shown: else the next start takes them for lost and makes others. False where another
   * process has done so by now: those that were shown do not work.
   */
  readonly noteShown: () => Promise<boolean>;
}

/** Whether another process may be at its first start on the same store. */
export interface OtherStarts {
  /**
   * How long another process that made keys has to show them. 0 where there can be none: keys that were not shown never
   * will be.
   */
  readonly othersShowWithinMs: number;
}

const KEY_FILE_POLL_MS = 100;

/**
 * Makes the default project with a write and a read key where the store has no project. Where it has one whose keys were
 * made by such a start and never shown, makes others in their place. Undefined where there is nothing to make. Of several
 * processes that start at once, one makes it.
 *
 * @throws TidemarkError `CONFIG_INVALID` where both given keys are the same; `STORE_UNAVAILABLE`.
 */
export async function makeFirstProject(
  store: ProjectStore,
  { timezone, writeKey, readKey }: FirstStartOptions,
  otherStarts: OtherStarts,
): Promise<FirstStart | undefined> {
  if (writeKey !== undefined && writeKey === readKey) {
    throw new TidemarkError(
      'CONFIG_INVALID',
      'INITIAL_WRITE_KEY and INITIAL_READ_KEY must differ: a key has one scope.',
    );
  }
  const chosen = [choose('write', writeKey), choose('read', readKey)];
  const project = await store.createFirstProject({ name: 'default', timezone, rateLimit: null }, chosen.map(hashed));
  if (project !== undefined) return firstStartOf(store, project, chosen, false);
  const lost = await keysNeverShown(store, otherStarts);
  if (lost.length === 0) return undefined;
  const others = chosen.filter(({ scope }) => lost.some((key) => key.scope === scope));
  const ids = lost.map(({ id }) => id);
  const theirs = await store.replaceAwaitingKeys(ids, others.map(hashed));
  return theirs === undefined ? undefined : firstStartOf(store, theirs, others, true);
}

/** What to print, once, for the person who started the service; '' where there is nothing to tell. */
export function firstStartNotice({ project, keys, isRepeated }: FirstStart): string {
  if (keys.length === 0) return '';
  const lines = keys.map(({ scope, key }) => `  ${scope.padEnd(5)} key  ${key}`);
  const named = `the project "${project.name}" (${project.id})`;
  return [
    isRepeated
      ? `The first keys of ${named} may never have been seen: that start ended too early. These replace them, shown only this once:`
      : `Made ${named}. Its keys are shown only this once:`,
    ...lines,
    'More keys: npx tidemark key create. Lost ones: npx tidemark key revoke.\n',
  ].join('\n');
}

/** Those that await showing, and did when whoever made them had had time to show them. */
async function keysNeverShown(store: ProjectStore, { othersShowWithinMs }: OtherStarts): Promise<readonly ApiKey[]> {
  const untilMs = performance.now() + othersShowWithinMs;
  for (;;) {
    const keys = await store.keysAwaitingShowing();
    if (keys.length === 0 || performance.now() >= untilMs) return keys;
    await delay(KEY_FILE_POLL_MS);
  }
}

interface Chosen {
  readonly scope: Scope;
  readonly key: string;
  readonly given: boolean;
}

function firstStartOf(
  store: ProjectStore,
  project: Project,
  chosen: readonly Chosen[],
  isRepeated: boolean,
): FirstStart {
  const random = chosen.filter(({ given }) => !given);
  return {
    project,
    keys: random.map(({ scope, key }) => ({ scope, key })),
    isRepeated,
    noteShown: () => store.noteShown(random.map(({ key }) => hashKey(key))),
  };
}

function hashed({ scope, key, given }: Chosen): FirstKey {
  return { scope, sha256: hashKey(key), awaitsShowing: !given };
}

function choose(scope: Scope, given: string | undefined): Chosen {
  return { scope, key: given ?? makeKey(scope), given: given !== undefined };
}
