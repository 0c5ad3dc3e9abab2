/** The traits of a user; one opens to the values that it was given. */
import type { Json } from '../../api/json.ts';
import type { GivenValue, Profile } from '../../api/types.ts';
import { address, setParameters } from '../../api/address.ts';
import { JsonValue } from '../../parts/json/json-view.tsx';
import { count } from '../../parts/numbers.ts';
import { type CellColumn, isOpenRow, Listing, OpenRow, useOpenRow } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { SHOWN_VALUES, traitHistoryRequest, type UserName } from '../user-link.ts';

export function Traits({ name, profile }: { readonly name: UserName; readonly profile: Profile }) {
  const { query } = address.value;
  const wanted = query.get('trait') ?? '';
  const all = Object.entries(profile.traits).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const shown = all.filter(([trait]) => trait.toLowerCase().includes(wanted.toLowerCase()));
  useOpenRow('history');
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
      <Listing
        look="traits"
        rows={shown}
        keyOf={([trait]) => trait}
        columns={TRAIT_COLUMNS}
        detailsOf={([trait]) => isOpenRow(trait, 'history') && <History name={name} trait={trait} />}
        none={<p class="quiet">{wanted === '' ? 'This user has no traits yet.' : 'No trait matches this name.'}</p>}
      />
    </>
  );
}

const TRAIT_COLUMNS: readonly CellColumn<readonly [trait: string, value: Json]>[] = [
  {
    name: 'Trait',
    look: 'quiet',
    cell: ([trait]) => (
      <OpenRow id={trait} parameter="history">
        {trait}
      </OpenRow>
    ),
  },
  { name: 'Value', cell: ([, value]) => <JsonValue value={value} /> },
];

/** The values that a trait was given. */
function History({ name, trait }: { readonly name: UserName; readonly trait: string }) {
  return (
    <Ready of={useAnswer(traitHistoryRequest(name, trait))} what="the values">
      {({ values, next_cursor: next }) => (
        <div class="history">
          {values.length === 0 && next === null && (
            <p class="quiet small">No earlier values are known. A replay of profiles brings them back from the log.</p>
          )}
          <ol class="given-values">
            {values.map((given) => (
              <Given key={given.version} given={given} />
            ))}
          </ol>
          {next !== null && <p class="quiet small">The newest {SHOWN_VALUES} are shown.</p>}
        </div>
      )}
    </Ready>
  );
}

const VALUE_STATES = { current: 'Now', replaced: 'Before', lost: 'Too late' } as const;

function Given({ given }: { readonly given: GivenValue }) {
  const { value, state, message_id: id, type, timestamp, newer } = given;
  return (
    <li class={state}>
      <span class="given-state">{VALUE_STATES[state]}</span>
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
            A newer value was already there
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
