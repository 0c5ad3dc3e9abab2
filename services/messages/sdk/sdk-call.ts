/**
 * What analytics SDKs send, in the form that the interface takes: what they send as null is absent, ids may be numbers,
 * traits may be in the context, and times are those of a clock that may be wrong. Pure.
 */
import type { JsonBody } from '../json.ts';
import type { Micros } from '../message.ts';

type Members = Readonly<Record<string, unknown>>;

/** Members that only SDKs send. */
const SDK_MEMBERS = ['userId', 'anonymousId', 'messageId', 'originalTimestamp', 'sentAt', 'writeKey', 'context'];
/** Members that only callers of the interface's own form send. */
const OWN_MEMBERS = ['user_id', 'message_id'];

/** Whether a body, or an item of a batch, is in the form of an SDK. One with a `user_id` is in the interface's own. */
export function isSdkCall(value: unknown): boolean {
  return isObject(value) && !hasAny(value, OWN_MEMBERS) && hasAny(value, SDK_MEMBERS);
}

/** Whether a batch is in the form of an SDK: its envelope or an item says so, and no item is in the interface's own form. */
export function isSdkBatch(value: unknown): boolean {
  if (!isObject(value) || !Array.isArray(value['batch'])) return false;
  const items = value['batch'] as readonly unknown[];
  if (items.some((item) => isObject(item) && hasAny(item, OWN_MEMBERS))) return false;
  return hasAny(value, ['sentAt', 'writeKey', 'context']) || items.some(isSdkCall);
}

/**
 * An SDK's call in the form that the interface takes. What is not an object is left as it is: validation says what is wrong.
 *
 * @param sentAt The batch's, for an item that has none.
 */
export function fromSdk({ plain, exact }: JsonBody, sentAt?: unknown): JsonBody {
  if (!isObject(plain) || !isObject(exact)) return { plain, exact };
  const tidied = tidy(plain, exact, sentAt);
  return { plain: tidied, exact: plain === exact ? tidied : tidy(exact, exact, sentAt) };
}

/** The `sentAt` of a batch. */
export function sentAtOf(batch: unknown): unknown {
  return isObject(batch) ? batch['sentAt'] : undefined;
}

/** An SDK's identify with the traits of its context, where it has no others, as its traits. */
export function withContextTraits({ plain, exact }: JsonBody): JsonBody {
  return { plain: liftTraits(plain), exact: liftTraits(exact) };
}

/** Members that SDKs send as null where they have nothing to say. */
const ABSENT_WHERE_NULL: ReadonlySet<string> = new Set([
  'properties',
  'traits',
  'timestamp',
  'originalTimestamp',
  'sentAt',
  'messageId',
  'context',
  'anonymousId',
  'userId',
  'integrations',
]);

function tidy(call: Members, exact: Members, sentAt: unknown): Members {
  const kept = Object.entries(call).filter(([name, value]) => value !== null || !ABSENT_WHERE_NULL.has(name));
  const tidied: Record<string, unknown> = Object.fromEntries(kept);
  if (typeof sentAt === 'string') tidied['sentAt'] ??= sentAt;
  for (const name of ['userId', 'anonymousId']) {
    if (Object.hasOwn(tidied, name)) tidied[name] = idOf(exact[name]);
  }
  if (tidied['userId'] === '' && typeof tidied['anonymousId'] === 'string' && tidied['anonymousId'] !== '') {
    delete tidied['userId'];
  }
  return tidied;
}

/** A number as its decimal text; `JSON.stringify` writes a raw number digit for digit. */
function idOf(value: unknown): unknown {
  return typeof value === 'number' || JSON.isRawJSON(value) ? JSON.stringify(value) : value;
}

function liftTraits(call: unknown): unknown {
  if (!isObject(call) || Object.hasOwn(call, 'traits') || !isObject(call['context'])) return call;
  const { traits, ...context } = call['context'];
  return isObject(traits) ? { ...call, traits, context } : call;
}

/** A clock that is ahead by more than this is wrong: nothing arrives before it was sent. */
const MOST_AHEAD: Micros = 60_000_000n;
/** A clock that is behind by more than this is wrong; by less, the request may have been sent again after an outage. */
const MOST_BEHIND: Micros = 86_400_000_000n;

/**
 * When something took place by the service's clock, where the caller's clock is clearly wrong: the time from then until the
 * call was sent, by the caller's clock, counted back from its arrival. Never later than the arrival.
 *
 * @param original By the caller's clock.
 * @param sentAt When the call was sent, by the caller's clock. An SDK that gives the original time for it says nothing.
 */
export function correctedTime(original: Micros, sentAt: Micros, arrivedAt: Micros): Micros {
  const behind = arrivedAt - sentAt;
  if (sentAt === original || (behind >= -MOST_AHEAD && behind <= MOST_BEHIND)) return original;
  const corrected = original + behind;
  return corrected < arrivedAt ? corrected : arrivedAt;
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

function hasAny(value: Members, names: readonly string[]): boolean {
  return names.some((name) => Object.hasOwn(value, name));
}
