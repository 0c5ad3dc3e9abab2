/**
 * Judges calls of SDKs, none of which reads the body of a 200: what is refused there is lost. So only what nobody did, or
 * what is nothing, is refused; any other member that cannot be used is mended, or left out by itself, and named. Pure.
 */
import type { Draft } from '../draft.ts';
import type { JsonBody } from '../json.ts';
import type { Problem } from '../message.ts';
import { fromSdk, isObject, sentAtOf } from './sdk-call.ts';
import { pointerTo, unacceptableIn } from '../unacceptable.ts';
import { type CallType, type Frame, type Validated, validateTidied } from '../validate.ts';
import { Mender } from './mender.ts';
import { readTime } from './read-time.ts';
import { withoutUnacceptable } from './without-unacceptable.ts';

/** What the calls of one body are judged by. */
export interface SdkFrame extends Frame {
  readonly form: 'sdk';
  /** Whether `unacceptableIn` may find something in the body. */
  readonly isSuspect: boolean;
  /** The batch's, for an item that has none. */
  readonly sentAt?: string | undefined;
}

/** Where a call stands in its body. */
type Steps = readonly [] | readonly ['batch', number];

/** The most adjustments of one message that are named: it is mended as a whole all the same. */
const MAX_ADJUSTED = 20;

/**
 * @param type That of the request; null for an item of a batch, which says its own.
 * @param isTold False where what is wrong need not be put into words.
 */
export function validateSdk(
  given: JsonBody,
  type: CallType | null,
  frame: SdkFrame,
  steps: Steps = [],
  isTold = true,
): Validated<Draft> {
  const { isSuspect, sentAt, timezone } = frame;
  const unacceptable = isSuspect ? unacceptableIn(given.exact, steps, MAX_ADJUSTED) : [];
  if (unacceptable.length === 0) {
    const call = fromSdk(given, sentAt);
    const asGiven = hasOddMember(call.plain) ? undefined : validateTidied(call, type, frame, null);
    if (asGiven?.ok === true) return asGiven;
  }
  const at = pointerTo(steps);
  const exact = unacceptable.length === 0 ? given.exact : withoutUnacceptable(given.exact, steps.length);
  const mender = new Mender(fromSdk({ plain: exact, exact }, sentAt).exact, timezone);
  const call = mender.mend(type);
  const validated = validateTidied({ plain: call, exact: call }, type, frame, isTold ? at : null);
  if (!validated.ok) return validated;
  const texts = unacceptable.map(({ path, message }) => ({
    path: path.slice(at.length),
    message: `${message}: mended`,
  }));
  const adjusted = [...texts, ...mender.adjusted].slice(0, MAX_ADJUSTED);
  return { ok: true, draft: { ...validated.draft, adjusted: adjusted.length === 0 ? null : adjusted } };
}

/** The `sentAt` of a batch where it can be read, and else what is to be said of it. */
export function batchSentAt(
  batch: unknown,
  timezone: string,
): { readonly sentAt?: string; readonly adjusted?: Problem } {
  const given = sentAtOf(batch);
  if (given === undefined || given === null) return {};
  const { text, wrong } = readTime(given, timezone);
  return {
    ...(text !== undefined && { sentAt: text }),
    ...(wrong !== undefined && { adjusted: { path: '/sentAt', message: wrong } }),
  };
}

/** Whether a call has a member of a type that would pass, and that it should not have: it would be taken for absent. */
function hasOddMember(call: unknown): boolean {
  if (!isObject(call)) return false;
  const { originalTimestamp, sentAt, context, traits } = call;
  return (
    (originalTimestamp !== undefined && typeof originalTimestamp !== 'string') ||
    (sentAt !== undefined && typeof sentAt !== 'string') ||
    (context !== undefined && !isObject(context)) ||
    Array.isArray(traits)
  );
}
