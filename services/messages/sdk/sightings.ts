/**
 * Sightings: which anonymous ids a message names beside a user id. The one rule by which both stores tell who is one
 * person, and who is forgotten together. Pure.
 */
import { splitObject } from '../json.ts';
import type { Message } from '../message.ts';
import { parseJson } from '../parse-json.ts';

/** The event of a call that says which id a user had before. */
const ALIAS = 'alias';
const PREVIOUS_ID = 'previousId';
/** As an `anonymousId` may have. */
const MAX_ID_LENGTH = 512;

const NO_IDS: readonly string[] = [];

/** What programs send where they have no id. A change of this list is a change of the rule, which takes a replay. */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  'null',
  'undefined',
  'none',
  'nil',
  'nan',
  'true',
  'false',
  'anonymous',
  'anonymousid',
  'guest',
  'visitor',
  'unknown',
  'user',
  'userid',
  'user_id',
  'id',
  'test',
  'email',
  'default',
  'not_authenticated',
  'distinct_id',
  'distinctid',
  '[object object]',
  'n/a',
  'na',
  '-1',
]);

/** Whether an id stands for no id: it is that of many people, so it makes nobody one person with anybody. */
export function isPlaceholder(id: string): boolean {
  const bare = id
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2')
    .trim()
    .toLowerCase();
  return /^[0\-._:{}x]*$/.test(bare) || PLACEHOLDERS.has(bare);
}

/**
 * The anonymous ids that a message names beside its user id. The `previousId` of an alias is one too: it may be that of a user,
 * but nothing was sent under it as an anonymous id then, so it joins nothing.
 *
 * @throws TidemarkError `MESSAGE_UNDECODABLE` where the properties of an alias are not the JSON of an object.
 */
export function sightingsOf(message: Message): readonly string[] {
  const { userId, anonymousId } = message;
  if (userId === null) return NO_IDS;
  const previousId = message.type === 'track' && message.event === ALIAS ? previousIdOf(message.properties) : null;
  if (anonymousId === null && previousId === null) return NO_IDS;
  if (isPlaceholder(userId)) return NO_IDS;
  const ids = new Set([anonymousId, previousId].filter((id) => id !== null));
  return [...ids].filter((id) => !isPlaceholder(id));
}

/** SDKs send numbers too. */
function previousIdOf(properties: string): string | null {
  const text = splitObject(properties).get(PREVIOUS_ID) ?? 'null';
  const value = parseJson(text);
  const id = typeof value === 'number' ? text : value;
  return typeof id === 'string' && id.length <= MAX_ID_LENGTH ? id : null;
}
