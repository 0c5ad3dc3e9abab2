/** The names of all events, with how often they happened, when, and how the last days went. */
import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { CatalogName } from '../../api/types.ts';
import { address, goTo, linkTo } from '../../frame/router.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { textIn } from '../../parts/form.ts';
import { Sparkline } from '../../parts/charts/sparkline.tsx';
import { count as countText, grouped } from '../../parts/numbers.ts';
import { Pager } from '../../parts/loading/pager.tsx';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';

interface Narrowing {
  readonly prefix: string | undefined;
  readonly order: 'count' | 'name' | undefined;
}

export function Catalog() {
  const { query } = address.value;
  const [prefix, cursor] = ['prefix', 'cursor'].map((name) => query.get(name) ?? undefined);
  const narrowing: Narrowing = { prefix, order: query.get('order') === 'name' ? 'name' : undefined };
  return (
    <div class="screen">
      <div class="head">
        <h1>Events</h1>
        <div class="row actions">
          <CopyAs request={operation('GET /v1/catalog/events', { query: narrowing })} />
        </div>
      </div>
      <SearchForm key={JSON.stringify(narrowing)} {...narrowing} />
      <Names narrowing={narrowing} cursor={cursor} />
    </div>
  );
}

function SearchForm({ prefix, order = 'count' }: Narrowing) {
  const submit = (form: HTMLFormElement | null): void => {
    if (form === null) return;
    const chosen = textIn(form, 'order');
    goTo(linkTo(['events'], { prefix: textIn(form, 'prefix'), order: chosen === 'count' ? undefined : chosen }));
  };
  return (
    <form
      class="filters search events-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
    >
      <label class="wide">
        <span class="label">Name begins with</span>
        <input name="prefix" type="search" maxLength={512} defaultValue={prefix ?? ''} data-search />
      </label>
      <label>
        <span class="label">First</span>
        <select name="order" defaultValue={order} onChange={({ currentTarget }) => submit(currentTarget.form)}>
          <option value="count">Most frequent</option>
          <option value="name">A to Z</option>
        </select>
      </label>
      <button type="submit" class="primary">
        Find
      </button>
    </form>
  );
}

const COLUMNS = [
  { name: 'Event' },
  { name: 'Last 14 days', look: 'days narrow-off' },
  { name: 'Recorded', look: 'number' },
  { name: 'Last seen' },
  { name: 'First seen', look: 'narrow-off' },
];

function Names({ narrowing, cursor }: { readonly narrowing: Narrowing; readonly cursor: string | undefined }) {
  const page = useAnswer(operation('GET /v1/catalog/events', { query: { ...narrowing, limit: 50, cursor } }));
  if (page.state === 'loading') return <Loading what="events" />;
  if (page.state === 'failed') return <Problem error={page.error} retry={page.retry} />;
  const { events, exact, truncated, next_cursor: next } = page.value;
  if (events.length === 0) return <NoNames prefix={narrowing.prefix} />;
  return (
    <>
      <List events={events} />
      <Pager next={next} />
      <p class="quiet small below">
        What is recorded is here within a minute.
        {!exact && ' A message that was sent again may count twice for a day or so.'}
        {truncated && ' There are more names: only the 10,000 most frequent are listed.'}
      </p>
    </>
  );
}

function List({ events }: { readonly events: readonly CatalogName[] }) {
  const days = useLastDays(events);
  return (
    <Table look="catalog" columns={COLUMNS}>
      {events.map((event) => (
        <Name key={event.name} event={event} days={days.get(event.name)} />
      ))}
    </Table>
  );
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
  const loaded = useAnswer(operation('POST /v1/events/counts', { body }));
  if (loaded.state !== 'ready') return new Map();
  const { buckets, series } = loaded.value;
  const none = new Map(events.map(({ name }) => [name, buckets.map(() => 0)]));
  const found = series.map(({ value, values }): [string, number[]] => [
    typeof value === 'string' ? value : '',
    values.map((number) => (number === null ? 0 : countOf(number))),
  ]);
  return new Map([...none, ...found]);
}

interface NameProps {
  readonly event: CatalogName;
  readonly days: readonly number[] | undefined;
}

function Name({ event: { name, count, first_seen: first, last_seen: last }, days }: NameProps) {
  const sum = days?.reduce((total, value) => total + value, 0) ?? 0;
  return (
    <tr>
      <th scope="row">
        <a class="cover" data-row href={linkTo(['events', name])}>
          {name}
        </a>
      </th>
      <td class="days narrow-off">
        {days !== undefined && (
          <Sparkline values={days} room={days.length} label={`${countText(sum)} in the last ${DAYS} days`} />
        )}
      </td>
      <td class="number">{grouped(count.rawJSON)}</td>
      <td class="quiet">
        <Ago at={last} isPlain />
      </td>
      <td class="quiet narrow-off">
        <Ago at={first} isPlain />
      </td>
    </tr>
  );
}

function NoNames({ prefix }: { readonly prefix: string | undefined }) {
  if (prefix === undefined) {
    return (
      <Empty title="There are no events yet">
        <p>
          A name is listed within a minute after its first event. <a href={linkTo([])}>Send one</a>, or{' '}
          <a href={linkTo(['live'])}>see what comes in</a>.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No event has such a name">
      <p>
        No name begins with <code>{prefix}</code>. The search is case-sensitive.{' '}
        <a href={linkTo(['events'])}>See all events</a>.
      </p>
    </Empty>
  );
}
