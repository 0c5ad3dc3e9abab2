/** What the live screen has of the stream: the newest messages, and exact counts of what is not shown. */
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import { listen, type LiveFilter, type LiveTick } from '../api/live.ts';
import type { LiveRow } from '../api/types.ts';
import { withNames } from './live-names.ts';

/** What stands in the list: a message, or how many came at that time that are not shown. */
type FeedEntry = { readonly row: LiveRow } | { readonly hidden: number; readonly at: string };

export interface Feed {
  readonly state: 'connecting' | 'open' | 'log-unreachable' | 'failed';
  readonly error: ApiError | undefined;
  /** What came since the page listens, newest first. */
  readonly entries: readonly FeedEntry[];
  /** What was recorded before, newest first; undefined until it is there. */
  readonly recent: readonly LiveRow[] | undefined;
  /** Messages that came while it was paused. */
  readonly waiting: number;
  /** Counts of the last second. */
  readonly shown: number;
  readonly seen: number;
  /** Since the page was opened. */
  readonly skipped: number;
}

const MAX_ENTRIES = 200;

const EMPTY: Feed = {
  state: 'connecting',
  error: undefined,
  entries: [],
  recent: undefined,
  waiting: 0,
  shown: 0,
  seen: 0,
  skipped: 0,
};

/** Listens while the component is there, anew when the filter changes. Paused, it counts and keeps what comes. */
export function useFeed(filter: LiveFilter, isPaused: boolean): Feed {
  const [feed, setFeed] = useState(EMPTY);
  const buffer = useMemo(() => new FeedBuffer(), []);
  const name = JSON.stringify(filter);
  useEffect(() => {
    buffer.reset();
    setFeed(EMPTY);
    const controller = new AbortController();
    const publish = (): void => setFeed(buffer.feed);
    void listen(filter, buffer.listener(publish), controller.signal);
    return () => controller.abort();
  }, [name]);
  // Before anything else that comes is read: a list that says it is paused must not take one more row.
  useLayoutEffect(() => {
    buffer.isPaused = isPaused;
    setFeed(buffer.feed);
  }, [isPaused]);
  return feed;
}

class FeedBuffer {
  isPaused = false;
  #feed = EMPTY;
  #waiting: FeedEntry[] = [];
  #lastSecond: LiveTick[] = [];

  get feed(): Feed {
    if (!this.isPaused && this.#waiting.length > 0) {
      const entries = named([...this.#waiting, ...this.#feed.entries].slice(0, MAX_ENTRIES));
      this.#feed = { ...this.#feed, entries, waiting: 0 };
      this.#waiting = [];
    }
    return this.#feed;
  }

  reset(): void {
    this.#feed = EMPTY;
    this.#waiting = [];
    this.#lastSecond = [];
  }

  listener(publish: () => void): Parameters<typeof listen>[1] {
    return {
      onTick: (tick) => {
        if (tick.isRecent) this.#feed = { ...this.#feed, recent: withNames(newestFirst(tick.rows)) };
        else this.#add(tick);
        publish();
      },
      onState: (state) => {
        this.#feed = { ...this.#feed, state, ...(state === 'open' && { error: undefined }) };
        publish();
      },
      onError: (error, retryS) => {
        this.#feed = { ...this.#feed, error, state: retryS === undefined ? 'failed' : 'connecting' };
        publish();
      },
    };
  }

  #add(tick: LiveTick): void {
    this.#lastSecond = [...this.#lastSecond, tick].slice(-2);
    const rows = newestFirst(tick.rows);
    const hidden = tick.seen - rows.length;
    const at = rows.at(-1)?.received_at ?? new Date().toISOString();
    const entries: FeedEntry[] = [...rows.map((row) => ({ row })), ...(hidden > 0 ? [{ hidden, at }] : [])];
    this.#waiting = [...entries, ...this.#waiting].slice(0, MAX_ENTRIES);
    this.#feed = {
      ...this.#feed,
      waiting: this.#feed.waiting + tick.seen,
      shown: this.#lastSecond.reduce((sum, one) => sum + one.rows.length, 0),
      seen: this.#lastSecond.reduce((sum, { seen }) => sum + seen, 0),
      skipped: this.#feed.skipped + tick.skipped,
    };
  }
}

/** The messages that a feed has, newest first. */
export function rowsOf({ entries, recent = [] }: Pick<Feed, 'entries' | 'recent'>): readonly LiveRow[] {
  return [...entries.flatMap((entry) => ('row' in entry ? [entry.row] : [])), ...recent];
}

function named(entries: readonly FeedEntry[]): readonly FeedEntry[] {
  const rows = withNames(rowsOf({ entries, recent: [] })).values();
  return entries.map((entry) => ('row' in entry ? { row: rows.next().value ?? entry.row } : entry));
}

/** A tick has them partition by partition. */
function newestFirst(rows: readonly LiveRow[]): readonly LiveRow[] {
  return rows.toSorted((a, b) => (a.received_at < b.received_at ? 1 : -1));
}

/** Names a message in the address: where it stands in the log. */
export function recordId({ log: { topic, partition, offset } }: LiveRow): string {
  return `${topic.replace('tidemark.', '')}-${partition.rawJSON}-${offset}`;
}
