import type { Logger } from '../../runtime/logger.ts';
import { isRetryable, TidemarkError } from '../../runtime/errors.ts';
import type { Queryable } from '../../stores/database/database.ts';
import type { Erasure, ErasureFilter, NewErasure } from '../../stores/erasures/erasure.ts';
import { type EventsToErase, requestEvents } from '../../stores/erasures/sql-erased-events.ts';
import { SqlErasures, type ErasureTerms } from '../../stores/erasures/sql-erasures.ts';
import { anonymousKeyOf } from '../../messages/user-key.ts';
import { LiveGenerations } from '../../stores/generations/live-generations.ts';
import { MAX_SIGHTINGS } from '../../stores/profiles/sightings.ts';
import { SqlJoinDecisions } from '../../stores/profiles/sql-join-decisions.ts';
import { tablesOfProfiles } from '../../stores/projects/delete-project.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import { countUsers, eraseUsers, evaluateAgain, type ForgettingUsersParts } from './forget-users.ts';
import { countAnalytics } from './erase-rows.ts';
import { maybeAhead, seenBeside, seenWithOthers } from './seen-people.ts';

/** The people who are to be forgotten. */
export interface ForgettingRequest extends ErasureTerms {
  readonly users: readonly NamedPerson[];
}

/** A person as a request names them. */
export interface NamedPerson {
  /** The internal id. */
  readonly userKey: string;
  /** The id that was given, where it is not the internal one. */
  readonly name: string | null;
  /** Whether that is an anonymous id. */
  readonly isAnonymous: boolean;
}

export interface ForgettingAnswer {
  /** Those of anonymous ids included that were seen with one of the people, and with nobody else. */
  readonly erasures: readonly Erasure[];
  /** Anonymous ids that were seen with others too: they stay. */
  readonly shared: readonly string[];
  /** Internal ids of which nothing is known: nothing was done. */
  readonly unknown: readonly string[];
}

export interface ForgettingPlan extends Omit<ForgettingAnswer, 'erasures'> {
  readonly users: readonly string[];
  readonly postgres: Readonly<Record<string, number>>;
  readonly clickhouse: Readonly<Record<string, number>>;
}

export interface ErasureRequestParts {
  readonly stores: () => Promise<ForgettingUsersParts>;
  /** Notes that others are to be told, in the transaction of the request. */
  readonly tell: (transaction: Queryable, projectId: string, people: readonly NewErasure[]) => Promise<void>;
  readonly jobs: Pick<JobRunner, 'startDue'>;
  readonly stopping: AbortSignal;
  readonly logger: Pick<Logger, 'warn'>;
}

export const USERS_ERASE = 'users erase';

/** The erasures, as HTTP calls them, from another thread too. Methods throw `STORE_UNAVAILABLE`. */
export class ErasureRequests {
  readonly #parts: ErasureRequestParts;

  constructor(parts: ErasureRequestParts) {
    this.#parts = parts;
  }

  /** Forgets people: from then on nothing of them is read, and a job deletes what there is. @throws `PROJECT_UNKNOWN`. */
  async request({ users, ...terms }: ForgettingRequest): Promise<ForgettingAnswer> {
    const stores = await this.#parts.stores();
    const erasures = new SqlErasures(stores.database);
    const { people, names, shared, unknown } = await peopleOf(stores, terms.projectId, users);
    if (people.length === 0) return { erasures: [], shared, unknown };
    const keptApart = shared.map((id) => anonymousKeyOf(terms.projectId, id));
    const also = async (transaction: Queryable): Promise<void> => {
      const keys = people.map(({ userKey }) => userKey);
      await SqlJoinDecisions.forget(transaction, terms.projectId, keys, keptApart);
      await this.#parts.tell(transaction, terms.projectId, people);
    };
    const made = await erasures.request(people, { ...terms, keptApart }, names, also);
    await this.#hide(stores, made);
    // One that runs may not delete what was just asked for: the schedule begins the next.
    await this.#parts.jobs.startDue({ kind: USERS_ERASE, args: {}, principal: terms.actor });
    return { erasures: made, shared, unknown };
  }

  /** Erases events: from then on no question counts them, and the same job deletes what there is. */
  async requestEvents(wanted: EventsToErase): Promise<Erasure> {
    const stores = await this.#parts.stores();
    const id = await requestEvents(stores.database, wanted);
    const erasure = await this.find(id);
    if (erasure === undefined) throw new TidemarkError('STORE_UNAVAILABLE', 'the erasure is not there');
    await this.#hide(stores, [erasure]);
    await evaluateAgain(stores, [erasure]);
    await this.#parts.jobs.startDue({ kind: USERS_ERASE, args: {}, principal: wanted.actor });
    return erasure;
  }

  /** What `request` would do. @throws TidemarkError `PROJECT_UNKNOWN`. */
  async plan(projectId: string, users: readonly NamedPerson[]): Promise<ForgettingPlan> {
    const stores = await this.#parts.stores();
    const { people, shared, unknown } = await peopleOf(stores, projectId, users);
    const keys = people.map(({ userKey }) => userKey);
    return { users: keys, shared, unknown, ...(await countUsers(stores, { projectId, users: keys })) };
  }

  async list(filter: ErasureFilter, limit: number, after?: string): Promise<readonly Erasure[]> {
    return new SqlErasures((await this.#parts.stores()).database).list(filter, limit, after);
  }

  async find(id: string): Promise<Erasure | undefined> {
    return new SqlErasures((await this.#parts.stores()).database).find(id);
  }

  /** The newest of a person. */
  async newestOf(projectId: string, userKey: string): Promise<Erasure | undefined> {
    const [newest] = await new SqlErasures((await this.#parts.stores()).database).newestOf([{ projectId, userKey }]);
    return newest;
  }

  async lift(id: string): Promise<Erasure | undefined> {
    return new SqlErasures((await this.#parts.stores()).database).lift(id);
  }

  /** What cannot be deleted now, the job deletes later: nobody reads it of Postgres meanwhile. */
  async #hide(stores: ForgettingUsersParts, made: readonly Erasure[]): Promise<void> {
    const { stopping, logger } = this.#parts;
    try {
      await eraseUsers(stores, made, { signal: stopping, waits: false });
    } catch (error) {
      logger.warn({ err: error }, 'people who are to be forgotten cannot be deleted now: a job will do it');
    }
  }
}

interface People extends Pick<ForgettingAnswer, 'shared' | 'unknown'> {
  readonly people: readonly NewErasure[];
  /** Every id by which they were called. */
  readonly names: readonly string[];
}

/** Those of whom anything is known, with the anonymous ids that are theirs alone. */
async function peopleOf(
  stores: ForgettingUsersParts,
  projectId: string,
  users: readonly NamedPerson[],
): Promise<People> {
  const { database } = stores;
  if ((await database.query('select 1 from projects where id = $1', [projectId])).length === 0)
    throw new TidemarkError('PROJECT_UNKNOWN', 'There is no such project.');
  const keys = [...new Set(users.map(({ userKey }) => userKey))];
  const seen = await withAllSeen(stores, projectId, keys, await namesOfPeople(stores, projectId, keys));
  const found = await asDecided(stores, projectId, keys, seen);
  const known = await knownAmong(stores, projectId, keys, new Set(found.map(({ key }) => key)));
  const own = found.filter(({ isShared, anonymousId }) => anonymousId !== null && !isShared);
  const withThem = own.flatMap(({ key, anonymousId, isBeside }) =>
    isBeside
      ? [{ userKey: anonymousKeyOf(projectId, anonymousId ?? ''), withUser: key, userId: null, anonymousId }]
      : [],
  );
  const people = new Map<string, NewErasure>();
  for (const userKey of keys)
    if (known.has(userKey)) people.set(userKey, { userKey, ...knownIdsOf(userKey, found, users) });
  for (const one of withThem) if (!people.has(one.userKey)) people.set(one.userKey, one);
  const given = users.flatMap(({ name, userKey }) => (name !== null && known.has(userKey) ? [name] : []));
  const names = [...given, ...found.map(({ userId }) => userId), ...own.map(({ anonymousId }) => anonymousId)];
  return {
    people: [...people.values()],
    names: [...new Set(names.filter((name) => name !== null))],
    shared: [...new Set(found.flatMap((one) => (one.isShared ? [one.anonymousId ?? ''] : [])))],
    unknown: keys.filter((key) => !known.has(key)),
  };
}

/** By which others know a person: as the profile has it, or as it was given. */
function knownIdsOf(
  userKey: string,
  found: readonly FoundName[],
  users: readonly NamedPerson[],
): Pick<NewErasure, 'userId' | 'anonymousId'> {
  const known = found.find(({ key, isBeside }) => key === userKey && !isBeside);
  if (known !== undefined) return { userId: known.userId, anonymousId: known.anonymousId };
  const { name = null, isAnonymous = false } = users.find((one) => one.userKey === userKey) ?? {};
  return isAnonymous ? { userId: null, anonymousId: name } : { userId: name, anonymousId: null };
}

interface FoundName {
  readonly key: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  /** Whether the anonymous id came beside a user id: it may name a user of its own. */
  readonly isBeside: boolean;
  /** Whether it was seen with anybody else. */
  readonly isShared: boolean;
}

/** What every generation of profiles knows of these people. */
async function namesOfPeople({ database }: ForgettingUsersParts, projectId: string, keys: readonly string[]) {
  const found: FoundName[] = [];
  for (const table of await tablesOfProfiles(database, 'users')) {
    const sql = `select user_key as key, user_id as "userId", anonymous_id as "anonymousId", false as "isBeside",
                        false as "isShared"
                 from ${table} where project_id = $1 and user_key = any ($2::text[])`;
    found.push(...(await database.query<FoundName>(sql, [projectId, keys])));
  }
  for (const table of await tablesOfProfiles(database, 'sightings')) {
    const sql = `select user_key as key, null::text as "userId", anonymous_id as "anonymousId", true as "isBeside",
                        exists (select from ${table} as others
                                where others.project_id = ids.project_id and others.anonymous_id = ids.anonymous_id
                                  and not others.user_key = any ($2::text[])) as "isShared"
                 from ${table} as ids where project_id = $1 and user_key = any ($2::text[])`;
    found.push(...(await database.query<FoundName>(sql, [projectId, keys])));
  }
  return found;
}

/**
 * With what analytics knows beyond the lists of profiles, which keep the newest ids alone: those that a full list has lost, and
 * whose id it is besides.
 */
async function withAllSeen(
  { database, analytics }: ForgettingUsersParts,
  projectId: string,
  keys: readonly string[],
  listed: readonly FoundName[],
): Promise<readonly FoundName[]> {
  const beside = listed.filter(({ isBeside }) => isBeside);
  if (beside.length === 0) return listed;
  const full = keys.filter((own) => beside.filter(({ key }) => key === own).length >= MAX_SIGHTINGS);
  try {
    const live = await analytics.ofGeneration(await new LiveGenerations(database).numberOf('analytics', projectId));
    const isListed = new Set(beside.map(({ key, anonymousId }) => JSON.stringify([key, anonymousId])));
    const lost = (full.length === 0 ? [] : await seenBeside(live, projectId, full))
      .filter(({ key, anonymousId }) => !isListed.has(JSON.stringify([key, anonymousId])))
      .map((one) => ({ ...one, userId: null, isBeside: true, isShared: false }));
    const all = [...listed, ...lost];
    const own = all.flatMap(({ anonymousId, isBeside, isShared }) =>
      isBeside && !isShared ? [anonymousId ?? ''] : [],
    );
    const shared = await seenWithOthers(live, projectId, [...new Set(own)], keys);
    return all.map((one) => (one.isBeside && shared.has(one.anonymousId ?? '') ? { ...one, isShared: true } : one));
  } catch (error) {
    // Lists that are not full are enough while analytics is away: the person is hidden at once.
    if (full.length > 0 || !isRetryable(error)) throw error;
    return listed;
  }
}

/** As operators have decided, which beats who was seen with whom. */
async function asDecided(
  { database }: ForgettingUsersParts,
  projectId: string,
  keys: readonly string[],
  seen: readonly FoundName[],
): Promise<readonly FoundName[]> {
  const keyOf = ({ anonymousId }: FoundName): string => anonymousKeyOf(projectId, anonymousId ?? '');
  const beside = seen.filter(({ isBeside }) => isBeside).map(keyOf);
  const about = await new SqlJoinDecisions(database).about(projectId, [...new Set(beside)], keys);
  const decisions = new Map(about.filter(({ says }) => says !== 'rule').map((one) => [one.userKey, one]));
  const decided = seen.map((one) => {
    const decision = one.isBeside ? decisions.get(keyOf(one)) : undefined;
    return decision === undefined ? one : { ...one, isShared: decision.personKey !== one.key };
  });
  const joined = [...decisions.values()].flatMap(({ personKey: key, anonymousId }) =>
    key !== null && keys.includes(key) ? [{ key, userId: null, anonymousId, isBeside: true, isShared: false }] : [],
  );
  return [...decided, ...joined];
}

/**
 * Also those whom analytics alone knows, whose first message nobody has read yet, and those who are forgotten already: what
 * came since is deleted then.
 */
async function knownAmong(
  stores: ForgettingUsersParts,
  projectId: string,
  keys: readonly string[],
  known: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const sql = 'select user_key from erasures where project_id = $1 and user_key = any ($2::text[]) and cut_us is null';
  const erased = await stores.database.query<{ readonly user_key: string }>(sql, [projectId, keys]);
  const all = new Set([...known, ...erased.map((row) => row.user_key)]);
  const others = keys.filter((key) => !all.has(key));
  if (others.length === 0) return all;
  for (const { user } of await countAnalytics(stores, { projectId, users: others })) if (user !== null) all.add(user);
  const left = others.filter((key) => !all.has(key));
  const ahead = left.length === 0 ? [] : await maybeAhead(stores, projectId, left);
  return new Set([...all, ...ahead]);
}
