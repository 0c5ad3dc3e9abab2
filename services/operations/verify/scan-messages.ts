import type { EventLog, PartitionRecords, ScanRange } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Message } from '../../messages/message.ts';
import { decodeBatch, type DecodedBatch } from '../../consumers/decode-batch.ts';

export interface ScanParts {
  readonly log: Pick<EventLog, 'scan'>;
  readonly codec: Pick<Codec, 'prepare' | 'decode'>;
  readonly signal?: AbortSignal | undefined;
  /** The projects whose messages are left out, because they were deleted. */
  readonly deleted?: ReadonlySet<string>;
  /** Called after each piece with the time that it took. The next piece is read when it resolves. */
  readonly rest?: ((workedMs: number) => Promise<void>) | undefined;
}

/** Consecutive messages of one partition. */
export interface ScannedMessages extends DecodedBatch<Message> {
  readonly batch: PartitionRecords;
}

const PIECE = { maxRecords: 10_000, maxBytes: 8 * 2 ** 20 };

/** The messages of these ranges, each partition's in order. Yields to the event loop every 2 ms. */
export async function* scanMessages(
  { log, codec, signal, deleted, rest }: ScanParts,
  ranges: readonly ScanRange[],
): AsyncGenerator<ScannedMessages> {
  let startedMs = performance.now();
  for await (const batch of log.scan(ranges, { ...PIECE, signal })) {
    const { decoded, unprocessable } = await decodeBatch(codec, [batch], (message) => message);
    const left = deleted === undefined ? decoded : decoded.filter(({ content }) => !deleted.has(content.projectId));
    yield { batch, decoded: left, unprocessable };
    await rest?.(performance.now() - startedMs);
    startedMs = performance.now();
  }
}
