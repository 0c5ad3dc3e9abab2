/** The traits of a user; one opens to the values that it was given. */
import type { Json } from '../../api/json.ts';
import type { GivenValue, Profile } from '../../api/types.ts';
import { address, setParameters } from '../../frame/router.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { JsonValue } from '../../parts/json/json-view.tsx';
import { count } from '../../parts/numbers.ts';
import { Loading, Problem } from '../../parts/loading/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { useEscape } from '../../parts/loading/use-escape.ts';
import { traitHistoryRequest, type UserName } from '../user-link.ts';

interface TraitsProps {
  readonly name: UserName;
  readonly profile: Profile;
}

export function Traits({ name, profile }: TraitsProps) {
  const { query } = address.value;
  const wanted = query.get('trait') ?? '';
  const all = Object.entries(profile.traits).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const shown = all.filter(([trait]) => trait.toLowerCase().includes(wanted.toLowerCase()));
  useEscape(() => setParameters({ history: '' }));
  return (
    <>
      <div class="section-head">
        <h2 id="traits">
          Traits <span class="quiet">{count(all.length)}</span>
        </h2>
        {all.length > 8 && (
          <input
            type="search"
            aria-label="Filter the traits by name"
            placeholder="Filter by name"
            value={wanted}
            onInput={(event) => setParameters({ trait: event.currentTarget.value })}
          />
        )}
      </div>
      {all.length === 0 && <p class="quiet">No identify message of this user had traits.</p>}
      {all.length > 0 && shown.length === 0 && <p class="quiet">No trait has this in its name.</p>}
      {shown.length > 0 && (
        <table class="traits">
          <colgroup>
            <col class="trait-name" />
            <col />
          </colgroup>
          <thead class="visually-hidden">
            <tr>
              <th scope="col">Trait</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(([trait, value]) => (
              <Trait key={trait} name={name} trait={trait} value={value} isOpen={query.get('history') === trait} />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

interface TraitProps {
  readonly name: UserName;
  readonly trait: string;
  readonly value: Json;
  readonly isOpen: boolean;
}

function Trait({ name, trait, value, isOpen }: TraitProps) {
  return (
    <>
      <tr>
        <th scope="row">
          <button
            type="button"
            class="trait-button"
            aria-expanded={isOpen}
            title="The values that it was given"
            onClick={() => setParameters({ history: isOpen ? '' : trait }, { push: true })}
          >
            {trait}
          </button>
        </th>
        <td>
          <JsonValue value={value} />
        </td>
      </tr>
      {isOpen && (
        <tr class="history">
          <td colSpan={2}>
            <History name={name} trait={trait} />
          </td>
        </tr>
      )}
    </>
  );
}

const SHOWN = 20;

function History({ name, trait }: Omit<TraitProps, 'value' | 'isOpen'>) {
  const asked = traitHistoryRequest(name, trait, SHOWN);
  const loaded = useAnswer(asked);
  if (loaded.state === 'loading') return <Loading what="the values" />;
  if (loaded.state === 'failed') return <Problem error={loaded.error} retry={loaded.retry} />;
  const { values, next_cursor: next } = loaded.value;
  return (
    <>
      {values.length === 0 && (
        <p class="quiet small">Its values are kept from the upgrade on that began to keep them, or from a replay on.</p>
      )}
      <ol class="given-values">
        {values.map((given) => (
          <Given key={given.version} given={given} />
        ))}
      </ol>
      <div class="row">
        {next !== null && <p class="quiet small">The newest {SHOWN} are shown.</p>}
        <CopyAs request={asked} />
      </div>
    </>
  );
}

const STATES = { current: 'Now', replaced: 'Before', lost: 'Never shown' } as const;

function Given({ given }: { readonly given: GivenValue }) {
  const { value, state, message_id: id, type, timestamp, newer } = given;
  return (
    <li class={state}>
      <span class="given-state">{STATES[state]}</span>
      <div>
        {value === null ? <span class="quiet">deleted</span> : <JsonValue value={value} maxLength={120} />}
        <p class="quiet small">
          {type ?? 'message'} <Ago at={timestamp} />
          {id !== null && (
            <>
              {' · '}
              <code>{id}</code>
            </>
          )}
        </p>
        {state === 'lost' && newer !== null && (
          <p class="quiet small">
            It came after a newer one
            {newer.message_id !== null && (
              <>
                , <code>{newer.message_id}</code>
              </>
            )}
            , of <Ago at={newer.timestamp} />
          </p>
        )}
      </div>
    </li>
  );
}
