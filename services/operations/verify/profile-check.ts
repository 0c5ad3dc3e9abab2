/** Compares every profile with a fold of the log that is as plain as can be: no batches, no positions, no merging. */
import type { Database, Queryable } from '../../stores/database/database.ts';
import type { EventLog, ScanRange } from '../../event-log/event-log.ts';
import { splitObject } from '../../messages/json.ts';
import { MAX_TRAITS, type Message, MESSAGE_TOPICS } from '../../messages/message.ts';
import { parseJson } from '../../messages/parse-json.ts';
import { ownAnonymousIdOf } from '../../messages/user-key.ts';
import * as ids from '../../stores/profiles/anonymous-ids.ts';
import type { AnonymousIds } from '../../stores/profiles/profile.ts';
import { ALL_TIME, type ErasedUsers } from '../../stores/erasures/erased-users.ts';
import { newestTraits } from '../../stores/profiles/newest-traits.ts';
import { hasCode } from '../../runtime/errors.ts';
import type { Decoded } from '../../consumers/decode-batch.ts';
import { partitionKey } from './checkpoints.ts';
import { identityOf, type Located, type DeadLettered } from './log-cells.ts';
import { wholeRanges } from './log-ranges.ts';
import type { DifferentProfile, ProfileFinding } from '../../../schemas/verification-report.ts';
import { readSlice, type Stored, type StoredUser } from './profile-slice.ts';
import { type ScanParts, scanMessages } from './scan-messages.ts';

export interface ProfileParts extends ScanParts {
  readonly log: Pick<EventLog, 'scan' | 'beginnings' | 'ends'>;
  readonly profiles: Database;
  readonly deadLettered: DeadLettered;
  /** How long a message id is remembered: a copy that came later may count again, or not. */
  readonly repeatWindowMs: number;
  /** Only these. */
  readonly projectId?: string | undefined;
  readonly usersAtOnce?: number;
  /** How many traits a profile keeps. */
  readonly maxTraits?: number;
}

const USERS_AT_ONCE = 20_000;
const NAMED = 100;

/** Slice by slice of the users: each reads the whole log, and holds as many users as a slice has. */
export async function checkProfiles(parts: ProfileParts): Promise<ProfileFinding> {
  const [row] = await parts.profiles.query<{ readonly users: bigint }>('select count(*) as users from {users}');
  const slices = Math.max(1, Math.ceil(Number(row?.users ?? 0n) / (parts.usersAtOnce ?? USERS_AT_ONCE)));
  const maxTraits = parts.maxTraits ?? MAX_TRAITS;
  const first: DifferentProfile[] = [];
  let [users, undecided, count] = [0, 0, 0];
  for (let slice = 0; slice < slices; slice++) {
    const stored = withoutForgotten(await readSlice(parts, slices, slice), parts.erased);
    const folded = await foldSlice(parts, stored, slices, slice);
    users += new Set([...stored.users.keys(), ...folded.keys()]).size;
    undecided += [...folded.values()].filter(({ isUndecided }) => isUndecided).length;
    const different = await differences(parts.profiles, asKept(stored.users, maxTraits), folded);
    count += different.length;
    first.push(...different.slice(0, NAMED - first.length));
  }
  return { users, undecided, different: { count, first } };
}

/** Without those whose messages are all left out: they may be deleted, or not yet. */
function withoutForgotten(stored: Stored, erased: ErasedUsers = new Map()): Stored {
  if (erased.size === 0) return stored;
  return { ...stored, users: new Map([...stored.users].filter(([name]) => erased.get(name) !== ALL_TIME)) };
}

function isInSlice({ userKey }: Message, slices: number, slice: number): boolean {
  return Number.parseInt(userKey.slice(0, 7), 16) % slices === slice;
}

interface FoldedUser {
  userId: string | null;
  anonymousId: string | null;
  anonymousIds: AnonymousIds;
  firstSeen: bigint;
  lastSeen: bigint;
  anonymous: { readonly value: boolean; readonly version: string } | null;
  isUndecided: boolean;
  traits: Map<string, { readonly value: string; readonly version: string }>;
}

async function foldSlice(
  parts: ProfileParts,
  { ends }: Stored,
  slices: number,
  slice: number,
): Promise<Map<string, FoldedUser>> {
  const maxTraits = parts.maxTraits ?? MAX_TRAITS;
  const folded = new Map<string, FoldedUser>();
  const foldFirstCopy = foldingFirstCopies(folded, maxTraits, parts.repeatWindowMs);
  for await (const { decoded } of scanMessages(parts, await rangesUpTo(parts.log, ends))) {
    for (const one of decoded) {
      const { content, record } = one;
      if (!isInSlice(content, slices, slice)) continue;
      if (parts.projectId !== undefined && content.projectId !== parts.projectId) continue;
      if (parts.deadLettered.has('projector', one, record.offset)) continue;
      if (record.offset >= (ends.get(partitionKey(one))?.next ?? 0n)) {
        // It may have been written, or not.
        foldInto(folded, one, maxTraits).isUndecided = true;
      } else {
        foldFirstCopy(one);
      }
    }
  }
  for (const user of folded.values()) trim(user, maxTraits);
  return folded;
}

/** Folds each message unless a copy of it was folded before. */
function foldingFirstCopies(
  folded: Map<string, FoldedUser>,
  maxTraits: number,
  repeatWindowMs: number,
): (one: Decoded<Message>) => void {
  const countedAtMs = new Map<string, number>();
  return (one) => {
    const { content, record, claim } = one;
    const counted = claim === undefined ? undefined : countedAtMs.get(identityOf(one));
    if (counted === undefined) {
      if (claim !== undefined) countedAtMs.set(identityOf(one), record.appendedAtMs);
      foldInto(folded, one, maxTraits);
    } else if (record.appendedAtMs - counted > repeatWindowMs) {
      const user = folded.get(userOf(content));
      if (user !== undefined) user.isUndecided = true;
    }
  };
}

async function rangesUpTo(log: ProfileParts['log'], ends: Stored['ends']): Promise<readonly ScanRange[]> {
  const ranges = await wholeRanges(log, MESSAGE_TOPICS);
  return ranges
    .map((range) => ({ ...range, to: ends.get(partitionKey(range))?.ahead ?? range.from }))
    .filter(({ from, to }) => to > from);
}

function foldInto(folded: Map<string, FoldedUser>, { content }: Located, maxTraits: number): FoldedUser {
  const { timestamp, version } = content;
  let user = folded.get(userOf(content));
  if (user === undefined) {
    user = {
      userId: null,
      anonymousId: null,
      anonymousIds: ids.NO_ANONYMOUS_IDS,
      firstSeen: timestamp,
      lastSeen: timestamp,
      anonymous: null,
      isUndecided: false,
      traits: new Map(),
    };
    folded.set(userOf(content), user);
  }
  user.userId ??= content.userId;
  user.anonymousId ??= ownAnonymousIdOf(content);
  user.anonymousIds = ids.newestAnonymousIds([user.anonymousIds, ids.anonymousIdsOf(content)]);
  if (timestamp < user.firstSeen) user.firstSeen = timestamp;
  if (timestamp > user.lastSeen) user.lastSeen = timestamp;
  if (content.type === 'track') return user;
  if (content.type === 'session' && version > (user.anonymous?.version ?? '')) {
    user.anonymous = { value: content.anonymous, version };
  }
  setTraits(user, content, maxTraits);
  return user;
}

function setTraits(
  user: FoldedUser,
  { traits, version }: Exclude<Message, { type: 'track' }>,
  maxTraits: number,
): void {
  for (const [trait, value] of parseTraits(traits)) {
    if (version > (user.traits.get(trait)?.version ?? '')) user.traits.set(trait, { value, version });
  }
  if (user.traits.size > 2 * maxTraits) trim(user, maxTraits);
}

function trim(user: FoldedUser, maxTraits: number): void {
  if (user.traits.size > maxTraits) user.traits = new Map(newestTraits(user.traits, maxTraits));
}

/** A profile written before there was a bound keeps all that it had until something is merged into it. */
function asKept(users: ReadonlyMap<string, StoredUser>, maxTraits: number): ReadonlyMap<string, StoredUser> {
  return new Map([...users].map(([name, user]) => [name, keptOf(user, maxTraits)]));
}

function keptOf(user: StoredUser, maxTraits: number): StoredUser {
  // A version takes more characters than this: what is shorter has fewer, and need not be parsed.
  if (user.versions.length <= maxTraits * 32) return user;
  const versions = Object.entries(parseJson(user.versions) as Record<string, string>);
  const kept = newestTraits(new Map(versions.map(([trait, version]) => [trait, { version }])), maxTraits);
  const traits = [...splitObject(user.traits)].filter(([trait]) => kept.has(trait));
  return {
    ...user,
    versions: JSON.stringify(Object.fromEntries([...kept].map(([trait, { version }]) => [trait, version]))),
    traits: `{${traits.map(([trait, value]) => `${JSON.stringify(trait)}:${value}`).join()}}`,
  };
}

function parseTraits(json: string): readonly (readonly [string, string])[] {
  try {
    return [...splitObject(json)];
  } catch (error) {
    // It is missing in the dead letters, which is found elsewhere.
    if (hasCode(error, 'MESSAGE_UNDECODABLE')) return [];
    throw error;
  }
}

async function differences(
  database: Queryable,
  stored: ReadonlyMap<string, StoredUser>,
  folded: ReadonlyMap<string, FoldedUser>,
): Promise<readonly DifferentProfile[]> {
  const found: DifferentProfile[] = [];
  const alike: (readonly [StoredUser, FoldedUser])[] = [];
  for (const [name, user] of stored) {
    const fold = folded.get(name);
    if (fold?.isUndecided === true) continue;
    const why = fold === undefined ? 'the log knows of no such user' : lackOf(user, fold);
    if (why !== undefined) found.push({ project: user.project_id, user: user.user_key, why });
    else if (fold !== undefined) alike.push([user, fold]);
  }
  for (const [name, { isUndecided }] of folded) {
    if (stored.has(name) || isUndecided) continue;
    const cut = name.lastIndexOf('/');
    found.push({ project: name.slice(0, cut), user: name.slice(cut + 1), why: 'Postgres knows of no such user' });
  }
  return [...found, ...(await otherValues(database, alike))];
}

function lackOf(user: StoredUser, fold: FoldedUser): string | undefined {
  if (user.user_id !== fold.userId || user.anonymous_id !== fold.anonymousId) return 'it has another id';
  if (!ids.areAnonymousIds(user.anonymous_ids, fold.anonymousIds)) return 'other anonymous ids were seen beside it';
  if (user.first_seen !== fold.firstSeen || user.last_seen !== fold.lastSeen) return 'it was seen at other times';
  if (user.anonymous !== (fold.anonymous?.value ?? null)) return 'it is anonymous in one, and not in the other';
  if (user.anonymous_version !== (fold.anonymous?.version ?? null)) return 'anonymous is of another message';
  const versions = new Map(Object.entries(parseJson(user.versions) as Record<string, string>));
  const names = new Set([...versions.keys(), ...fold.traits.keys()]);
  const other = [...names].find((trait) => versions.get(trait) !== fold.traits.get(trait)?.version);
  return other === undefined ? undefined : `its trait ${JSON.stringify(other)} is of another message`;
}

/** Postgres itself says whether two numbers are one. */
async function otherValues(
  database: Queryable,
  alike: readonly (readonly [StoredUser, FoldedUser])[],
): Promise<readonly DifferentProfile[]> {
  const found: DifferentProfile[] = [];
  for (let start = 0; start < alike.length; start += 1_000) {
    const some = alike.slice(start, start + 1_000);
    const rows = await database.query<{ readonly number: bigint }>(OTHERS, [
      some.map(([{ traits }]) => traits),
      some.map(([, { traits }]) => traitsJson(traits)),
    ]);
    for (const { number } of rows) {
      const [user] = some[Number(number) - 1] as readonly [StoredUser, FoldedUser];
      found.push({ project: user.project_id, user: user.user_key, why: 'a trait has another value' });
    }
  }
  return found;
}

const OTHERS = `
  select number
  from unnest($1::text[], $2::text[]) with ordinality as pair (stored, folded, number)
  where stored::jsonb <> folded::jsonb`;

function traitsJson(traits: FoldedUser['traits']): string {
  const set = [...traits].filter(([, { value }]) => value !== 'null');
  return `{${set.map(([trait, { value }]) => `${JSON.stringify(trait)}:${value}`).join()}}`;
}

function userOf({ projectId, userKey }: Message): string {
  return `${projectId}/${userKey}`;
}
