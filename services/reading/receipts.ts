import type { EventLog } from '../event-log/event-log.ts';
import type { Call } from '../http/call.ts';
import type { Refusal } from '../http/problems.ts';
import { decodeReceipt, type Receipt } from '../http/receipt.ts';
import type { Answer } from '../http/route.ts';
import { END_OF_TIME, formatMicros } from '../messages/timestamp.ts';
import type { Place, ProgressWatch } from './progress-watch.ts';
import { readWait, refuseParameter, single } from './query.ts';

/** What is asked about receipts. */
export interface ReceiptParts {
  readonly watch: ProgressWatch;
  readonly log: Pick<EventLog, 'ends'>;
}

/** `GET /v1/receipts/:receipt` */
export async function answerReceipt({ watch, log }: ReceiptParts, call: Call): Promise<Answer | Refusal> {
  const receipt = decodeReceipt(call.params['receipt'] ?? '');
  if (receipt === undefined || !isPossible(receipt)) return NO_RECEIPT_OF_OURS;
  const waitMs = single(call.query, 'wait', readWait);
  if (!waitMs.ok) return waitMs.refusal;
  if (receipt.projectId !== call.project.id) return FOREIGN;
  const places = await exactPlaces(log, receipt);
  const { projected, queryable } = await watch.passed(places, { waitMs: waitMs.value, signal: call.signal });
  const accepted_at = formatMicros(BigInt(receipt.acceptedAtMs) * 1000n);
  return { status: 200, body: JSON.stringify({ accepted_at, projected, queryable }) };
}

const NO_RECEIPT_OF_OURS = refuseParameter('receipt', 'is none that this service gave').refusal;

const FOREIGN: Refusal = { refused: 'not-found', detail: 'This project has no such receipt.' };

/** A receipt has a checksum but no signature: one made up by hand may say any time. */
function isPossible({ acceptedAtMs }: Receipt): boolean {
  return acceptedAtMs < END_OF_TIME / 1000n;
}

/** Every place with its partition: one that stands for a whole topic asks no more of a partition than it holds now. */
async function exactPlaces(log: ReceiptParts['log'], { places }: Receipt): Promise<readonly Place[]> {
  const exact: Place[] = [];
  for (const { topic, partition, offset } of places) {
    if (partition !== null) exact.push({ topic, partition, offset });
    else exact.push(...(await log.ends([topic])).map((end) => ({ ...end, offset: least(end.offset, offset) })));
  }
  return exact;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
