import { useMemo, useRef, useState } from 'preact/hooks';
import type { LiveFilter } from '../../api/live.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { LiveRow } from '../../api/types.ts';
import { useShortcuts } from '../../frame/keyboard.ts';
import { address, linkTo, setParameters } from '../../frame/router.ts';
import { Choice } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { count } from '../../parts/numbers.ts';
import { Empty, Problem } from '../../parts/loading/states.tsx';
import { ScreenPage } from '../../parts/page.tsx';
import { tabLinks, tabOf, Tabs } from '../../parts/tabs.tsx';
import { Clock } from '../../parts/time.tsx';
import { type Feed, type FeedEntry, recordId, useFeed } from '../live-feed.ts';
import { LiveCells } from '../live-cells.tsx';
import { LiveMessage } from './live-message.tsx';
import { Refusals } from './refusals.tsx';
import './live.css';

type FilterName = 'type' | 'event' | 'user_id' | 'text';
type Filter = Pick<LiveFilter, FilterName>;

const TYPES = ['track', 'identify', 'session'] as const;

const TABS = [
  { name: '', title: 'Accepted' },
  { name: 'refusals', title: 'Rejected' },
] as const;

export function Screen() {
  if (tabOf(TABS) === '') return <Stream />;
  return (
    <ScreenPage title="Live">
      <Tabs label="Live" tabs={tabLinks(TABS)} />
      <Refusals />
    </ScreenPage>
  );
}

/** What was recorded before the page was opened and is shown first. */
const RECENT = 50;

function Stream() {
  const { query } = address.value;
  const filter = filterOf(query);
  const [isPaused, setPaused] = useState(false);
  const feed = useFeed({ ...filter, recent: RECENT }, isPaused);
  const open = useOpenRow(feed, query.get('open') ?? undefined);
  useShortcuts(useMemo(() => ({ p: () => setPaused((paused) => !paused) }), []));
  return (
    <ScreenPage
      title="Live"
      look={open === undefined ? '' : 'with-panel'}
      beside={<Status feed={feed} isPaused={isPaused} />}
      actions={
        <>
          <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {isPaused ? 'Resume' : 'Pause'}
          </button>
          <CopyAs
            request={operation('GET /v1/events/live', { query: filter })}
            isStream
            tidemark={['tail', ...tailOptions(filter)]}
          />
        </>
      }
    >
      <Tabs label="Live" tabs={tabLinks(TABS)} />
      <Filters filter={filter} />
      {feed.error !== undefined && <Problem error={feed.error} />}
      {feed.state === 'log-unreachable' && <p class="notice">The event log cannot be read right now. Retrying…</p>}
      {feed.skipped > 0 && <p class="notice">{count(feed.skipped)} messages were skipped: too many arrived at once.</p>}
      {open === undefined && query.has('open') && feed.recent !== undefined && (
        <p class="notice">The message of this address is not among the newest {RECENT} any more.</p>
      )}
      <div class="split">
        <Rows feed={feed} filter={filter} open={open} />
        {open !== undefined && <LiveMessage key={open.message_id} row={open} onClose={() => openRow(undefined)} />}
      </div>
    </ScreenPage>
  );
}

/** The message that the address names. It stays open when it leaves the list. */
function useOpenRow({ entries, recent = [] }: Feed, id: string | undefined): LiveRow | undefined {
  const kept = useRef<LiveRow | undefined>(undefined);
  if (id === undefined) kept.current = undefined;
  else if (kept.current === undefined || recordId(kept.current) !== id) {
    const rows = [...entries.flatMap((entry) => ('row' in entry ? [entry.row] : [])), ...recent];
    kept.current = rows.find((row) => recordId(row) === id);
  }
  return kept.current;
}

function openRow(row: LiveRow | undefined): void {
  setParameters({ open: row === undefined ? '' : recordId(row) }, { push: row !== undefined });
}

/** `50 of 1,240 a second shown` */
function Status({ feed, isPaused }: { readonly feed: Feed; readonly isPaused: boolean }) {
  const isAlive = feed.state === 'open' && !isPaused;
  return (
    <p class="status" data-status>
      <i class={isAlive ? 'dot alive' : 'dot'} aria-hidden="true" />
      {statusText(feed, isPaused)}
    </p>
  );
}

function statusText({ state, shown, seen, waiting }: Feed, isPaused: boolean): string {
  if (state === 'connecting') return 'Connecting…';
  if (state === 'failed') return 'Stopped';
  if (isPaused) return `Paused · ${count(waiting)} new`;
  if (seen === 0) return 'Listening…';
  return shown < seen ? `${count(shown)} of ${count(seen)} a second shown` : `${count(seen)} a second`;
}

const KINDS = { '': 'All', track: 'Events', identify: 'Identifies', session: 'Sessions' };

function Filters({ filter }: { readonly filter: Filter }) {
  return (
    <form class="filters" role="search" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      <Choice label="Kind" value={filter.type ?? ''} options={KINDS} onChoice={(type) => setParameters({ type })} />
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
}

function Rows({ feed: { entries, recent, error }, filter, open }: RowsProps) {
  if (entries.length === 0 && (recent ?? []).length === 0) {
    return recent === undefined || error !== undefined ? null : <NothingYet filter={filter} />;
  }
  const rowOf = (row: LiveRow) => {
    const id = recordId(row);
    return <Row key={id} row={row} isOpen={open !== undefined && recordId(open) === id} />;
  };
  return (
    <ul class="rows" aria-label="Messages, newest first">
      {entries.map((entry) =>
        'row' in entry ? rowOf(entry.row) : <Hidden key={`${entry.at} ${entry.hidden}`} {...entry} />,
      )}
      {recent !== undefined && recent.length > 0 && (
        <li class="live-line quiet small">Recorded before this page was opened</li>
      )}
      {recent?.map(rowOf)}
    </ul>
  );
}

/** A stream shows 50 messages a second at most: the others are counted. */
function Hidden({ hidden, at }: Extract<FeedEntry, { readonly hidden: number }>) {
  return (
    <li class="live-line quiet small">
      {count(hidden)} more at <Clock at={at} />, not shown
    </li>
  );
}

function Row({ row, isOpen }: { readonly row: LiveRow; readonly isOpen: boolean }) {
  return (
    <li>
      <button
        type="button"
        class="row-button live-row"
        data-row
        aria-expanded={isOpen}
        onClick={() => openRow(isOpen ? undefined : row)}
      >
        <LiveCells row={row} />
      </button>
    </li>
  );
}

function NothingYet({ filter }: { readonly filter: Filter }) {
  if (Object.values(filter).every((value) => value === undefined)) {
    return (
      <Empty
        title="No messages yet"
        action={
          <a class="button primary" href={linkTo([])}>
            Send the first event
          </a>
        }
      >
        Messages appear here within a second.
      </Empty>
    );
  }
  const clear = (
    <button type="button" onClick={clearFilters}>
      Clear the filters
    </button>
  );
  return (
    <Empty title="Nothing matches yet" action={clear}>
      Neither the newest messages nor any since then match the filters.
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
