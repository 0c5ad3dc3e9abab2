/** Some of the users that the definition finds, with their traits. */
import type { AudienceMember } from '../../api/types.ts';
import { ApiError, ask } from '../../api/client.ts';
import type { Json } from '../../api/json.ts';
import type { Profile } from '../../api/types.ts';
import { Excerpt } from '../../parts/json/json-view.tsx';
import { Loading } from '../../parts/loading/states.tsx';
import { useLoad } from '../../parts/loading/use-load.ts';
import { profileRequest, userLink } from '../user-link.ts';
import type { Builder } from './builder.ts';
import { isObject } from './json-edit.ts';
import { keysOf } from './known.ts';
import { type TreeNode, treeOf } from './tree.ts';

type Traits = Profile['traits'];

/** Traits of users seen since the page was opened: the next count samples the same users. */
const seen = new Map<string, Traits>();
const MAX_SEEN = 500;

export function Samples({
  builder,
  onTest,
}: {
  readonly builder: Builder;
  readonly onTest: (member: AudienceMember) => void;
}) {
  const counted = builder.counting.counted.value;
  const users = counted?.users ?? [];
  const named = counted === undefined ? [] : traitsIn(treeOf(counted.definition));
  const names = users.map(({ internal_id: id }) => id).join(' ');
  const loaded = useLoad(names, async (signal) => traitsOf(users, signal));
  return (
    <section aria-labelledby="samples" class={builder.counting.isCounting.value ? 'stale' : undefined}>
      <div class="section-head">
        <h2 id="samples">Some of them</h2>
      </div>
      {counted === undefined && <p class="quiet">Ten users of the audience appear here.</p>}
      {counted !== undefined && users.length === 0 && <Nobody />}
      {loaded.state === 'loading' && users.length > 0 && <Loading what="some users" />}
      {loaded.state === 'ready' && users.length > 0 && (
        <ul class="rows" aria-label="Some users of the audience">
          {users.map((user) => (
            <li key={user.internal_id} class="sample">
              <a class="row-button" href={userLink(user)}>
                <b>{user.user_id ?? user.anonymous_id ?? <span class="quiet">anonymous</span>}</b>
                <Excerpt value={ordered(loaded.value.get(user.internal_id) ?? {}, named)} />
              </a>
              <button type="button" class="plain" onClick={() => onTest(user)}>
                Why?
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The traits that the definition asks about come first. */
function ordered(traits: Traits, first: readonly string[]): Traits {
  const entries = Object.entries(traits);
  const isFirst = ([name]: readonly [string, Json]): boolean => first.includes(name);
  return Object.fromEntries([...entries.filter(isFirst), ...entries.filter((entry) => !isFirst(entry))]);
}

function traitsIn({ kind, value, parts }: TreeNode): readonly string[] {
  if (kind !== 'trait' || !isObject(value)) return parts.flatMap(traitsIn);
  return keysOf(value['trait'])?.slice(0, 1) ?? [];
}

function Nobody() {
  return (
    <p class="quiet">
      Nobody is in this audience. <b>Count each condition</b> shows which of them leaves nobody over.
    </p>
  );
}

async function traitsOf(users: readonly AudienceMember[], signal: AbortSignal): Promise<ReadonlyMap<string, Traits>> {
  await Promise.all(users.filter(({ internal_id: id }) => !seen.has(id)).map(async (user) => loadTraits(user, signal)));
  return new Map(users.map(({ internal_id: id }) => [id, seen.get(id) ?? {}]));
}

/** A user whose profile cannot be had is shown without. */
async function loadTraits(
  { user_id: userId, internal_id: internalId }: AudienceMember,
  signal: AbortSignal,
): Promise<void> {
  const name =
    userId === null ? ({ id: internalId, by: 'internal_id' } as const) : ({ id: userId, by: 'user_id' } as const);
  try {
    const profile = await ask({ ...profileRequest(name), signal });
    if (seen.size >= MAX_SEEN) seen.clear();
    seen.set(internalId, profile.traits);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
