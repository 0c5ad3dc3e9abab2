import type { IncomingHttpHeaders } from 'node:http';
import type { Draft } from '../messages/draft.ts';
import { keepDigits } from '../messages/exact-number.ts';
import { parseBody, type ParsedBody, toJsonText } from '../messages/json.ts';
import type { Problem } from '../messages/message.ts';
import { MAX_PROBLEMS, validateItems } from '../messages/validate.ts';

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

/** The valid items of a batch apart from the others; refused where there is no valid one, or no batch at all. */
export function sortItems(text: string, timezone: string): SortedItems {
  const { parsed, unreadable } = parseItems(text);
  if (!parsed.ok) return parsed;
  const validated = validateItems(parsed.value, timezone);
  if (!validated.ok) return validated;
  const drafts: Draft[] = [];
  const indexes: number[] = [];
  const rejected: RejectedItem[] = [];
  let told = 0;
  for (const [index, item] of validated.items.entries()) {
    if (item.ok) {
      drafts.push(item.draft);
      indexes.push(index);
    } else {
      const errors = (unreadable.get(index) ?? item.problems).slice(0, MAX_PROBLEMS - told);
      told += errors.length;
      rejected.push({ index, errors });
    }
  }
  if (drafts.length === 0) return { ok: false, problems: rejected.flatMap(({ errors }) => errors) };
  return { ok: true, drafts, indexes, rejected, count: validated.items.length };
}

interface ParsedItems {
  readonly parsed: ParsedBody;
  /** What is wrong with items that no reader could take (a NUL, too deep, …), by index; they are null in `parsed`. */
  readonly unreadable: ReadonlyMap<number, readonly Problem[]>;
}

// What is too deep hides what else is wrong, so a second look may find more; a third nothing.
const MAX_LOOKS = 3;

/** Parses a batch without the items that a strict reader would refuse the whole body for. */
function parseItems(text: string): ParsedItems {
  const unreadable = new Map<number, readonly Problem[]>();
  const first = parseBody(text);
  let parsed = first;
  for (let look = 1; !parsed.ok && look < MAX_LOOKS; look++) {
    const found = byItem(parsed.problems);
    const body = found === undefined ? undefined : parseLoosely(text);
    if (found === undefined || body === undefined) break;
    for (const [index, problems] of found) unreadable.set(index, problems);
    for (const index of unreadable.keys()) body.batch[index] = null;
    parsed = parseBody(toJsonText(body));
  }
  return parsed.ok ? { parsed, unreadable } : { parsed: first, unreadable };
}

/** Problems by the item they lie in; undefined where one lies outside, or where there may be more than were told. */
function byItem(problems: readonly Problem[]): Map<number, Problem[]> | undefined {
  if (problems.length >= MAX_PROBLEMS) return undefined;
  const found = new Map<number, Problem[]>();
  for (const problem of problems) {
    const index = /^\/batch\/(\d+)(?:\/|$)/.exec(problem.path)?.[1];
    if (index === undefined) return undefined;
    const ofItem = found.get(Number(index)) ?? [];
    ofItem.push(problem);
    found.set(Number(index), ofItem);
  }
  return found;
}

function parseLoosely(text: string): { batch: unknown[] } | undefined {
  try {
    const body = JSON.parse(text, keepDigits) as { batch?: unknown } | null;
    return Array.isArray(body?.batch) ? (body as { batch: unknown[] }) : undefined;
  } catch (error) {
    // So deep that parsing it overflows the stack: refused as a whole.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
