/** The traits of a user; one opens to the values that it was given. */
import { countOf, type Json } from '../../api/json.ts';
import type { Answer, GivenValue, Profile } from '../../api/types.ts';
import { address, linkTo } from '../../api/address.ts';
import { JsonValue } from '../../parts/json/json-view.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { type CellColumn, Listing } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { Problem, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { SHOWN_VALUES, targetOf, traitHistoryRequest, type UserName } from '../user-link.ts';
import { operation } from '../../api/client.ts';
import { Facts, Section } from '../../parts/page.tsx';
import { FilterField } from '../../parts/choice.tsx';

export function Traits({ name, profile }: { readonly name: UserName; readonly profile: Profile }) {
  const { query } = address.value;
  const wanted = query.get('trait') ?? '';
  const all = Object.entries(profile.traits).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const shown = all.filter(([trait]) => trait.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <Section
      id="traits"
      title="Traits"
      count={count(all.length)}
      actions={
        all.length > 8 && (
          <FilterField name="trait" label="Filter the traits by name" placeholder="Filter by name" isBare />
        )
      }
    >
      <Listing
        look="traits"
        rows={shown}
        keyOf={([trait]) => trait}
        columns={TRAIT_COLUMNS}
        openBy="history"
        detailsOf={([trait]) => <History name={name} trait={trait} />}
        none={<p class="quiet">{wanted === '' ? 'This user has no traits yet.' : 'No trait matches this name.'}</p>}
      />
    </Section>
  );
}

const TRAIT_COLUMNS: readonly CellColumn<readonly [trait: string, value: Json]>[] = [
  { name: 'Trait', look: 'quiet', cell: ([trait]) => trait },
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

/** How much a user did: the facts, and the events of each of the last 90 days. */
export function Activity({ name, profile }: { readonly name: UserName; readonly profile: Profile }) {
  const { value: activity, error, retry } = useAnswer(operation('GET /v1/users/{user_id}/activity', targetOf(name)));
  const [top] = activity?.top_events ?? [];
  // Those that are joined have a part of the page.
  const joined = profile.joined_ids ?? [];
  const ids = profile.anonymous_ids.filter((id) => joined.every(({ anonymous_id: one }) => one !== id));
  const facts = {
    Events: activity === undefined ? '…' : counted(activity.events),
    'Top event': top && (
      <>
        <a href={linkTo(['events', top.name])}>{top.name}</a> <span class="quiet">{counted(top.count)}</span>
      </>
    ),
    'First seen': <Ago at={profile.first_seen} />,
    'Last seen': <Ago at={profile.last_seen} />,
    [joined.length === 0 ? 'Anonymous ids' : 'Other anonymous ids']:
      ids.length === 0 || profile.user_id === null ? undefined : <Ids ids={ids} />,
  };
  return (
    <section class="card user-activity" aria-label="Activity">
      <Facts of={facts} />
      {error !== undefined && <Problem error={error} retry={retry} />}
      {activity !== undefined && <Days days={activity.days} />}
    </section>
  );
}

const HEIGHT = 40;
const STEP = 10;

/** A bar for each day, whose height says how many events it has. */
function Days({ days }: Pick<Answer<'GET /v1/users/{user_id}/activity'>, 'days'>) {
  const most = Math.max(1, ...days.map((day) => countOf(day.count)));
  const active = days.filter((day) => countOf(day.count) > 0).length;
  const label = `Active on ${count(active)} of the last ${count(days.length)} days`;
  return (
    <figure class="days-strip">
      <svg viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {days.map(({ day, count: events }, index) => {
          const height = countOf(events) === 0 ? 2 : 6 + (countOf(events) / most) * (HEIGHT - 6);
          return (
            <rect
              key={day}
              class={countOf(events) === 0 ? 'none' : ''}
              x={index * STEP}
              y={HEIGHT - height}
              width={STEP - 3}
              height={height}
            >
              <title>{`${day}: ${count(countOf(events))} events`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption class="quiet small">{label}</figcaption>
    </figure>
  );
}

function Ids({ ids }: { readonly ids: readonly string[] }) {
  return (
    <>
      {ids.slice(0, 3).map((id) => (
        <a key={id} class="id" href={linkTo(['users'], { anonymous_id: id })}>
          {id}
        </a>
      ))}
      {ids.length > 3 && <span class="quiet">and {ids.length - 3} more</span>}
    </>
  );
}
