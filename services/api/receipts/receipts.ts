import { least } from '../../event-log/partition.ts';
import { ConcurrencyLimiter } from '../../http/concurrency-limiter.ts';
import type { Refusal } from '../../http/problems.ts';
import { decodeReceipt, type Receipt } from '../../messages/receipt/receipt.ts';
import { receiptSignerOf } from '../../messages/receipt/receipt-signer.ts';
import type { Answer, Route } from '../../http/route.ts';
import { formatMs } from '../../messages/timestamp.ts';
import { route } from '../input.ts';
import { READ } from '../route-parts.ts';
import { type DroppedParts, isDropped } from './dropped.ts';
import { type Ends, LogEnds } from './log-ends.ts';
import type { ProgressWatch } from './progress-watch.ts';
import { refuseParameter } from '../query.ts';
import type { Passed, RecordPosition } from './wanted-positions.ts';

export interface ReceiptParts extends DroppedParts {
  readonly watch: ProgressWatch;
  /** How many receipts may wait at once, half of them of one project; `RECEIPTS_AT_ONCE` where left out. */
  readonly receiptsAtOnce?: number;
}

/** Receipts that wait: each takes some 8 KB with its connection and its request, of which 500 bytes are the wait's. */
const RECEIPTS_AT_ONCE = 6_000;

export function receiptRoute(parts: ReceiptParts): Route {
  const ends = new LogEnds(parts.log);
  const waits = new ConcurrencyLimiter(parts.receiptsAtOnce ?? RECEIPTS_AT_ONCE);
  const how = { ...READ, scope: 'any' } as const;
  return route('GET /v1/receipts/{receipt}', how, async (call, { path: { receipt: name }, query: { wait } }) => {
    const receipt = decodeReceipt(name, receiptSignerOf(call.project));
    if (receipt === undefined) return UNKNOWN_RECEIPT;
    if (receipt === 'foreign') return FOREIGN;
    const places = exactPositions(receipt) ?? positionsWithin(await ends.now(), receipt);
    if (places === undefined) return UNKNOWN_RECEIPT;
    const refusal = wait === 0 ? undefined : waits.admit(call);
    if (refusal !== undefined) return refusal;
    const projectId = call.project.id;
    // Not awaited here: an async function that waits keeps everything that it ever held.
    return parts.watch
      .passed({ name, places }, { waitMs: wait * 1_000, client: call.res })
      .then(answerWith(receipt.acceptedAtMs, () => isDropped(parts, projectId, places)));
  });
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
