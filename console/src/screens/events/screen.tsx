/** The names of all events, with how often they happened, when, and how the last days went. */
import { countOf } from '../../api/json.ts';
import { operation } from '../../api/client.ts';
import type { CatalogName } from '../../api/types.ts';
import { address, linkTo, parameter, setParameters } from '../../api/address.ts';
import { Choice, FilterField, Filters } from '../../parts/choice.tsx';
import { Sparkline } from '../../parts/charts/sparkline.tsx';
import { count as countText, grouped } from '../../parts/numbers.ts';
import { LinkButton, ScreenPage } from '../../parts/page.tsx';
import { type CellColumn, Listing, RowLink } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { Empty, Ready, useAnswer, useLatest } from '../../parts/loading/use-load.tsx';
import { EventPage } from './event-page.tsx';
import { FunnelPage } from './funnel.tsx';
import './events.css';

function Catalog() {
  const [search, cursor] = ['search', 'cursor'].map(parameter);
  const narrowing = { search, order: parameter('order') === 'name' ? 'name' : undefined } as const;
  const query = { ...narrowing, limit: 50, cursor };
  const page = useLatest(useAnswer(operation('GET /v1/catalog/events', { query })));
  return (
    <ScreenPage
      title="Events"
      actions={<LinkButton label="Funnel" link={linkTo(['events'], { view: 'funnel' })} />}
      copy={{ request: operation('GET /v1/catalog/events', { query: narrowing }) }}
    >
      <Filters>
        <FilterField name="search" label="Name" look="wide" isSearch />
        <Choice
          label="Order"
          value={narrowing.order ?? 'count'}
          options={ORDERS}
          onChoice={(order) => setParameters({ cursor: '', order: order === 'count' ? '' : order }, { push: true })}
        />
      </Filters>
      <Ready of={page} what="events">
        {({ events, exact, truncated, next_cursor: next }) =>
          events.length === 0 && next === null ? (
            <NoNames search={search} />
          ) : (
            <>
              <EventList events={events} next={next} />
              <p class="quiet small below">
                New events appear within a minute.
                {!exact && ' A message that was sent twice may count twice for about a day.'}
                {truncated && ' Only the 10,000 most frequent names are listed.'}
              </p>
            </>
          )
        }
      </Ready>
    </ScreenPage>
  );
}

const ORDERS = { count: 'Most frequent', name: 'A to Z' };

function EventList({ events, next }: { readonly events: readonly CatalogName[]; readonly next: string | null }) {
  const days = useLastDays(events);
  const columns: readonly CellColumn<CatalogName>[] = [
    { name: 'Event', cell: ({ name }) => <RowLink link={linkTo(['events', name])}>{name}</RowLink> },
    { name: 'Last 14 days', look: 'days narrow-off', cell: ({ name }) => <EventDays values={days.get(name)} /> },
    { name: 'Recorded', look: 'number', cell: ({ count }) => grouped(count.rawJSON) },
    { name: 'Last seen', look: 'quiet', cell: ({ last_seen: at }) => <Ago at={at} isPlain /> },
    { name: 'First seen', look: 'quiet narrow-off', cell: ({ first_seen: at }) => <Ago at={at} isPlain /> },
  ];
  return <Listing rows={events} keyOf={({ name }) => name} columns={columns} next={next} />;
}

function EventDays({ values }: { readonly values: readonly number[] | undefined }) {
  if (values === undefined) return null;
  const sum = values.reduce((total, value) => total + value, 0);
  return <Sparkline values={values} label={`${countText(sum)} in the last ${DAYS} days`} />;
}

const DAYS = 14;

/** The events of each of the last days, of all names in one question; none where the service does not answer. */
function useLastDays(events: readonly CatalogName[]): ReadonlyMap<string, readonly number[]> {
  const body = {
    event: events.map(({ name }) => name),
    measure: 'count',
    within: { last: `${DAYS}d` },
    interval: 'day',
    split: { event: true, top: 50 },
  } as const;
  const { value } = useAnswer(operation('POST /v1/events/counts', { body }));
  if (value === undefined) return new Map();
  const { buckets, series } = value;
  const none = new Map(events.map(({ name }) => [name, buckets.map(() => 0)]));
  const found = series.map(({ value, values }): [string, number[]] => [
    typeof value === 'string' ? value : '',
    values.map((number) => (number === null ? 0 : countOf(number))),
  ]);
  return new Map([...none, ...found]);
}

function NoNames({ search }: { readonly search: string | undefined }) {
  if (search === undefined) {
    return (
      <Empty
        title="No events yet"
        action={<LinkButton label="Send the first event" look="primary" link={linkTo([])} />}
      >
        An event appears here within a minute after it was first sent. <a href={linkTo(['live'])}>Watch Live</a>.
      </Empty>
    );
  }
  return (
    <Empty title="No event found">
      No name has “{search}” in it. <a href={linkTo(['events'])}>See all events</a>.
    </Empty>
  );
}

/** `#/events`, the names; `#/events?view=funnel`; `#/events/{name}` with a question. */
export function EventsScreen() {
  const event = address.value.path[1];
  if (event !== undefined) return <EventPage key={event} event={event} />;
  return parameter('view') === 'funnel' ? <FunnelPage /> : <Catalog />;
}
