import type { IncomingHttpHeaders } from 'node:http';
import type { Draft } from '../messages/draft.ts';
import type { JsonBody, ReadJson } from '../messages/json.ts';
import type { Problem } from '../messages/message.ts';
import { batchSentAt, type SdkFrame, validateSdk } from '../messages/sdk/validate-sdk.ts';
import { isAcceptable, MAX_PROBLEMS, unacceptableIn } from '../messages/unacceptable.ts';
import { envelopeProblems, type Frame, itemsOf, type Validated, validateItem } from '../messages/validate.ts';

/** An item of a batch that is left out. */
export interface RejectedItem {
  readonly index: number;
  /** Why; empty where 100 problems have been told before: what to leave out is told always. */
  readonly errors: readonly Problem[];
}

export type SortedItems =
  | { readonly ok: false; readonly problems: readonly Problem[] }
  | {
      readonly ok: true;
      /** The valid items, never none, and the index of each in the batch. */
      readonly drafts: readonly Draft[];
      readonly indexes: readonly number[];
      readonly rejected: readonly RejectedItem[];
      /** How many items the batch has. */
      readonly count: number;
      /** What beside the items could not be used; undefined for nothing. */
      readonly adjusted?: readonly Problem[];
    };

/** Whether the request says `Prefer: handling=lenient` (RFC 7240: of a preference given twice, the first counts). */
export function isLenient(headers: IncomingHttpHeaders): boolean {
  const { prefer } = headers;
  if (prefer === undefined) return false;
  const preferences = (Array.isArray(prefer) ? prefer.join(',') : prefer).split(',');
  const handling = preferences.map((text) => /^\s*handling\s*=\s*"?(\w+)"?\s*(;|$)/i.exec(text)?.[1]);
  return handling.find((value) => value !== undefined)?.toLowerCase() === 'lenient';
}

/**
 * The valid items of a batch in the interface's own form apart from the others; refused where there is no valid one, or no
 * batch at all.
 *
 * @param read A body that may be a batch; not checked for what no message may hold.
 */
export function sortItems({ value: body, isSuspect }: ReadBatch, frame: Frame): SortedItems {
  const wrong = isSuspect && !isAcceptable(besideItems(body.exact)) ? unacceptableIn(body.exact, []) : [];
  if (wrong.length > 0) return { ok: false, problems: wrong };
  return sort(body, (index, item, isTold) => {
    const unacceptable = !isSuspect ? [] : unacceptableIn(item.exact, ['batch', index], isTold ? MAX_PROBLEMS : 1);
    if (unacceptable.length > 0) return { ok: false, problems: unacceptable };
    return validateItem(item, frame, isTold ? `/batch/${index}` : null);
  });
}

/** As `sortItems`, of a batch of an SDK, whose items are mended where they can be: what else it has is not looked at. */
export function sortSdkItems({ value: body, isSuspect }: ReadBatch, { timezone, arrivedAt }: Frame): SortedItems {
  const { sentAt, adjusted } = batchSentAt(body.plain, timezone);
  const frame: SdkFrame = { timezone, arrivedAt, form: 'sdk', isSuspect, sentAt };
  const sorted = sort(body, (index, item, isTold) => validateSdk(item, null, frame, ['batch', index], isTold));
  return sorted.ok && adjusted !== undefined ? { ...sorted, adjusted: [adjusted] } : sorted;
}

type ReadBatch = Extract<ReadJson, { ok: true }>;

type Judge = (index: number, item: JsonBody, isTold: boolean) => Validated<Draft>;

function sort(body: JsonBody, judge: Judge): SortedItems {
  const problems = envelopeProblems(body);
  if (problems.length > 0) return { ok: false, problems };
  const items = itemsOf(body);
  const sorter = new ItemSorter(judge);
  for (let index = 0; index < items.length; index++) sorter.add(index, items.at(index));
  return sorter.sorted;
}

/** Judges item after item. Once 100 problems have been told it only finds out which are bad. */
class ItemSorter {
  readonly #judge: Judge;
  readonly #drafts: Draft[] = [];
  readonly #indexes: number[] = [];
  readonly #rejected: RejectedItem[] = [];
  readonly #listed: Problem[] = [];
  #count = 0;

  constructor(judge: Judge) {
    this.#judge = judge;
  }

  get sorted(): SortedItems {
    if (this.#drafts.length === 0) return { ok: false, problems: this.#listed };
    return {
      ok: true,
      drafts: this.#drafts,
      indexes: this.#indexes,
      rejected: this.#rejected,
      count: this.#count,
    };
  }

  add(index: number, item: JsonBody): void {
    this.#count++;
    const left = MAX_PROBLEMS - this.#listed.length;
    const judged = this.#judge(index, item, left > 0);
    if (judged.ok) {
      this.#drafts.push(judged.draft);
      this.#indexes.push(index);
      return;
    }
    const errors = judged.problems.slice(0, left);
    this.#listed.push(...errors);
    this.#rejected.push({ index, errors });
  }
}

/** The body without what may be left out of it. */
function besideItems(body: unknown): unknown {
  const isBatch = typeof body === 'object' && body !== null && Array.isArray((body as { batch?: unknown }).batch);
  return isBatch ? { ...body, batch: [] } : body;
}
