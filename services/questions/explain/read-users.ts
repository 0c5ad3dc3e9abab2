/** Reads of many users what conditions test: the same as `readKnown` of each. */
import type { Micros } from '../../messages/message.ts';
import { hasCode } from '../../runtime/errors.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import type { Query } from '../../stores/analytics/analytics-store.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import type { Condition } from '../definition/audience.ts';
import type { EvaluationInput } from './condition-state.ts';
import {
  addCopies,
  columnsSql,
  conditionsByName,
  type Copy,
  countableSql,
  type EventRow,
  type EventScope,
  eventsOfConditions,
  keepFirst,
  MAX_EVENTS,
  scopesOf,
} from './user-events-query.ts';
import { type KnownTrait, knownTrait, type TraitRow } from './user-traits.ts';
import { traitDigitsSql } from '../operators/matched-texts.ts';
import { MAX_PAGE_CHARS } from '../query-budget.ts';
import { withFunctions } from '../sql/functions.ts';
import { Params } from '../sql/params.ts';
import { Steps } from '../steps.ts';

// Requests have a thread of their own. What takes turns here are the readers, and a turn of theirs may be a statement of
// PGlite: with a turn after every 2 ms, to decide 158 users took up to 2.7 s under 500 events/s (measured).
export const YIELD_AFTER_MS = 20;

/** What is known of a user. */
export type UserState = Pick<EvaluationInput, 'traits' | 'events' | 'steps'>;

export type AskRows = (query: Query) => Promise<readonly unknown[]>;

export interface UsersWanted {
  readonly projectId: string;
  /** Internal ids. */
  readonly users: readonly string[];
  readonly conditions: readonly Condition[];
  /** Events that are counted at no time from then on may be left out. */
  readonly now: Micros;
}

type OfUser<Row> = Row & { readonly user: string };

/** A first page is small, since an event may have 500 KB; later ones are as large as the rows of those before allow. */
const FIRST_PAGE_ROWS = 2_000;
const MAX_PAGE_ROWS = 50_000;

/**
 * Reads these users. Null: the user has more events than can be read, or takes too many steps. Together they may have a few hundred thousand events:
 * of more, ask about fewer users at once.
 *
 * @throws TooManyEvents of several users; what asking throws.
 */
export async function readUsers(ask: AskRows, wanted: UsersWanted): Promise<ReadonlyMap<string, UserState | null>> {
  const { users, conditions } = wanted;
  const ofEvents = conditions.filter((condition) => condition.kind === 'event');
  const keys = new Map(users.map((userKey) => [userNumber(userKey), userKey]));
  const stepsOf = new Map<string, Steps | null>([...keys.keys()].map((user) => [user, new Steps()]));
  const [traits, ...copies] = await Promise.all([
    readTraits(ask, wanted),
    ...scopesOf(ofEvents).map((scope) => readCopies(ask, wanted, scope, stepsOf)),
  ]);
  const events = new Map([...keys.keys()].map((user) => [user, eventsOfConditions(ofEvents)]));
  for (const found of copies) {
    // One user is asked about: of several it throws.
    if (found === null) return new Map(users.map((userKey) => [userKey, null]));
    for (const [user, ofUser] of found) addCopies(events.get(user) ?? new Map(), ofUser.values());
  }
  const stateOf = (user: string): UserState | null => {
    const steps = stepsOf.get(user) ?? null;
    return steps && { traits: traits.get(user) ?? new Map(), events: events.get(user) ?? new Map(), steps };
  };
  return new Map([...keys].map(([user, userKey]) => [userKey, stateOf(user)]));
}

/** Several users have too many events: ask about fewer at once. */
export class TooManyEvents extends Error {
  override readonly name = 'TooManyEvents';
}

async function readTraits(
  ask: AskRows,
  { projectId, users, conditions }: UsersWanted,
): Promise<ReadonlyMap<string, Map<string, KnownTrait>>> {
  const ofTraits = conditions.filter((condition) => condition.kind === 'trait');
  const names = ofTraits.map(({ path }) => path[0] ?? '');
  const found = new Map<string, Map<string, KnownTrait>>();
  if (names.length === 0) return found;
  const params = new Params();
  const sql =
    `SELECT user, trait, kind, value, toString(version) AS version, ${traitDigitsSql(params, ofTraits)} AS digits ` +
    'FROM user_trait_rows FINAL ' +
    `WHERE project_id = ${params.string(projectId)} AND user IN ${params.userNumbers(users.map(userNumber))} ` +
    `AND trait IN ${params.strings([...new Set(names)])}`;
  const rows = await ask({ projectId, sql: withFunctions(sql), params: params.values() });
  for (const row of rows as readonly OfUser<TraitRow>[]) {
    const ofUser = found.get(row.user) ?? new Map<string, KnownTrait>();
    found.set(row.user, ofUser.set(row.trait, knownTrait(row, ofTraits)));
  }
  return found;
}

/** False where the user's events take too many steps. */
function isKept(...[copies, row, conditions, at]: Parameters<typeof keepFirst>): boolean {
  try {
    keepFirst(copies, row, conditions, at);
    return true;
  } catch (error) {
    if (!hasCode(error, 'QUERY_LIMIT')) throw error;
    copies.clear();
    return false;
  }
}

/**
 * The first copies of events by user; null: one user is asked about, and has too many.
 *
 * @param stepsOf Null once there were too many for a user.
 */
async function readCopies(
  ask: AskRows,
  wanted: UsersWanted,
  scope: EventScope,
  stepsOf: Map<string, Steps | null>,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Copy>> | null> {
  const yielder = new EventLoopYielder(YIELD_AFTER_MS);
  const conditionsOf = conditionsByName(scope);
  const found = new Map<string, Map<string, Copy>>();
  let [after, total]: [OfUser<EventRow> | undefined, number] = [undefined, 0];
  for (let limit = scope.withText ? FIRST_PAGE_ROWS : MAX_PAGE_ROWS; ;) {
    const rows = (await ask(usersPage(wanted, scope, after, limit))) as readonly OfUser<EventRow>[];
    for (const row of rows) {
      const copies = found.get(row.user) ?? new Map<string, Copy>();
      found.set(row.user, copies);
      const steps = stepsOf.get(row.user);
      if (steps && !isKept(copies, row, conditionsOf(row.event), { now: wanted.now, steps }))
        stepsOf.set(row.user, null);
      if (yielder.isOver()) await yielder.next();
    }
    after = rows.at(-1);
    if (rows.length < limit || after === undefined) return found;
    total += rows.length;
    if (total > MAX_EVENTS && wanted.users.length > 1) throw new TooManyEvents('together they have too many events');
    if (total > MAX_EVENTS) return null;
    const chars = rows.reduce((sum, { text }) => sum + text.length, 0);
    limit = Math.min(MAX_PAGE_ROWS, Math.max(1, Math.floor((MAX_PAGE_CHARS * rows.length) / Math.max(chars, 1))));
  }
}

/**
 * A page in order of user, time and message. WITH TIES includes the copies of the last message, so the next page begins
 * after them.
 */
function usersPage(
  { projectId, users, now }: UsersWanted,
  scope: EventScope,
  after: OfUser<EventRow> | undefined,
  limit: number,
): Query {
  const params = new Params();
  const numbers = users.map(userNumber);
  const left = after === undefined ? numbers : numbers.filter((user) => BigInt(user) >= BigInt(after.user));
  const where = [
    `project_id = ${params.string(projectId)}`,
    `user IN ${params.userNumbers(left)}`,
    countableSql(params, scope.conditions, now),
  ];
  if (after !== undefined) {
    const last = [
      params.userNumber(BigInt(after.user)),
      params.instant(BigInt(after.occurred)),
      params.string(after.message_id),
    ];
    where.push(`(user, timestamp, message_id) > (${last.join(', ')})`);
  }
  // Not `userEventsWhere`: an audience follows only where all rows are in the order of users (`hasUserOrder`), and to look
  // into the other table, which has none, takes a fifth of the time.
  const sql =
    `SELECT user, ${columnsSql(params, scope)} FROM user_track_rows WHERE ${where.join(' AND ')} ` +
    `ORDER BY user, timestamp, message_id LIMIT ${params.count(limit)} WITH TIES`;
  return { projectId, sql: withFunctions(sql), params: params.values() };
}
