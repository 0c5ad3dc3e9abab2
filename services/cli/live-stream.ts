/** The server-sent events of `GET /v1/events/live`, over as many connections as it takes. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../../schemas/operations.ts';
import { blocksOf, keepDigits } from './client/ask.ts';
import { hasCode } from '../runtime/errors.ts';
import { HttpStatusError, type ServiceClient, ServiceUnreachable } from './client/service-client.ts';

type FoundMessage = Answer<'GET /v1/messages/{message_id}'>['messages'][number];
type RowMembers = 'event' | 'user_id' | 'anonymous_id' | 'internal_id' | 'received_at' | 'properties' | 'traits';

/** One message, as the service shows it. */
export type LiveRow = Pick<FoundMessage, RowMembers | 'cut'> & { readonly type: string };

export interface LiveTick {
  readonly rows: readonly LiveRow[];
  /** How many messages matched. */
  readonly seen: number;
  readonly shown: number;
  /** Records of the log that were not looked at. */
  readonly skipped: number;
}

/** Waits before it connects again. */
const CONNECT_AGAIN_AFTER_MS = 2_000;
/** After this time without a byte a connection is broken; the service sends some every half second. */
const SILENCE_MS = 15_000;

interface LiveStreamOptions {
  readonly onLost: () => void;
  readonly onBack: () => void;
}

/**
 * Every event of the stream. After a break it goes on where it was. Never ends by itself.
 *
 * @throws ServiceUnreachable where the first attempt finds no service; HttpStatusError, TidemarkError `COMMAND_INVALID` where the service will not answer
 *   a later attempt either.
 */
export async function* liveTicks(
  client: ServiceClient,
  path: string,
  signal: AbortSignal,
  { onLost, onBack }: LiveStreamOptions,
): AsyncGenerator<LiveTick> {
  let lastId: string | undefined;
  for (let isFirst = true, isLost = false; ; isFirst = false) {
    const leaving = new AbortController();
    const silence = setTimeout(() => leaving.abort(new Error('nothing was heard for too long')), SILENCE_MS);
    try {
      const headers = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
      const response = await client.expectOk(await client.get(path, headers, leaving.signal));
      if (isLost) onBack();
      isLost = false;
      for await (const { id, data } of eventsIn(client.url, response, () => silence.refresh())) {
        lastId = id;
        yield JSON.parse(data, keepDigits) as LiveTick;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (isLasting(error) || (isFirst && lastId === undefined)) throw error;
    } finally {
      clearTimeout(silence);
      leaving.abort();
    }
    if (!isLost) onLost();
    isLost = true;
    await delay(CONNECT_AGAIN_AFTER_MS, undefined, { signal });
  }
}

/** Whether another attempt would end the same way. What a service says while it starts or stops does not last. */
function isLasting(error: unknown): boolean {
  if (hasCode(error, 'COMMAND_INVALID')) return true;
  return error instanceof HttpStatusError && error.status < 500 && error.status !== 429;
}

/** @throws ServiceUnreachable where the connection breaks. */
async function* eventsIn(
  url: string,
  response: Response,
  onPiece: () => void,
): AsyncGenerator<{ readonly id: string; readonly data: string }> {
  try {
    for await (const block of blocksOf(response, '\n\n', onPiece)) {
      const [, id, data] = /^id: (.+)\ndata: (.+)$/.exec(block) ?? [];
      if (id !== undefined && data !== undefined) yield { id, data };
    }
  } catch (error) {
    throw new ServiceUnreachable(url, error);
  }
}
