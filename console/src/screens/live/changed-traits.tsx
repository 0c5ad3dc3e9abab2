/** What a message changed of its user's traits: the value before and the one that it gave. */
import { ask } from '../../api/client.ts';
import type { GivenValue, LiveRow } from '../../api/types.ts';
import { JsonValue } from '../../parts/json/json-view.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Ready, useLoad } from '../../parts/loading/use-load.tsx';
import { traitHistoryRequest } from '../user-link.ts';

/** For each one question is asked. */
const MOST_TRAITS = 8;

interface ChangedTrait {
  readonly trait: string;
  readonly given: GivenValue | undefined;
  /** The newest one older than it that the trait had. */
  readonly before: GivenValue | undefined;
}

/** @param row A message that both stores have: earlier, its values are missing. */
export function ChangedTraits({ row }: { readonly row: LiveRow }) {
  const traits = Object.keys(row.traits ?? {});
  const loaded = useLoad(row.message_id, async (signal) =>
    Promise.all(traits.slice(0, MOST_TRAITS).map(async (trait) => changeOf(row, trait, signal))),
  );
  if (traits.length === 0) return null;
  return (
    <>
      <h3>What it changed</h3>
      <Ready of={loaded} what="the values before">
        {(changes) => (
          <Facts
            look="changed-traits"
            of={Object.fromEntries(changes.map((changed) => [changed.trait, <ChangedValue key="" {...changed} />]))}
          />
        )}
      </Ready>
      {traits.length > MOST_TRAITS && <p class="quiet small">The first {MOST_TRAITS} traits are shown.</p>}
    </>
  );
}

function ChangedValue({ given, before }: ChangedTrait) {
  if (given === undefined) return <span class="quiet">unknown: newer messages have arrived since</span>;
  if (given.state === 'lost') return <span class="quiet">no change: a newer value was already there</span>;
  const old = before === undefined || before.value === null ? undefined : before.value;
  if (JSON.stringify(old) === JSON.stringify(given.value))
    return <span class="quiet">no change: it had this value</span>;
  return (
    <>
      {old === undefined ? (
        <span class="quiet">{given.value === null ? 'was not there, ' : 'new: '}</span>
      ) : (
        <>
          <span class="old quiet">
            <JsonValue value={old} maxLength={60} />
          </span>
          {' → '}
        </>
      )}
      {given.value === null ? <span class="quiet">deleted</span> : <JsonValue value={given.value} maxLength={60} />}
    </>
  );
}

async function changeOf(row: LiveRow, trait: string, signal: AbortSignal): Promise<ChangedTrait> {
  const name = { id: row.user_id ?? row.internal_id, by: row.user_id === null ? 'internal_id' : 'user_id' } as const;
  const { values } = await ask({ ...traitHistoryRequest(name, trait), signal });
  const at = values.findIndex(({ message_id: id }) => id === row.message_id);
  const before = at === -1 ? undefined : values.slice(at + 1).find(({ state }) => state !== 'lost');
  return { trait, given: values[at], before };
}
