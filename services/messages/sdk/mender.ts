import { MAX_TRAITS, type Problem } from '../message.ts';
import { shortMessageId } from '../message-id.ts';
import definitions from '../../../schemas/http/definitions.json' with { type: 'json' };
import { isObject, withContextTraits } from './sdk-call.ts';
import type { CallType } from '../validate.ts';
import { readTime } from './read-time.ts';

const CALL_TYPES: readonly string[] = ['identify', 'track', 'page', 'screen', 'group', 'alias'] satisfies CallType[];

const { user_id: USER_ID, event: EVENT, message_id: MESSAGE_ID } = definitions.$defs;

/** In the order in which they count: one that can be used leaves the others unread. */
const TIMES = ['timestamp', 'originalTimestamp', 'sentAt'] as const;

type CallMembers = Record<string, unknown>;

/** Mends the members of one call, and says what it did. */
export class Mender {
  readonly adjusted: Problem[] = [];
  readonly #given: unknown;
  readonly #timezone: string;

  /** @param given A call as `fromSdk` gives it, with exact numbers and nothing that is not acceptable. */
  constructor(given: unknown, timezone: string) {
    this.#given = given;
    this.#timezone = timezone;
  }

  /**
   * The call with every member that can be used. What makes it one of nobody, or nothing, is left as it is.
   *
   * @param type That of the request; null where the call says it.
   */
  mend(type: CallType | null): unknown {
    if (!isObject(this.#given)) return this.#given;
    const call: CallMembers = { ...this.#given };
    if (type === null) this.#mendType(call);
    this.#mendUser(call);
    this.#mendMessageId(call);
    this.#mendTimes(call);
    this.#mendEmpty(call, 'context');
    switch (type ?? call['type']) {
      case 'identify':
        return this.#mendIdentify(call);
      case 'track':
        this.#mendEvent(call);
        break;
      default:
        this.#mendEmpty(call, 'traits');
    }
    this.#mendMap(call, 'properties');
    return call;
  }

  #mendIdentify(call: CallMembers): unknown {
    this.#mendMap(call, 'context');
    this.#mendMap(call, 'traits');
    const lifted = withContextTraits({ plain: call, exact: call }).exact as CallMembers;
    const { traits } = lifted;
    if (!isObject(traits) || Object.keys(traits).length <= MAX_TRAITS) return lifted;
    this.#say(
      lifted === call ? '/traits' : '/context/traits',
      `has more than ${MAX_TRAITS} members: the first are kept`,
    );
    return { ...lifted, traits: Object.fromEntries(Object.entries(traits).slice(0, MAX_TRAITS)) };
  }

  #say(path: string, message: string): void {
    this.adjusted.push({ path, message });
  }

  #leaveOut(call: CallMembers, name: string, why: string): void {
    delete call[name];
    this.#say(`/${name}`, `${why}: left out`);
  }

  #mendType(call: CallMembers): void {
    const { type } = call;
    if (typeof type !== 'string' || CALL_TYPES.includes(type)) return;
    const meant = type.trim().toLowerCase();
    if (!CALL_TYPES.includes(meant)) return;
    call['type'] = meant;
    this.#say('/type', `is taken as ${meant}`);
  }

  /** One id that can be used is enough. Without one nobody did it. */
  #mendUser(call: CallMembers): void {
    for (const [name, other] of [
      ['userId', 'anonymousId'],
      ['anonymousId', 'userId'],
    ] as const) {
      if (call[name] !== undefined && !isUserId(call[name]) && isUserId(call[other])) {
        this.#leaveOut(call, name, `is not a text of 1 to ${USER_ID.maxLength} characters`);
      }
    }
  }

  /** Where it can be, the id that stands for it is the same if the message is sent again. */
  #mendMessageId(call: CallMembers): void {
    const { messageId } = call;
    if (messageId === undefined) return;
    const text = isNumber(messageId) ? JSON.stringify(messageId) : messageId;
    if (typeof text !== 'string' || text === '') {
      this.#leaveOut(call, 'messageId', 'is not a text of one character or more');
      return;
    }
    const isTooLong = isLonger(text, MESSAGE_ID.maxLength);
    call['messageId'] = isTooLong ? shortMessageId(text) : text;
    if (isTooLong)
      this.#say('/messageId', `has more than ${MESSAGE_ID.maxLength} characters: an id made from it stands for it`);
    else if (text !== messageId) this.#say('/messageId', 'is a number: taken as text');
  }

  /** PHP writes an empty map as an empty list. */
  #mendEmpty(call: CallMembers, name: string): void {
    const value = call[name];
    if (!Array.isArray(value) || value.length > 0) return;
    call[name] = {};
    this.#say(`/${name}`, 'is an empty list: taken as an empty object');
  }

  #mendMap(call: CallMembers, name: string): void {
    this.#mendEmpty(call, name);
    if (call[name] !== undefined && !isObject(call[name])) this.#leaveOut(call, name, 'is not an object');
  }

  #mendTimes(call: CallMembers): void {
    for (const name of TIMES) {
      if (call[name] === undefined) continue;
      const { text, wrong } = readTime(call[name], this.#timezone);
      if (wrong !== undefined) this.#say(`/${name}`, wrong);
      if (text === undefined) delete call[name];
      else call[name] = text;
      if (name === 'timestamp' && text !== undefined) return;
    }
  }

  #mendEvent(call: CallMembers): void {
    const { event } = call;
    const isText = typeof event === 'string';
    const text = isText ? event : isNumber(event) || typeof event === 'boolean' ? JSON.stringify(event) : '';
    if (text === '') return;
    if (!isText) this.#say('/event', 'is not a text: taken as one');
    const isTooLong = isLonger(text, EVENT.maxLength);
    if (isTooLong) this.#say('/event', `has more than ${EVENT.maxLength} characters: cut there`);
    call['event'] = isTooLong ? cutTo(text, EVENT.maxLength) : text;
  }
}

/** As `definitions.json` has it. */
function isUserId(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !isLonger(value, USER_ID.maxLength);
}

/** In code points, as JSON schemas count. */
function isLonger(text: string, length: number): boolean {
  return text.length > length && cutTo(text, length) !== text;
}

function cutTo(text: string, length: number): string {
  return Array.from(text.slice(0, 2 * length))
    .slice(0, length)
    .join('');
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || JSON.isRawJSON(value);
}
