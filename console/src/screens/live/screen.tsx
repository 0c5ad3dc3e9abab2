import { useMemo, useRef, useState } from 'preact/hooks';
import { operation } from '../../api/client.ts';
import type { LiveRow } from '../../api/types.ts';
import { useShortcuts } from '../../parts/keyboard.ts';
import { address, parameter, setParameters } from '../../api/address.ts';
import { Choice, FilterField, Filters } from '../../parts/choice.tsx';
import { count } from '../../parts/numbers.ts';
import { Problem } from '../../parts/loading/use-load.tsx';
import { ScreenPage, tabLinks, tabOf, Tabs } from '../../parts/page.tsx';
import { namesWanted } from '../../parts/user-cell.tsx';
import { Button } from '../../parts/form.tsx';
import { type Feed, recordId, rowsOf, useFeed } from '../live-feed.ts';
import { receiptRequest } from '../receipt-steps.tsx';
import { LiveMessage, MessagePage } from './live-message.tsx';
import { Refusals } from './refusals.tsx';
import { type Filter, openRow, Rows } from './rows.tsx';
import './live.css';
import { optionWords } from '../../parts/copy-as.tsx';

const ROW_TYPES = ['track', 'identify', 'session'] as const;

const LIVE_TABS = [
  { name: '', title: 'Accepted' },
  { name: 'refusals', title: 'Rejected' },
] as const;

export function LiveScreen() {
  const message = parameter('message');
  if (message !== undefined) return <MessagePage key={message} id={message} />;
  if (tabOf(LIVE_TABS) === '') return <Stream />;
  return (
    <ScreenPage title="Live">
      <Tabs label="Live" tabs={tabLinks(LIVE_TABS)} />
      <Refusals />
    </ScreenPage>
  );
}

/** How much of what was recorded before the page was opened is shown: more each time it is asked for. */
const RECENT: readonly number[] = [50, 200, 500];

function recentSteps(): readonly [number, number | undefined] {
  const [recent = 0, more] = RECENT.slice(Math.max(RECENT.indexOf(Number(parameter('recent'))), 0));
  return [recent, more];
}

/** @param shown How many are; undefined until they are there. */
function Earlier({ shown }: { readonly shown: number | undefined }) {
  const [recent, more] = recentSteps();
  if (more === undefined || shown !== recent) return null;
  return <Button label="Show earlier" look="below" onClick={() => setParameters({ recent: String(more) })} />;
}

function Stream() {
  const { query } = address.value;
  const filter = filterInAddress();
  const { user_id: user, ...words } = filter;
  const [isPaused, setPaused] = useState(false);
  const [recent] = recentSteps();
  const feed = useFeed({ ...filter, recent, traits: namesWanted() }, isPaused);
  const open = useOpenRow(feed, query.get('open') ?? undefined);
  useShortcuts(useMemo(() => ({ p: () => setPaused((paused) => !paused) }), []));
  return (
    <ScreenPage
      title="Live"
      look={open === undefined ? '' : 'with-panel'}
      beside={<Status feed={feed} isPaused={isPaused} />}
      actions={
        <Button label={isPaused ? 'Resume' : 'Pause'} aria-pressed={isPaused} onClick={() => setPaused(!isPaused)} />
      }
      copy={{
        request: operation('GET /v1/events/live', { query: filter }),
        isStream: true,
        tidemark: ['tail', ...optionWords({ ...words, user })],
        also: {
          'receipt of the open message': open?.receipt === undefined ? undefined : receiptRequest(open.receipt),
        },
      }}
    >
      <Tabs label="Live" tabs={tabLinks(LIVE_TABS)} />
      <LiveFilters {...filter} />
      {feed.error !== undefined && <Problem error={feed.error} />}
      {feed.state === 'log-unreachable' && <p class="notice">The event log cannot be read right now. Retrying…</p>}
      {feed.skipped > 0 && <p class="notice">{count(feed.skipped)} messages were skipped: too many arrived at once.</p>}
      {open === undefined && query.has('open') && feed.recent !== undefined && (
        <p class="notice">The message of this address is not among the newest {recent} any more.</p>
      )}
      <div class="split">
        <div>
          <Rows feed={feed} filter={filter} open={open} />
          <Earlier shown={feed.recent?.length} />
        </div>
        {open !== undefined && <LiveMessage key={open.message_id} row={open} onClose={() => openRow(undefined)} />}
      </div>
    </ScreenPage>
  );
}

/** The message that the address names. It stays open when it leaves the list. */
function useOpenRow(feed: Feed, id: string | undefined): LiveRow | undefined {
  const kept = useRef<LiveRow | undefined>(undefined);
  if (id === undefined) kept.current = undefined;
  else if (kept.current === undefined || recordId(kept.current) !== id)
    kept.current = rowsOf(feed).find((row) => recordId(row) === id);
  return kept.current;
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

const KIND_CHOICES = { '': 'All', track: 'Events', identify: 'Identifies', session: 'Sessions' };

function LiveFilters({ type }: Filter) {
  return (
    <Filters>
      <Choice
        label="Kind"
        value={type ?? ''}
        options={KIND_CHOICES}
        onChoice={(kind) => setParameters({ type: kind })}
      />
      <FilterField name="event" label="Event" placeholder="Order Completed" isSearch />
      <FilterField name="user_id" label="User" placeholder="user or anonymous id" />
      <FilterField name="text" label="Contains" placeholder="text of the properties" />
    </Filters>
  );
}

function filterInAddress(): Filter {
  const type = ROW_TYPES.find((one) => one === parameter('type'));
  return { type, event: parameter('event'), user_id: parameter('user_id'), text: parameter('text') };
}
