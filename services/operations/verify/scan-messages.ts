import type { EventLog, PartitionRecords, ScanRange } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Message } from '../../messages/message.ts';
import { type ErasedUsers, isForgotten, NOBODY_ERASED } from '../../stores/erasures/erased-users.ts';
import { decodeBatch, type Decoded, type DecodedBatch } from '../../consumers/decode-batch.ts';

export interface ScanParts {
  readonly log: Pick<EventLog, 'scan'>;
  readonly codec: Pick<Codec, 'prepare' | 'decode'>;
  readonly signal?: AbortSignal | undefined;
  /** The people whose messages are left out, because they were forgotten. */
  readonly erased?: ErasedUsers | undefined;
  /** Called after each piece with the time that it took. The next piece is read when it resolves. */
  readonly rest?: ((workedMs: number) => Promise<void>) | undefined;
}

/** Consecutive messages of one partition. */
export interface ScannedMessages extends DecodedBatch<Message> {
  /** With blank records. */
  readonly batch: PartitionRecords;
  /** Messages of people who were forgotten, which the log still has. */
  readonly forgotten: readonly Decoded<Message>[];
}

const PIECE = { maxRecords: 10_000, maxBytes: 8 * 2 ** 20 };

/** The messages of these ranges, each partition's in order. Yields to the event loop every 2 ms. */
export async function* scanMessages(
  { log, codec, signal, erased = NOBODY_ERASED, rest }: ScanParts,
  ranges: readonly ScanRange[],
): AsyncGenerator<ScannedMessages> {
  let startedMs = performance.now();
  for await (const batch of log.scan(ranges, { ...PIECE, signal, withBlank: true })) {
    const { decoded, unprocessable } = await decodeBatch(codec, [batch], (message) => message);
    const forgotten = erased.size === 0 ? [] : decoded.filter(({ content }) => isForgotten(erased, content));
    const kept = forgotten.length === 0 ? decoded : decoded.filter(({ content }) => !isForgotten(erased, content));
    yield { batch, decoded: kept, forgotten, unprocessable };
    await rest?.(performance.now() - startedMs);
    startedMs = performance.now();
  }
}
