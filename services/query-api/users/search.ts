/** `GET /v1/users`: users by the beginning of their id, by a trait, or by another id. */
import { isUtf8 } from 'node:buffer';
import type { Audience, Constant } from '../../audience/definition/audience.ts';
import { numberConstant } from '../../audience/definition/number-constant.ts';
import { compileMembers } from '../../audience/sql/compile-members.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { isHex } from '../../messages/hex.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { BEFORE_ALL, userNumberOf } from '../audience-cursor.ts';
import { type Checked, readIfGiven, readLimit, readName, refuseParameter, refuseUnknown, single } from '../query.ts';
import { MAX_PAGE_CHARS } from './events.ts';
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
    const unknown = refuseUnknown(query, SEARCH_PARAMETERS);
    if (unknown !== undefined) return unknown;
    const search = readSearch(query);
    if (!search.ok) return search.refusal;
    const limit = single(query, 'limit', readLimit);
    if (!limit.ok) return limit.refusal;
    const after = single(query, 'cursor', (text) => readSearchCursor(search.value, text));
    if (!after.ok) return after.refusal;
    // One more than the page holds tells whether there is another.
    const found = await search.value.find(stores, project, after.value, limit.value + 1);
    return pageOf(stores, project, found, limit.value);
  });
}

async function pageOf(
  { profiles }: UserStores,
  project: Project,
  found: readonly FoundUser[],
  limit: number,
): Promise<Answer> {
  const bodies: string[] = [];
  let chars = 0;
  let last: string | null = null;
  for (const { userKey, cursor } of found) {
    if (bodies.length === limit || chars >= MAX_PAGE_CHARS) return usersPage(bodies, last);
    const profile = await answerOf('profiles', profiles.find(project.id, userKey));
    if (profile !== undefined) {
      const body = profileBody(profile);
      bodies.push(body);
      chars += body.length;
    }
    last = cursor;
  }
  // Of a user whom analytics knows before profiles do, there is nothing to show yet.
  return usersPage(bodies, found.length > limit ? last : null);
}

function usersPage(bodies: readonly string[], cursor: string | null): Answer {
  return { status: 200, body: `{"users":[${bodies.join(',')}],"next_cursor":${JSON.stringify(cursor)}}` };
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
    find: async ({ profiles }, project, cursor, limit) => {
      const after = decodeUserId(cursor) ?? '';
      const users = await answerOf('profiles', profiles.withPrefix(project.id, prefix, after, limit));
      return users.map(({ userId, userKey }) => ({ userKey, cursor: Buffer.from(userId).toString('base64url') }));
    },
  };
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
function byTrait(trait: TraitSearch): Search {
  const audience = audienceOf(trait);
  return {
    readCursor: (cursor) => isHex(cursor, 64),
    find: async ({ analytics, limitsOf }, project, cursor, limit) => {
      const after = cursor === '' ? BEFORE_ALL : userNumberOf(cursor);
      // Traits do not depend on the time.
      const query = compileMembers(audience, { projectId: project.id, now: 0n, after, limit });
      const { rows } = await answerOf('analytics', analytics.ask(query, limitsOf(project)));
      return rows.map((row) => ({ userKey: String(row['internal_id']), cursor: String(row['internal_id']) }));
    },
  };
}

/** The text of a string, or the JSON of a number or boolean. */
function audienceOf({ name, value }: TraitSearch): Audience {
  const constants: Constant[] = [value];
  if (value === 'true' || value === 'false') constants.push(value === 'true');
  const number = NUMBER.test(value) ? numberConstant(JSON.rawJSON(value)) : undefined;
  if (number !== undefined) constants.push(number);
  return { kind: 'trait', path: [name], tests: [{ test: 'in', values: constants }] };
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
