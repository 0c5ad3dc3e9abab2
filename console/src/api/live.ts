/** `GET /v1/events/live` through `fetch`: an EventSource would tell neither a refusal's reason nor when to try again. */
import { ApiError, linesOfAnswer, noAnswer, send } from './client.ts';
import { operation, type Query } from '../../../schemas/operations.ts';
import { countOf, parseJson, type RawNumber } from './json.ts';
import type { LiveRow } from './types.ts';

export type LiveFilter = Query<'GET /v1/events/live'>;

/** One event of the stream: twice a second, with rows or without. */
export interface LiveTick {
  readonly rows: readonly LiveRow[];
  /** How many messages matched since the tick before, shown or not. */
  readonly seen: number;
  /** Records that were passed over because the listener was too far behind. */
  readonly skipped: number;
  /** Whether these were recorded before the page listened: what `recent` of the filter asks for. */
  readonly isRecent: boolean;
}

interface LiveListener {
  readonly onTick: (tick: LiveTick) => void;
  /** `open` with the answer's head; `log-unreachable` while the service cannot read its log. */
  readonly onState: (state: 'connecting' | 'open' | 'log-unreachable') => void;
  /** The stream was cut or refused; it is tried again after `retryS`, unless that is undefined. */
  readonly onError: (error: ApiError, retryS: number | undefined) => void;
}

const RETRY_S = 2;

/** Listens until the signal is aborted, and goes on where it was when the stream is cut. */
export async function listen(filter: LiveFilter, listener: LiveListener, signal: AbortSignal): Promise<void> {
  const place: { id?: string } = {};
  while (!signal.aborted) {
    try {
      listener.onState('connecting');
      const headers = place.id === undefined ? {} : { 'Last-Event-ID': place.id };
      const response = await send({ ...operation('GET /v1/events/live', { query: filter }), headers, signal });
      listener.onState('open');
      for await (const part of linesOfAnswer(response, '\n\n')) readPart(part, listener, place);
      throw noAnswer();
    } catch (error) {
      if (signal.aborted) return;
      const refusal = error instanceof ApiError ? error : noAnswer();
      const passes = refusal.status === 0 || refusal.status === 429 || refusal.status >= 500;
      const retryS = passes ? (refusal.retryAfterS ?? RETRY_S) : undefined;
      listener.onError(refusal, retryS);
      if (retryS === undefined) return;
      await pause(retryS * 1_000, signal);
    }
  }
}

function readPart(part: string, { onTick, onState }: LiveListener, place: { id?: string }): void {
  if (part.startsWith(':')) onState('log-unreachable');
  const fields = new Map(part.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  const data = fields.get('data');
  // The event `end` says why the stream ends: the next attempt is told the same.
  if (data === undefined || fields.has('event')) return;
  const id = fields.get('id');
  if (id !== undefined) place.id = id;
  onState('open');
  const { rows, seen, skipped, recent = false } = parseJson(data) as unknown as RawTick;
  onTick({ rows, seen: countOf(seen), skipped: countOf(skipped), isRecent: recent });
}

type RawTick = Pick<LiveTick, 'rows'> & Record<'seen' | 'skipped', RawNumber> & { readonly recent?: true };

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
