import { cached } from '../../operations/status/cached.ts';
import type { SavedAudience } from '../../questions/saved/audience-store.ts';
import type { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import { TidemarkError } from '../../runtime/errors.ts';

/** As many as are looked up of a project: more than it has, unless `MAX_PROJECT_AUDIENCES` says more. */
const MOST = 1_000;
const LISTED_MS = 1_000;

/**
 * The audiences of a project by id and by name, as they were a second ago at most, and as they are where one of these names
 * was not there then.
 */
export type KnownAudiences = (projectId: string, names?: readonly string[]) => Promise<ByName>;
type ByName = ReadonlyMap<string, SavedAudience>;
type Find = () => Promise<ByName | undefined>;

/** An id is found before a name that is equal to it. @throws TidemarkError `STORE_UNAVAILABLE`, of what it returns. */
export function knownAudiences(saved: Pick<SqlAudienceStore, 'list'>): KnownAudiences {
  const byProject = new Map<string, { readonly kept: Find; readonly now: Find }>();
  return async (projectId, names = []) => {
    let find = byProject.get(projectId);
    if (find === undefined) {
      const list = async () => byName(await saved.list(projectId, MOST));
      find = { kept: cached(LISTED_MS, list), now: cached(0, list) };
      byProject.set(projectId, find);
    }
    const kept = await find.kept();
    const found = kept !== undefined && names.every((name) => kept.has(name)) ? kept : await find.now();
    if (found === undefined) throw new TidemarkError('STORE_UNAVAILABLE', 'the saved audiences cannot be read now');
    return found;
  };
}

function byName(audiences: readonly SavedAudience[]): ByName {
  return new Map([
    ...audiences.map((one) => [one.name, one] as const),
    ...audiences.map((one) => [one.id, one] as const),
  ]);
}
