/** What the live screen has of the stream: the newest rows, and exact counts of the last second. */
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import { listen, type LiveFilter, type LiveTick } from '../api/live.ts';
import type { LiveRow } from '../api/types.ts';

export interface Feed {
  readonly state: 'connecting' | 'open' | 'log-unreachable' | 'failed';
  readonly error: ApiError | undefined;
  /** Newest first. */
  readonly rows: readonly LiveRow[];
  /** Rows that came while it was paused. */
  readonly waiting: number;
  /** Counts of the last second. */
  readonly shown: number;
  readonly seen: number;
  readonly lagMs: number;
  /** Since the page was opened. */
  readonly skipped: number;
  readonly total: number;
  /** Messages seen in each of the last seconds, the newest last. */
  readonly perSecond: readonly number[];
}

const MAX_ROWS = 200;
const MAX_SECONDS = 60;

const EMPTY: Feed = {
  state: 'connecting',
  error: undefined,
  rows: [],
  waiting: 0,
  shown: 0,
  seen: 0,
  lagMs: 0,
  skipped: 0,
  total: 0,
  perSecond: [],
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
  #waiting: LiveRow[] = [];
  #ticks: LiveTick[] = [];

  get feed(): Feed {
    if (!this.isPaused && this.#waiting.length > 0) {
      this.#feed = { ...this.#feed, rows: [...this.#waiting, ...this.#feed.rows].slice(0, MAX_ROWS) };
      this.#waiting = [];
    }
    return { ...this.#feed, waiting: this.#waiting.length };
  }

  reset(): void {
    this.#feed = EMPTY;
    this.#waiting = [];
    this.#ticks = [];
  }

  listener(publish: () => void): Parameters<typeof listen>[1] {
    return {
      onTick: (tick) => {
        this.#add(tick);
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
    this.#ticks = [...this.#ticks, tick].slice(-2 * MAX_SECONDS);
    // A tick has them partition by partition.
    const newestFirst = tick.rows.toSorted((a, b) => (a.received_at < b.received_at ? 1 : -1));
    this.#waiting = [...newestFirst, ...this.#waiting].slice(0, MAX_ROWS);
    const lastSecond = this.#ticks.slice(-2);
    this.#feed = {
      ...this.#feed,
      shown: lastSecond.reduce((sum, { rows }) => sum + rows.length, 0),
      seen: lastSecond.reduce((sum, { seen }) => sum + seen, 0),
      lagMs: tick.lagMs,
      skipped: this.#feed.skipped + tick.skipped,
      total: this.#feed.total + tick.seen,
      perSecond: pairsOf(this.#ticks),
    };
  }
}

/** Ticks come twice a second. */
function pairsOf(ticks: readonly LiveTick[]): number[] {
  const seconds: number[] = [];
  for (let i = ticks.length % 2; i + 1 < ticks.length; i += 2) {
    seconds.push((ticks[i]?.seen ?? 0) + (ticks[i + 1]?.seen ?? 0));
  }
  return seconds;
}
