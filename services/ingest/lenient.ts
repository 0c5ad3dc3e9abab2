import type { IncomingHttpHeaders } from 'node:http';
import type { Draft } from '../messages/draft.ts';
import type { JsonBody, ReadJson } from '../messages/json.ts';
import type { Micros, Problem } from '../messages/message.ts';
import { isAcceptable, MAX_PROBLEMS, unacceptableIn } from '../messages/unacceptable.ts';
import { envelopeProblems, itemsOf, validateItem, validItem } from '../messages/validate.ts';

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
 * The valid items of a batch apart from the others; refused where there is no valid one, or no batch at all.
 *
 * @param read A body that may be a batch; not checked for what no message may hold.
 */
export function sortItems(read: Extract<ReadJson, { ok: true }>, timezone: string, arrivedAt: Micros): SortedItems {
  const { value: body, isSuspect } = read;
  const wrong = isSuspect && !isAcceptable(besideItems(body.exact)) ? unacceptableIn(body.exact, []) : [];
  const problems = wrong.length > 0 ? wrong : envelopeProblems(body);
  if (problems.length > 0) return { ok: false, problems };
  const items = itemsOf(body);
  const sorter = new ItemSorter(timezone, arrivedAt, isSuspect);
  for (let index = 0; index < items.length; index++) sorter.add(index, items.at(index));
  return sorter.sorted;
}

/** Judges item after item. Once 100 problems have been told it only finds out which are bad. */
class ItemSorter {
  readonly #timezone: string;
  readonly #arrivedAt: Micros;
  /** Whether an item may hold what no message may. */
  readonly #isSuspect: boolean;
  readonly #drafts: Draft[] = [];
  readonly #indexes: number[] = [];
  readonly #rejected: RejectedItem[] = [];
  readonly #told: Problem[] = [];
  #count = 0;

  constructor(timezone: string, arrivedAt: Micros, isSuspect: boolean) {
    this.#timezone = timezone;
    this.#arrivedAt = arrivedAt;
    this.#isSuspect = isSuspect;
  }

  get sorted(): SortedItems {
    if (this.#drafts.length === 0) return { ok: false, problems: this.#told };
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
    const left = MAX_PROBLEMS - this.#told.length;
    const judged = left > 0 ? this.#judge(index, item) : this.#draftOf(item);
    if (judged !== undefined && !isProblems(judged)) {
      this.#drafts.push(judged);
      this.#indexes.push(index);
    } else this.#reject(index, judged?.slice(0, left) ?? []);
  }

  #judge(index: number, item: JsonBody): Draft | readonly Problem[] {
    const unacceptable = this.#isSuspect ? unacceptableIn(item.exact, ['batch', index]) : [];
    if (unacceptable.length > 0) return unacceptable;
    const validated = validateItem(item, this.#timezone, `/batch/${index}`, this.#arrivedAt);
    return validated.ok ? validated.draft : validated.problems;
  }

  #draftOf(item: JsonBody): Draft | undefined {
    return this.#isSuspect && !isAcceptable(item.exact, 2)
      ? undefined
      : validItem(item, this.#timezone, this.#arrivedAt);
  }

  #reject(index: number, errors: readonly Problem[]): void {
    this.#told.push(...errors);
    this.#rejected.push({ index, errors });
  }
}

function isProblems(judged: Draft | readonly Problem[]): judged is readonly Problem[] {
  return Array.isArray(judged);
}

/** The body without what may be left out of it. */
function besideItems(body: unknown): unknown {
  const isBatch = typeof body === 'object' && body !== null && Array.isArray((body as { batch?: unknown }).batch);
  return isBatch ? { ...body, batch: [] } : body;
}
