import type { EventLog } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import { LIVE_TOPICS, type Message } from '../messages/message.ts';

/**
 * When the newest live message arrived, in milliseconds since 1970, of the last record of every partition; undefined
 * of an empty log. The record's own date may be from a moment at which the clock was wrong.
 *
 * @throws TidemarkError as `EventLog.scan`, or `STORE_UNAVAILABLE` where a schema cannot be loaded.
 */
export async function newestArrivalMs(
  log: Pick<EventLog, 'ends' | 'scan'>,
  codec: Pick<Codec, 'decode' | 'prepare'>,
): Promise<number | undefined> {
  const ends = (await log.ends(LIVE_TOPICS)).filter(({ offset }) => offset > 0n);
  const ranges = ends.map(({ offset, ...at }) => ({ ...at, from: offset - 1n, to: offset }));
  let newest: number | undefined;
  for await (const { topic, records } of log.scan(ranges)) {
    await codec.prepare(records.map(({ value }) => value));
    for (const { value } of records) {
      const arrivedMs = arrivalMsOf(() => codec.decode(topic, value));
      if (arrivedMs !== undefined && !(arrivedMs <= (newest ?? -Infinity))) newest = arrivedMs;
    }
  }
  return newest;
}

/** Undefined of what is no message: it says nothing. */
function arrivalMsOf(decode: () => Message): number | undefined {
  try {
    return Number(decode().receivedAt / 1000n);
  } catch {
    return undefined;
  }
}
