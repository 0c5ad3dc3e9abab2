import { useMemo, useState } from 'preact/hooks';
import type { LiveFilter } from '../../api/live.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { LiveRow } from '../../api/types.ts';
import { useShortcuts } from '../../frame/keyboard.ts';
import { address, setParameters } from '../../frame/router.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Excerpt } from '../../parts/json/json-view.tsx';
import { count } from '../../parts/numbers.ts';
import { Empty, Problem } from '../../parts/loading/states.tsx';
import { tabLinks, tabOf, Tabs } from '../../parts/tabs.tsx';
import { Clock } from '../../parts/time.tsx';
import { useRowKeys } from '../../parts/loading/use-rows.ts';
import { type Feed, useFeed } from '../live-feed.ts';
import { LiveMessage } from './live-message.tsx';
import { Refusals } from './refusals.tsx';
import './live.css';

type FilterName = 'type' | 'event' | 'user_id' | 'text';
type Filter = Pick<LiveFilter, FilterName>;

const TYPES = ['track', 'identify', 'session'] as const;

const TABS = [
  { name: '', title: 'What comes in' },
  { name: 'refusals', title: 'Refusals' },
] as const;

export function Screen() {
  if (tabOf(TABS) === '') return <Stream />;
  return (
    <div class="screen">
      <div class="head">
        <h1>Live</h1>
      </div>
      <Tabs label="Live" tabs={tabLinks(TABS)} />
      <Refusals />
    </div>
  );
}

function Stream() {
  const filter = filterOf(address.value.query);
  const [isPaused, setPaused] = useState(false);
  const [open, setOpen] = useState<LiveRow>();
  const feed = useFeed(filter, isPaused);
  useRowKeys();
  useShortcuts(useMemo(() => ({ p: () => setPaused((paused) => !paused) }), []));
  return (
    <div class={`screen ${open === undefined ? '' : 'with-panel'}`}>
      <div class="head">
        <h1>Live</h1>
        <Status feed={feed} isPaused={isPaused} />
        <div class="row actions">
          <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {isPaused ? 'Go on' : 'Pause'}
          </button>
          <CopyAs
            request={operation('GET /v1/events/live', { query: filter })}
            isStream
            tidemark={['tail', ...tailOptions(filter)]}
          />
        </div>
      </div>
      <Tabs label="Live" tabs={tabLinks(TABS)} />
      <Filters filter={filter} />
      {feed.error !== undefined && <Problem error={feed.error} />}
      {feed.state === 'log-unreachable' && (
        <p class="notice">The service cannot read its event log now. It tries again.</p>
      )}
      {feed.skipped > 0 && (
        <p class="notice">{count(feed.skipped)} messages were passed over: more came than could be looked at.</p>
      )}
      <div class="split">
        <Rows feed={feed} filter={filter} open={open} onOpen={setOpen} />
        {open !== undefined && <LiveMessage key={open.message_id} row={open} onClose={() => setOpen(undefined)} />}
      </div>
    </div>
  );
}

/** `50 of 1,240 a second shown` */
function Status({ feed, isPaused }: { readonly feed: Feed; readonly isPaused: boolean }) {
  const { state, shown, seen, waiting } = feed;
  const text =
    state === 'connecting'
      ? 'Connecting…'
      : state === 'failed'
        ? 'Stopped'
        : isPaused
          ? `Paused · ${waiting === 200 ? '200 or more' : count(waiting)} new`
          : seen === 0
            ? 'Listening…'
            : shown < seen
              ? `${count(shown)} of ${count(seen)} a second shown`
              : `${count(seen)} a second`;
  const isAlive = state === 'open' && !isPaused;
  return (
    <p class="status" data-status>
      <i class={isAlive ? 'dot alive' : 'dot'} aria-hidden="true" />
      {text}
    </p>
  );
}

function Filters({ filter }: { readonly filter: Filter }) {
  return (
    <form class="filters" role="search" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span class="label">Kind</span>
        <select value={filter.type ?? ''} onChange={(event) => setParameters({ type: event.currentTarget.value })}>
          <option value="">All</option>
          <option value="track">Events</option>
          <option value="identify">Identifies</option>
          <option value="session">Sessions</option>
        </select>
      </label>
      <Field name="event" label="Event" placeholder="Order Completed" value={filter.event} isSearch />
      <Field name="user_id" label="User" placeholder="user or anonymous id" value={filter.user_id} />
      <Field name="text" label="Contains" placeholder="text of the properties" value={filter.text} />
    </form>
  );
}

interface FieldProps {
  readonly name: FilterName;
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  readonly isSearch?: boolean;
}

/** Takes effect with Enter, or when it is left: each letter would begin a stream of its own. */
function Field({ name, label, placeholder, value = '', isSearch = false }: FieldProps) {
  const apply = (text: string): void => setParameters({ [name]: text.trim() });
  return (
    <label>
      <span class="label">{label}</span>
      <input
        type="search"
        maxLength={512}
        placeholder={placeholder}
        defaultValue={value}
        key={value}
        data-search={isSearch ? '' : undefined}
        onChange={(event) => apply(event.currentTarget.value)}
      />
    </label>
  );
}

interface RowsProps {
  readonly feed: Feed;
  readonly filter: Filter;
  readonly open: LiveRow | undefined;
  readonly onOpen: (row: LiveRow | undefined) => void;
}

function Rows({ feed, filter, open, onOpen }: RowsProps) {
  if (feed.rows.length === 0) return feed.error === undefined ? <NothingYet filter={filter} /> : null;
  return (
    <ul class="rows" aria-label="Messages, newest first">
      {feed.rows.map((row) => {
        const isOpen = row === open;
        return (
          <li key={`${row.log.topic}-${row.log.partition.rawJSON}-${row.log.offset}`}>
            <button
              type="button"
              class="row-button live-row"
              data-row
              aria-expanded={isOpen}
              onClick={() => onOpen(isOpen ? undefined : row)}
            >
              <Clock at={row.received_at} />
              <span class={`kind ${row.type}`}>
                {row.type === 'track' ? row.event : row.type}
                {row.adjusted !== undefined && <span class="badge mended">mended</span>}
              </span>
              <span class="who">{row.user_id ?? <span class="quiet">{row.anonymous_id ?? row.internal_id}</span>}</span>
              <Excerpt value={row.properties ?? row.traits ?? {}} />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function NothingYet({ filter }: { readonly filter: Filter }) {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <Empty title={isFiltered ? 'Nothing that matches has come yet' : 'Nothing has come yet'}>
      <p>
        {isFiltered
          ? 'This page shows what is recorded from now on. '
          : 'What this project records from now on appears here within a second.'}
        {isFiltered && (
          <button type="button" onClick={clearFilters}>
            Clear the filters
          </button>
        )}
      </p>
    </Empty>
  );
}

function clearFilters(): void {
  setParameters({ type: '', event: '', user_id: '', text: '' });
}

function filterOf(query: URLSearchParams): Filter {
  const given = (name: FilterName): string | undefined => query.get(name) ?? undefined;
  const type = TYPES.find((one) => one === given('type'));
  return { type, event: given('event'), user_id: given('user_id'), text: given('text') };
}

function tailOptions({ type, event, user_id: user, text }: Filter): string[] {
  const options = { '--type': type, '--event': event, '--user': user, '--text': text };
  return Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}
