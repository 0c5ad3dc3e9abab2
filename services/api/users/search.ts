/** `GET /v1/users`: users by a part of what is known of them, by the beginning of their id, by a trait, or by another id. */
import { isUtf8 } from 'node:buffer';
import { numberConstant } from '../../questions/definition/audience.ts';
import { budgetOf, MAX_PAGE_CHARS, type QueryBudget } from '../../questions/query-budget.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { isHex } from '../../messages/hex.ts';
import { splitObject } from '../../messages/json.ts';
import { parseJson } from '../../messages/parse-json.ts';
import {
  givenTraitQuery,
  internalIdsQuery,
  partQuery,
  type PartRow,
  prefixQuery,
  type UserNameRow,
} from '../../questions/users/user-search.ts';
import { isFoundIn, textSearch } from '../../stores/analytics/letter-case.ts';
import type { Profile } from '../../stores/profiles/profile.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { BEFORE_ALL, userNumberOf } from '../audiences/cursor.ts';
import type { Input } from '../input.ts';
import { isName, MAX_NAME_LENGTH } from '../../questions/events/cursor.ts';
import { type Checked, readCursor, refuseParameter } from '../query.ts';
import { type UserIds, userKeyIn } from './named-user.ts';
import type { UserStores } from './store-parts.ts';
import { profileBody } from './users.ts';

/** A user whom a search found, and the cursor of the page that ends with them. */
interface FoundUser {
  readonly userKey: string;
  readonly cursor: string;
}

/** What a search reads. */
interface Sources {
  readonly profiles: UserStores['profiles'];
  readonly budget: QueryBudget;
  readonly project: Project;
}

/** One of the searches with its value: a page of what it finds. */
interface Search {
  /** Whether it is a cursor of this search. */
  readonly isCursor: (text: string) => boolean;
  /** Those behind the cursor, '' for all, in the search's order: at most `limit`, or somewhat more. */
  readonly find: (sources: Sources, cursor: string, limit: number) => Promise<readonly FoundUser[]>;
  /** Whether the profile says so too: left out where analytics knows it for certain. */
  readonly isFound?: (profile: Profile, project: Project) => boolean;
}

/** A page of wide profiles holds fewer than its limit and has a cursor all the same. */
export async function answerUsers(
  stores: UserStores,
  { project }: Call,
  { query }: Input<'GET /v1/users'>,
): Promise<Answer | Refusal> {
  const search = readSearch(query);
  if (!search.ok) return search.refusal;
  const { isCursor, find, isFound = () => true } = search.value;
  const decode = (text: string): string | undefined => (isCursor(text) ? text : undefined);
  const after = readCursor(query.cursor, decode, 'was not given by this search');
  if (!after.ok) return after.refusal;
  const { profiles } = stores;
  // One more than the page holds tells whether there is another.
  const sources = { profiles, budget: budgetOf(stores, project), project };
  const found = await find(sources, after.value ?? '', query.limit + 1);
  const keys = found.slice(0, query.limit).map(({ userKey }) => userKey);
  const passed = await profiles.findPage(project.id, keys, MAX_PAGE_CHARS);
  // Analytics may know a user before profiles do; such users are skipped. Joined ids lead to one person, who is shown once.
  const persons = new Map(passed.flatMap((one) => (one === undefined ? [] : [[one.userKey, one] as const])));
  const bodies = [...persons.values()].flatMap((one) => (isFound(one, project) ? profileBody(one) : []));
  const last = passed.length < found.length ? found[passed.length - 1]?.cursor : undefined;
  return { status: 200, body: `{"users":[${bodies.join(',')}],"next_cursor":${JSON.stringify(last ?? null)}}` };
}

const SEARCHES = ['search', 'prefix', 'trait', 'anonymous_id', 'internal_id'] as const;

/** The one search that the parameters name. */
function readSearch(query: Input<'GET /v1/users'>['query']): Checked<Search> {
  const [first, second] = SEARCHES.filter((name) => query[name] !== undefined);
  if (first === undefined) return refuseParameter('search', 'or prefix, trait, anonymous_id or internal_id is needed');
  if (second !== undefined) return refuseParameter(second, `stands beside ${first}: a search has one of them`);
  if (query.search !== undefined) return { ok: true, value: byPart(query.search) };
  if (query.prefix !== undefined) return { ok: true, value: byPrefix(query.prefix) };
  if (query.trait === undefined) return { ok: true, value: byOtherId(query) };
  const trait = readTrait(query.trait);
  return trait.ok ? { ok: true, value: byTrait(trait.value) } : trait;
}

/** In the order of internal ids. */
function byPart(text: string): Search {
  const wanted = textSearch(text);
  return {
    isCursor: (cursor) => isHex(cursor, 64),
    find: async ({ budget, project }, cursor, limit) => {
      const part = { projectId: project.id, text, traits: project.searchTraits };
      const users = new Set<string>();
      for (let last: bigint | undefined = numberAt(cursor); last !== undefined && users.size < limit;) {
        const rows = await budget.ask<PartRow>(partQuery(part, last, limit));
        last = wholeUpTo(rows, limit);
        for (const { user_number: user } of rows) if (last === undefined || BigInt(user) <= last) users.add(user);
      }
      const page = [...users].slice(0, limit);
      return page.length === 0 ? [] : foundUsers(await budget.ask<InternalId>(internalIdsQuery(project.id, page)));
    },
    // Analytics may have values that are no longer the user's.
    isFound: ({ userId, traits }, { searchTraits }) => {
      const values = parseJson(traits) as Readonly<Record<string, unknown>>;
      const texts = [userId, ...searchTraits.map((name) => (Object.hasOwn(values, name) ? values[name] : null))];
      return texts.some((value) => typeof value === 'string' && isFoundIn(value, wanted));
    },
  };
}

/** Behind which user a page begins, in the order of internal ids. */
function numberAt(cursor: string): bigint {
  return cursor === '' ? BEFORE_ALL : userNumberOf(cursor);
}

interface InternalId {
  readonly internal_id: string;
}

/** In the order of internal ids each is the cursor of the page that ends with it. */
function foundUsers(rows: readonly InternalId[]): readonly FoundUser[] {
  return rows.map(({ internal_id: userKey }) => ({ userKey, cursor: userKey }));
}

/** Up to which user all sources were read: none has `limit` rows that end before; undefined where all are at their end. */
function wholeUpTo(rows: readonly PartRow[], limit: number): bigint | undefined {
  const bySource = Object.values(Object.groupBy(rows, ({ source }) => source));
  const ends = bySource.flatMap((found = []) => (found.length < limit ? [] : BigInt(found.at(-1)?.user_number ?? 0)));
  return ends.reduce<bigint | undefined>((least, end) => (least === undefined || end < least ? end : least), undefined);
}

/** In the order of user ids, by their bytes. */
function byPrefix(prefix: string): Search {
  return {
    isCursor: (cursor) => decodeUserId(cursor)?.startsWith(prefix) === true,
    find: async ({ budget, project }, cursor, limit) => {
      const found = new Map<string, FoundUser>();
      for (let last = decodeUserId(cursor) ?? null; found.size < limit;) {
        const rows = await budget.ask<UserNameRow>(prefixQuery(project.id, prefix, last, limit));
        for (const { user_id: userId, internal_id: userKey } of rows)
          found.set(userId, { userKey, cursor: Buffer.from(userId).toString('base64url') });
        last = rows.at(-1)?.user_id ?? null;
        if (rows.length < limit) break;
      }
      return [...found.values()];
    },
  };
}

function decodeUserId(cursor: string): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  const isWhole = isUtf8(bytes) && bytes.toString('base64url') === cursor;
  const userId = bytes.toString();
  return isWhole && isName(userId, MAX_NAME_LENGTH) ? userId : undefined;
}

interface TraitSearch {
  readonly name: string;
  readonly value: string;
}

/** `NAME:VALUE`. In the name a colon is written `\:` and a backslash `\\`. */
function readTrait(text: string): Checked<TraitSearch> {
  const [, name, value] = /^((?:[^:\\]|\\[:\\])*):(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) return refuseParameter('trait', 'is not a name, a colon and a value');
  return { ok: true, value: { name: name.replaceAll(/\\(.)/g, '$1'), value } };
}

/** In the order of internal ids. */
function byTrait({ name, value }: TraitSearch): Search {
  const number = NUMBER.test(value) ? (numberConstant(JSON.rawJSON(value)) ?? null) : null;
  return {
    // A joined id may have a value that the user's own messages override.
    isFound: ({ joinedIds, traits }) => joinedIds === null || joinedIds.length === 0 || hasTrait(traits, name, value),
    isCursor: (cursor) => isHex(cursor, 64),
    // Few users who were given the value have another one by now: those are left out, and others read in their place.
    find: async ({ budget, project }, cursor, limit) => {
      const wanted = { projectId: project.id, trait: name, text: value, number };
      const found: FoundUser[] = [];
      for (let last = numberAt(cursor); found.length < limit;) {
        const given = await budget.ask<{ readonly user_number: string }>(givenTraitQuery(wanted, last, limit));
        const users = [...new Set(given.map(({ user_number: user }) => user))];
        if (users.length === 0) break;
        found.push(...foundUsers(await budget.ask<InternalId>(internalIdsQuery(project.id, users, wanted))));
        last = BigInt(users.at(-1) ?? 0);
        if (given.length < limit) break;
      }
      return found;
    },
  };
}

function hasTrait(traits: string, name: string, value: string): boolean {
  const text = splitObject(traits).get(name) ?? 'null';
  const found = parseJson(text);
  if (typeof found === 'number') return NUMBER.test(value) && Number(text) === Number(value);
  return found === value || (typeof found === 'boolean' && text === value);
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,4})?$/;

/** First the user known by the id alone, then the users beside whose user id it was seen, by internal id. */
function byOtherId(id: UserIds): Search {
  return {
    isCursor: (cursor) => cursor === FIRST_PASSED || isHex(cursor, 64),
    find: async ({ profiles, project }, cursor, limit) => {
      const userKey = userKeyIn(project.id, id) ?? '';
      const first = cursor === '' ? [{ userKey, cursor: FIRST_PASSED }] : [];
      const { anonymous_id: anonymousId } = id;
      if (anonymousId === undefined) return first;
      const others = await profiles.seenWith(project.id, anonymousId, cursor, limit);
      return [...first, ...others.map((key) => ({ userKey: key, cursor: key }))];
    },
  };
}

/** Below every internal id: the cursor behind the user known by the id alone. */
const FIRST_PASSED = '0';
