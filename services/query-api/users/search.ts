/** `GET /v1/users`: users by the beginning of their id, by a trait, or by another id. */
import { isUtf8 } from 'node:buffer';
import { numberConstant } from '../../audience/definition/number-constant.ts';
import { QueryBudget } from '../../audience/query-budget.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { isHex } from '../../messages/hex.ts';
import {
  givenTraitQuery,
  holdingTraitQuery,
  prefixQuery,
  type TraitValueQuery,
  type UserNameRow,
} from '../../stores/analytics/user-search.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { BEFORE_ALL, userNumberOf } from '../audiences/cursor.ts';
import { type Checked, readIfGiven, readLimit, readName, refuseParameter, single } from '../query.ts';
import { MAX_PAGE_CHARS } from '../../audience/query-budget.ts';
import { type OtherId, readOtherId, userKeyIn } from './named-user.ts';
import { answerOf, namingParts, type UserStores } from './store-parts.ts';
import { profileBody } from './users.ts';

/** A user whom a search found, and the cursor of the page that ends with them. */
interface FoundUser {
  readonly userKey: string;
  readonly cursor: string;
}

/** One of the searches with its value: a page of what it finds. */
interface Search {
  /** Reads a cursor of this search; '' is its beginning. */
  readonly readCursor: (text: string) => boolean;
  /** Those behind the cursor, at most `limit`, in the search's order. */
  readonly find: (stores: UserStores, project: Project, cursor: string, limit: number) => Promise<readonly FoundUser[]>;
}

export const SEARCH_PARAMETERS = ['prefix', 'trait', 'anonymous_id', 'internal_id', 'limit', 'cursor'] as const;

/** A page of wide profiles holds fewer than its limit and has a cursor all the same. */
export function answerUsers(stores: UserStores, call: Call): Promise<Answer | Refusal> {
  return namingParts(async () => {
    const { query, project } = call;
    const search = readSearch(query);
    if (!search.ok) return search.refusal;
    const limit = single(query, 'limit', readLimit);
    if (!limit.ok) return limit.refusal;
    const after = single(query, 'cursor', (text) => readSearchCursor(search.value, text));
    if (!after.ok) return after.refusal;
    // One more than the page holds tells whether there is another.
    const found = await search.value.find(stores, project, after.value, limit.value + 1);
    return usersPageOf(stores, project, found, limit.value);
  });
}

async function usersPageOf(
  { profiles }: UserStores,
  project: Project,
  found: readonly FoundUser[],
  limit: number,
): Promise<Answer> {
  const keys = found.slice(0, limit).map(({ userKey }) => userKey);
  const passed = await answerOf('profiles', profiles.findPage(project.id, keys, MAX_PAGE_CHARS));
  // Analytics may know a user before profiles do; such users are skipped.
  const bodies = passed.flatMap((profile) => (profile === undefined ? [] : profileBody(profile)));
  const last = passed.length < found.length ? found[passed.length - 1]?.cursor : undefined;
  return { status: 200, body: `{"users":[${bodies.join(',')}],"next_cursor":${JSON.stringify(last ?? null)}}` };
}

/** The one search that the parameters name. */
function readSearch(query: URLSearchParams): Checked<Search> {
  const prefix = single(query, 'prefix', (text) => readIfGiven(text, readPrefix));
  if (!prefix.ok) return prefix;
  const trait = single(query, 'trait', (text) => readIfGiven(text, readTrait));
  if (!trait.ok) return trait;
  const given = ['prefix', 'trait', 'anonymous_id', 'internal_id'].filter((name) => query.has(name));
  if (given.length > 1) return refuseParameter(given[1] ?? '', `stands beside ${given[0]}: a search has one of them`);
  if (prefix.value !== undefined) return { ok: true, value: byPrefix(prefix.value) };
  if (trait.value !== undefined) return { ok: true, value: byTrait(trait.value) };
  if (given.length === 0) return refuseParameter('prefix', 'or trait, anonymous_id or internal_id is needed');
  const id = readOtherId(query);
  return id.ok ? { ok: true, value: byOtherId(id.value) } : id;
}

function readSearchCursor({ readCursor }: Search, text: string | undefined): Checked<string> {
  if (text === undefined) return { ok: true, value: '' };
  const isOfSearch = text !== '' && readCursor(text);
  return isOfSearch ? { ok: true, value: text } : refuseParameter('cursor', 'was not given by this search');
}

/** An empty one is the beginning of every user id. */
function readPrefix(text: string): Checked<string> {
  return text === '' ? { ok: true, value: text } : readName('prefix', text);
}

/** In the order of user ids, by their bytes. */
function byPrefix(prefix: string): Search {
  return {
    readCursor: (cursor) => decodeUserId(cursor)?.startsWith(prefix) === true,
    find: async ({ analytics, limitsOf }, project, cursor, limit) => {
      const budget = new QueryBudget(analytics, limitsOf(project));
      return answerOf('analytics', usersWithPrefix(budget, project.id, prefix, decodeUserId(cursor) ?? null, limit));
    },
  };
}

async function usersWithPrefix(
  budget: QueryBudget,
  projectId: string,
  prefix: string,
  after: string | null,
  limit: number,
): Promise<readonly FoundUser[]> {
  const found = new Map<string, FoundUser>();
  for (let last = after; found.size < limit;) {
    const rows = await budget.ask<UserNameRow>(prefixQuery(projectId, prefix, last, limit));
    for (const { user_id: userId, internal_id: userKey } of rows)
      found.set(userId, { userKey, cursor: Buffer.from(userId).toString('base64url') });
    last = rows.at(-1)?.user_id ?? null;
    if (rows.length < limit) break;
  }
  return [...found.values()].slice(0, limit);
}

function decodeUserId(cursor: string): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  const isWhole = isUtf8(bytes) && bytes.toString('base64url') === cursor;
  const userId = isWhole ? readName('cursor', bytes.toString()) : undefined;
  return userId?.ok === true ? userId.value : undefined;
}

interface TraitSearch {
  readonly name: string;
  readonly value: string;
}

const MAX_TRAIT_CHARS = 2_048;

/** `NAME:VALUE`. In the name a colon is written `\:` and a backslash `\\`. */
function readTrait(text: string): Checked<TraitSearch> {
  if (text.length > MAX_TRAIT_CHARS) return refuseParameter('trait', `takes at most ${MAX_TRAIT_CHARS} characters`);
  if (text.includes('\0')) return refuseParameter('trait', 'holds a NUL character');
  const [, name, value] = /^((?:[^:\\]|\\[:\\])*):(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) return refuseParameter('trait', 'is not a name, a colon and a value');
  return { ok: true, value: { name: name.replaceAll(/\\(.)/g, '$1'), value } };
}

/** In the order of internal ids. */
function byTrait({ name, value }: TraitSearch): Search {
  const number = NUMBER.test(value) ? (numberConstant(JSON.rawJSON(value)) ?? null) : null;
  return {
    readCursor: (cursor) => isHex(cursor, 64),
    find: async ({ analytics, limitsOf }, project, cursor, limit) => {
      const budget = new QueryBudget(analytics, limitsOf(project));
      const wanted = { projectId: project.id, trait: name, text: value, number };
      const after = cursor === '' ? BEFORE_ALL : userNumberOf(cursor);
      return answerOf('analytics', usersWithTrait(budget, wanted, after, limit));
    },
  };
}

/** Few users who were given the value have another one by now: those are left out, and others read in their place. */
async function usersWithTrait(
  budget: QueryBudget,
  wanted: TraitValueQuery,
  after: bigint,
  limit: number,
): Promise<readonly FoundUser[]> {
  const found: FoundUser[] = [];
  for (let last = after; found.length < limit;) {
    const given = await budget.ask<{ readonly user_number: string }>(givenTraitQuery(wanted, last, limit));
    const users = [...new Set(given.map(({ user_number: user }) => user))];
    if (users.length === 0) break;
    const holding = await budget.ask<{ readonly internal_id: string }>(holdingTraitQuery(wanted, users));
    found.push(...holding.map(({ internal_id: userKey }) => ({ userKey, cursor: userKey })));
    last = BigInt(users.at(-1) ?? 0);
    if (given.length < limit) break;
  }
  return found.slice(0, limit);
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,4})?$/;

/** First the user known by the id alone, then the users beside whose user id it was seen, by internal id. */
function byOtherId(id: OtherId): Search {
  return {
    readCursor: (cursor) => cursor === FIRST_PASSED || isHex(cursor, 64),
    find: async ({ profiles }, project, cursor, limit) => {
      const userKey = userKeyIn(project.id, id);
      const first = cursor === '' ? [{ userKey, cursor: FIRST_PASSED }] : [];
      const { anonymousId } = id;
      if (anonymousId === undefined) return first;
      const others = await answerOf('profiles', profiles.seenWith(project.id, anonymousId, cursor, limit));
      return [...first, ...others.map((key) => ({ userKey: key, cursor: key }))];
    },
  };
}

/** Below every internal id: the cursor behind the user known by the id alone. */
const FIRST_PASSED = '0';
