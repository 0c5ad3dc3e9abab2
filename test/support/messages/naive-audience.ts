import {
  type Audience,
  type Comparison,
  type Constant,
  type DateTest,
  type EventCondition,
  type Member,
  type NumberConstant,
  numberConstant,
  type Period,
  type Sequence,
  type Test,
  type TextOptions,
} from '../../../services/questions/definition/audience.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { samplePosition } from '../../../services/questions/sql/sample.ts';
import { parseBody } from '../../../services/messages/json.ts';
import { isMeasured } from './naive-measure.ts';
import { datePasses, lies } from './naive-dates.ts';
import type { Message, Micros, Track } from '../../../services/messages/message.ts';

const DAY: Micros = 86_400_000_000n;

/** The user keys of an audience, found out the slow way: message by message, in the order of the log. */
export function audienceOf(audience: Audience, messages: readonly Message[], now: Micros): Set<string> {
  const users = [...new Set(messages.map(({ userKey }) => userKey))];
  return new Set(users.filter((user) => includes(audience, new History(messages, user), now)));
}

function includes(audience: Audience, history: History, now: Micros): boolean {
  switch (audience.kind) {
    case 'all':
      return audience.of.every((part) => includes(part, history, now));
    case 'any':
      return audience.of.some((part) => includes(part, history, now));
    case 'not':
      return !includes(audience.of, history, now);
    case 'trait':
      return passes(
        valueAt(history.traits(), audience.path),
        audience.tests,
        audience.path.length === 1 ? 'trait' : 'in trait',
        now,
      );
    case 'event':
      return hasDone(audience, history, now);
    case 'audience':
      return includes(audience.of, history, now);
    case 'sample':
      return samplePosition(audience.seed, history.user) < audience.hundredths;
    case 'users':
      return audience.ids.some((id) => userKeyOf(history.projectId, id) === history.user);
    default:
      return audience satisfies never;
  }
}

/** One user's messages. */
export class History {
  readonly #messages: readonly Message[];
  readonly user: string;

  constructor(messages: readonly Message[], user: string) {
    this.user = user;
    this.#messages = messages.filter(({ userKey }) => userKey === user);
  }

  get projectId(): string {
    return this.#messages[0]?.projectId ?? '';
  }

  traits(): object {
    const newestLast = this.#messages
      .filter((message) => message.type !== 'track')
      .toSorted((one, other) => (one.version < other.version ? -1 : 1));
    return Object.fromEntries(newestLast.flatMap(({ traits }) => Object.entries(parsed(traits))));
  }

  /** Each message once a day, the first copy of it. */
  events(names: readonly string[] | null): Track[] {
    const first = new Map<string, Track>();
    for (const message of this.#messages) {
      if (message.type !== 'track' || (names !== null && !names.includes(message.event))) continue;
      const id = `${dayOf(message.timestamp)} ${messageOf(message)}`;
      if (!first.has(id)) first.set(id, message);
    }
    return [...first.values()];
  }
}

function hasDone(condition: EventCondition, history: History, now: Micros): boolean {
  const { times, within, first, last, where, sequence, measure } = condition;
  const found = history
    .events(condition.events)
    .filter(({ timestamp }) => lies(timestamp, within, now))
    .filter(({ properties }) => where.every((member) => memberPasses(parsed(properties), member, now)));
  const events = sequence === null ? found : inSequence(found, sequence, history, now);
  const count = new Set(events.map(messageOf)).size;
  if (count < times.atLeast || count > (times.atMost ?? Infinity)) return false;
  const measured = events.map((one) => [messageOf(one), valueAt(parsed(one.properties), measure?.path ?? [])] as const);
  if (measure !== null && !isMeasured(measure, measured)) return false;
  const instants = events.map(({ timestamp }) => timestamp).toSorted((one, other) => (one < other ? -1 : 1));
  return isIn(instants.at(0), first, now) && isIn(instants.at(-1), last, now);
}

/** Under two names an id is two messages. */
function messageOf({ event, messageId }: Track): string {
  return JSON.stringify([event, messageId]);
}

/** Those that are (not) followed, of all or of those of the first or the last instant. */
function inSequence(events: readonly Track[], sequence: Sequence, history: History, now: Micros): readonly Track[] {
  const { later, within, which, isFollowed } = sequence;
  const did = history
    .events(later.events)
    .filter(({ properties }) => later.where.every((member) => memberPasses(parsed(properties), member, now)));
  const following = later.sequence === null ? did : inSequence(did, later.sequence, history, now);
  const whens = events.map(whenOf).toSorted((one, other) => (one < other ? -1 : 1));
  return events.filter((event) => {
    const [time, when] = [event.timestamp, whenOf(event)];
    if ((which === 'first' && when !== whens.at(0)) || (which === 'last' && when !== whens.at(-1))) return false;
    const hasFollower = following.some((one) => whenOf(one) > when && one.timestamp <= time + within);
    return isFollowed ? hasFollower : !hasFollower && time + within <= now;
  });
}

/** In the order of time and arrival. */
function whenOf({ timestamp, receivedAt }: Track): bigint {
  return timestamp * 2n ** 64n + receivedAt;
}

function isIn(instant: Micros | undefined, period: Period | null, now: Micros): boolean {
  return period === null || (instant !== undefined && lies(instant, period, now));
}

export function memberPasses(properties: object, { path, tests }: Member, now: Micros): boolean {
  return passes(valueAt(properties, path), tests, 'property', now);
}

/** Where the value is stored. */
type Place = 'trait' | 'in trait' | 'property' | 'in list';

function passes(value: unknown, tests: readonly Test[], place: Place, now: Micros): boolean {
  return tests.every((test) => passesOne(value, test, place, now));
}

function passesOne(value: unknown, test: Test, place: Place, now: Micros): boolean {
  switch (test.test) {
    case 'is':
      return equals(letters(value, test), letters(test.value, test), place);
    case 'is_not':
      return !equals(letters(value, test), letters(test.value, test), place);
    case 'in':
      return test.values.some((wanted) => equals(letters(value, test), letters(wanted, test), place));
    case 'exists':
      return test.value === isThere(value, place);
    case 'contains':
      return contains(letters(value, test), letters(test.value, test), place);
    case 'starts_with':
    case 'ends_with':
    case 'matches':
      return textPasses(value, test);
    case 'has':
      return hasObject(value, test.members, now);
    case 'date':
      return dateIsIn(value, test, place, now);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      break;
  }
  return isInOrder(compare(value, test.value, place), test.test);
}

/** Whether one object in a list passes all. */
function hasObject(list: unknown, members: readonly Member[], now: Micros): boolean {
  const objects = Array.isArray(list) ? list.filter(isObject) : [];
  return objects.some((one) => members.every(({ path, tests }) => passes(valueAt(one, path), tests, 'in list', now)));
}

function isThere(value: unknown, place: Place): boolean {
  return place === 'property' ? hasLeaf(value) : value !== undefined && value !== null;
}

function isInOrder(order: number | undefined, comparison: Comparison): boolean {
  return order !== undefined && { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[comparison];
}

function dateIsIn(value: unknown, test: DateTest, place: Place, now: Micros): boolean {
  return datePasses(typeof value === 'string' ? value : number(value, place), test, now);
}

function textPasses(
  text: unknown,
  test: Extract<Test, { readonly test: 'starts_with' | 'ends_with' | 'matches' }>,
): boolean {
  if (typeof text !== 'string') return false;
  const wanted = letters(test.value, test);
  if (test.test === 'starts_with') return letters(text, test).startsWith(wanted);
  if (test.test === 'ends_with') return letters(text, test).endsWith(wanted);
  return new RegExp(test.value, test.ignoresCase ? 'sui' : 'su').test(text);
}

const lower = (text: string): string => text.toLowerCase();
const upper = (text: string): string => text.toUpperCase();

/** Each letter in lower case where the test ignores it, in a list too: no letter knows where it stands. */
function letters<T>(value: T, test: TextOptions): T {
  if (test.ignoresCase !== true) return value;
  if (Array.isArray(value)) return value.map((member: unknown) => letters(member, test)) as T;
  return (typeof value === 'string' ? Array.from(lower(upper(lower(value))), lower).join('') : value) as T;
}

function contains(value: unknown, wanted: Constant, place: Place): boolean {
  if (typeof value === 'string') return typeof wanted === 'string' && value.includes(wanted);
  if (!Array.isArray(value)) return false;
  const inList = place === 'trait' ? 'in trait' : place;
  return value.some((member) => equals(member, wanted, inList));
}

function equals(value: unknown, wanted: Constant, place: Place): boolean {
  return typeof wanted === 'boolean' ? value === wanted : compare(value, wanted, place) === 0;
}

/** Undefined where they are not of one type. */
function compare(value: unknown, wanted: Constant, place: Place): number | undefined {
  if (typeof value === 'string' && typeof wanted === 'string')
    return Buffer.compare(Buffer.from(value), Buffer.from(wanted));
  const found = number(value, place);
  if (!found || typeof wanted !== 'object') return undefined;
  const [one, other] =
    found.integer !== null && wanted.integer !== null ? [found.integer, wanted.integer] : [found.double, wanted.double];
  return one === other ? 0 : one < other ? -1 : 1;
}

/**
 * Inside a trait and in properties, what is written with a fraction or an exponent is a double. In an object of a list it
 * is the decimal that JavaScript writes for that double.
 */
function number(value: unknown, place: Place): NumberConstant | undefined {
  const found = numberConstant(value);
  if (!found || place === 'trait' || !/[.e]/i.test(toText(value))) return found;
  return place === 'in list' ? numberConstant(found.double) : { ...found, integer: null };
}

function toText(value: unknown): string {
  return JSON.stringify(value);
}

/** In the properties an object is no more than what is in it. */
function hasLeaf(value: unknown): boolean {
  if (typeof value !== 'object' || Array.isArray(value) || JSON.isRawJSON(value)) return value !== undefined;
  return value !== null && Object.values(value).some(hasLeaf);
}

export function valueAt(container: unknown, path: readonly string[]): unknown {
  return path.reduce((value: unknown, key) => {
    return isObject(value) && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
  }, container);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

export function parsed(text: string): object {
  const body = parseBody(text);
  if (!body.ok) throw new Error('not JSON');
  return body.value.exact as object;
}

export function dayOf(timestamp: Micros): bigint {
  // Rounds down before 1970 too.
  return (timestamp - (((timestamp % DAY) + DAY) % DAY)) / DAY;
}
