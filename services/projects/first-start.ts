import { TidemarkError } from '../runtime/errors.ts';
import { hashKey, makeKey } from './keys.ts';
import type { Project, ProjectStore, Scope } from './project-store.ts';

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
}

/**
 * Makes the default project with a write and a read key where the store has no project; undefined where it has one. Of
 * several processes that start at once, one makes it.
 *
 * @throws TidemarkError `CONFIG_INVALID` where both given keys are the same; `STORE_UNAVAILABLE`.
 */
export async function makeFirstProject(
  store: ProjectStore,
  { timezone, writeKey, readKey }: FirstStartOptions,
): Promise<FirstStart | undefined> {
  if (writeKey !== undefined && writeKey === readKey) {
    throw new TidemarkError(
      'CONFIG_INVALID',
      'INITIAL_WRITE_KEY and INITIAL_READ_KEY must differ: a key has one scope.',
    );
  }
  const keys = [choose('write', writeKey), choose('read', readKey)];
  const hashed = keys.map(({ scope, key }) => ({ scope, sha256: hashKey(key) }));
  const project = await store.createFirstProject({ name: 'default', timezone, rateLimit: null }, hashed);
  if (project === undefined) return undefined;
  return { project, keys: keys.filter(({ given }) => !given).map(({ scope, key }) => ({ scope, key })) };
}

/** What to print, once, for the person who started the service; '' where there is nothing to tell. */
export function firstStartNotice({ project, keys }: FirstStart): string {
  if (keys.length === 0) return '';
  const lines = keys.map(({ scope, key }) => `  ${scope.padEnd(5)} key  ${key}`);
  return [
    `Made the project "${project.name}" (${project.id}). Its keys are shown only this once:`,
    ...lines,
    'More keys: tidemark key create. Lost ones: tidemark key revoke.\n',
  ].join('\n');
}

function choose(scope: Scope, given: string | undefined): { scope: Scope; key: string; given: boolean } {
  return { scope, key: given ?? makeKey(scope), given: given !== undefined };
}
