import { least } from '../../event-log/partition.ts';
import type { Call } from '../../http/call.ts';
import type { ConcurrencyLimiter } from '../../http/concurrency-limiter.ts';
import type { Refusal } from '../../http/problems.ts';
import { decodeReceipt, type Receipt } from '../../messages/receipt/receipt.ts';
import { receiptSignerOf } from '../../messages/receipt/receipt-signer.ts';
import type { Answer } from '../../http/route.ts';
import { formatMs } from '../../messages/timestamp.ts';
import type { Input } from '../input.ts';
import { type DroppedParts, isDropped } from './dropped.ts';
import type { Ends, LogEnds } from './log-ends.ts';
import type { ProgressWatch } from './progress-watch.ts';
import { refuseParameter } from '../query.ts';
import type { Passed, RecordPosition } from './wanted-positions.ts';

/** What the receipt endpoint needs. */
export interface ReceiptParts {
  readonly watch: ProgressWatch;
  readonly ends: LogEnds;
  /** Bounds the receipts that wait. */
  readonly waits: Pick<ConcurrencyLimiter, 'admit'>;
  readonly dropped: DroppedParts;
}

/** `GET /v1/receipts/:receipt` */
export async function answerReceipt(
  { watch, ends, waits, dropped }: ReceiptParts,
  call: Call,
  { path: { receipt: name }, query: { wait } }: Input<'GET /v1/receipts/{receipt}'>,
): Promise<Answer | Refusal> {
  const receipt = decodeReceipt(name, receiptSignerOf(call.project));
  if (receipt === undefined) return UNKNOWN_RECEIPT;
  if (receipt === 'foreign') return FOREIGN;
  const places = exactPositions(receipt) ?? positionsWithin(await ends.now(), receipt);
  if (places === undefined) return UNKNOWN_RECEIPT;
  const refusal = wait === 0 ? undefined : waits.admit(call);
  if (refusal !== undefined) return refusal;
  const projectId = call.project.id;
  // Not awaited here: an async function that waits keeps everything that it ever held.
  return watch
    .passed({ name, places }, { waitMs: wait * 1_000, client: call.res })
    .then(answerWith(receipt.acceptedAtMs, () => isDropped(dropped, projectId, places)));
}

const UNKNOWN_RECEIPT = refuseParameter('receipt', 'is none that this service gave').refusal;

const FOREIGN: Refusal = { refused: 'not-found', detail: 'This project has no such receipt.' };

function answerWith(acceptedAtMs: number, wasDropped: () => Promise<boolean>): (passed: Passed) => Promise<Answer> {
  return async ({ projected, queryable }) => {
    const accepted_at = formatMs(acceptedAtMs);
    const dropped = await wasDropped();
    return { status: 200, body: JSON.stringify({ accepted_at, projected, queryable, ...(dropped && { dropped }) }) };
  };
}

/**
 * The places of a signed receipt that names them all, as nearly every one does: they were in the log, which need not be
 * asked. Where it has been replaced by a shorter one since, the answer is false until readers come to those places again.
 */
function exactPositions({ isSigned, places }: Receipt): readonly RecordPosition[] | undefined {
  return isSigned && places.every(isExact) ? places : undefined;
}

function isExact<T extends { readonly partition: number | null }>(
  place: T,
): place is T & { readonly partition: number } {
  return place.partition !== null;
}

/**
 * Every place with its partition: one that stands for a whole topic asks no more of a partition than it holds now.
 * Undefined where a receipt that is not signed names a place that the log does not have.
 */
function positionsWithin(ends: Ends, { isSigned, places }: Receipt): readonly RecordPosition[] | undefined {
  const exact: RecordPosition[] = [];
  for (const place of places) {
    const held = isExact(place) ? [place] : ends.ofTopic(place.topic);
    const isWithin = isExact(place) ? ends.contains(place) : held.some(({ offset }) => offset >= place.offset);
    if (!isSigned && !isWithin) return undefined;
    for (const { topic, partition, offset } of held) {
      exact.push({ topic, partition, offset: least(offset, place.offset) });
    }
  }
  return exact;
}
