/** Compares every profile with a fold of the log from its start, without batches, positions or merging in the store. */
import type { DifferentProfile, ProfileFinding } from '../../../schemas/verification-report.ts';
import type { Decoded } from '../../consumers/decode-batch.ts';
import { Folding } from '../../consumers/projector/fold.ts';
import { takeSnapshots } from '../../consumers/snapshots.ts';
import { WantedMessages } from '../../consumers/wanted-messages.ts';
import { wholeRanges } from '../../event-log/deleted-records.ts';
import type { EventLog, ScanRange } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { Codec } from '../../messages/codec.ts';
import { MAX_TRAITS, type Message, MESSAGE_TOPICS } from '../../messages/message.ts';
import { parseJson } from '../../messages/parse-json.ts';
import type { Database, Queryable } from '../../stores/database/database.ts';
import {
  ALL_TIME,
  type ErasedUsers,
  isForgotten,
  NOBODY_ERASED,
  userName,
  userNamed,
} from '../../stores/erasures/erased-users.ts';
import { inSlices } from '../../stores/profiles/claims.ts';
import { traitsJson } from '../../stores/profiles/merge-statements.ts';
import type { ProfileChange } from '../../stores/profiles/profile.ts';
import { areSightings } from '../../stores/profiles/sightings.ts';
import { type DeadLettered, identityOf } from './log-cells.ts';
import { readableChangeOf } from './missing-effects.ts';
import { readSlice, type Stored, type StoredUser } from './profile-slice.ts';
import { type ScanParts, scanMessages } from './scan-messages.ts';

export interface ProfileParts extends ScanParts {
  readonly codec: ScanParts['codec'] & Pick<Codec, 'decodeSnapshot'>;
  readonly log: Pick<EventLog, 'scan' | 'beginnings' | 'ends'>;
  readonly profiles: Database;
  readonly deadLettered: DeadLettered;
  /** How long a message id is remembered: a copy that came later may count again, or not. */
  readonly repeatWindowMs: number;
  /** The only project whose users are compared; every one by default. */
  readonly projectId?: string | undefined;
  readonly usersAtOnce?: number;
  /** How many traits a profile keeps. */
  readonly maxTraits?: number;
}

const USERS_AT_ONCE = 20_000;
const NAMED = 100;

/** Checks the users in slices. For each slice it reads the whole log, and holds the users of the slice in memory. */
export async function checkProfiles(parts: ProfileParts): Promise<ProfileFinding> {
  const [row] = await parts.profiles.query<{ readonly users: bigint }>('select count(*) as users from {users}');
  const slices = Math.max(1, Math.ceil(Number(row?.users ?? 0n) / (parts.usersAtOnce ?? USERS_AT_ONCE)));
  const first: DifferentProfile[] = [];
  let [users, undecided, count] = [0, 0, 0];
  for (let slice = 0; slice < slices; slice++) {
    const stored = withoutForgotten(await readSlice(parts, slices, slice), parts.erased);
    const folded = await foldSlice(parts, stored, slices, slice);
    users += new Set([...stored.users.keys(), ...folded.users.keys(), ...folded.undecided]).size;
    undecided += folded.undecided.size;
    const different = await differences(parts.profiles, stored.users, folded);
    count += different.length;
    first.push(...different.slice(0, NAMED - first.length));
  }
  return { users, undecided, different: { count, first } };
}

/** Without the users whose messages are all left out: some are deleted already, and some are not. */
function withoutForgotten(stored: Stored, erased: ErasedUsers = NOBODY_ERASED): Stored {
  if (erased.size === 0) return stored;
  const isLeft = ({ project_id: projectId, user_key: userKey }: StoredUser): boolean =>
    !isForgotten(erased, { projectId, userKey, receivedAt: ALL_TIME });
  return { ...stored, users: new Map([...stored.users].filter(([, user]) => isLeft(user))) };
}

function isInSlice({ userKey }: Pick<Message, 'userKey'>, slices: number, slice: number): boolean {
  return Number.parseInt(userKey.slice(0, 7), 16) % slices === slice;
}

interface FoldedSlice {
  readonly users: ReadonlyMap<string, ProfileChange>;
  /** Users of whom a message may have counted, or not. */
  readonly undecided: ReadonlySet<string>;
}

async function foldSlice(parts: ProfileParts, { ends }: Stored, slices: number, slice: number): Promise<FoldedSlice> {
  const { deadLettered, maxTraits = MAX_TRAITS, projectId, repeatWindowMs } = parts;
  const isWanted = (one: Decoded<Message>): boolean =>
    isInSlice(one.content, slices, slice) &&
    (projectId === undefined || one.content.projectId === projectId) &&
    !deadLettered.has('projector', one, one.record.offset);
  const folding = new Folding({ maxTraits });
  const undecided = new Set<string>();
  const countedAtMs = new Map<string, number>();
  const wantedUser = WantedMessages.of(parts.erased, projectId);
  await takeSnapshots(parts, undefined, wantedUser, async (changes) => {
    for (const change of changes) if (isInSlice(change, slices, slice)) folding.add(change);
  });
  for await (const { decoded } of scanMessages(parts, await rangesUpTo(parts.log, ends))) {
    for (const one of decoded.filter(isWanted)) {
      const { content, record, claim } = one;
      const counted = claim && countedAtMs.get(identityOf(one));
      const isAfterWindow = counted !== undefined && record.appendedAtMs - counted > repeatWindowMs;
      // Where the projector has not come to, a message may have been written in advance.
      const isAhead = record.offset >= (ends.get(nameOf(one))?.next ?? 0n);
      if (isAfterWindow || isAhead) undecided.add(userName(content.projectId, content.userKey));
      if (isAhead || counted !== undefined) continue;
      if (claim !== undefined) countedAtMs.set(identityOf(one), record.appendedAtMs);
      const change = readableChangeOf(content);
      if (change !== undefined) folding.add(change);
    }
  }
  const named = folding.changes().map((change) => [userName(change.projectId, change.userKey), change] as const);
  return { users: new Map(named), undecided };
}

async function rangesUpTo(log: ProfileParts['log'], ends: Stored['ends']): Promise<readonly ScanRange[]> {
  const ranges = await wholeRanges(log, MESSAGE_TOPICS);
  return ranges
    .map((range) => ({ ...range, to: ends.get(nameOf(range))?.ahead ?? range.from }))
    .filter(({ from, to }) => to > from);
}

async function differences(
  database: Queryable,
  stored: ReadonlyMap<string, StoredUser>,
  { users, undecided }: FoldedSlice,
): Promise<readonly DifferentProfile[]> {
  const found: DifferentProfile[] = [];
  const alike: (readonly [StoredUser, ProfileChange])[] = [];
  for (const name of new Set([...stored.keys(), ...users.keys()])) {
    if (undecided.has(name)) continue;
    const [user, fold] = [stored.get(name), users.get(name)];
    const why = lackOf(user, fold);
    const { projectId: project, userKey } = userNamed(name);
    if (why !== undefined) found.push({ project, user: userKey, why });
    else if (user && fold) alike.push([user, fold]);
  }
  return [...found, ...(await otherValues(database, alike))];
}

function lackOf(user: StoredUser | undefined, fold: ProfileChange | undefined): string | undefined {
  if (user === undefined) return 'Postgres knows of no such user';
  if (fold === undefined) return 'the log knows of no such user';
  if (user.user_id !== fold.userId || user.anonymous_id !== fold.anonymousId) return 'it has another id';
  if (!areSightings(user.sightings, fold.sightings)) return 'other anonymous ids were seen beside it';
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
  alike: readonly (readonly [StoredUser, ProfileChange])[],
): Promise<readonly DifferentProfile[]> {
  const found: DifferentProfile[] = [];
  for (const some of inSlices(alike)) {
    const rows = await database.query<{ readonly number: bigint }>(OTHERS, [
      some.map(([{ traits }]) => traits),
      some.map(([, fold]) => traitsJson(fold)),
    ]);
    for (const { number } of rows) {
      const [user] = some[Number(number) - 1] as readonly [StoredUser, ProfileChange];
      found.push({ project: user.project_id, user: user.user_key, why: 'a trait has another value' });
    }
  }
  return found;
}

const OTHERS = `
  select number
  from unnest($1::text[], $2::text[]) with ordinality as pair (stored, folded, number)
  where stored::jsonb <> folded::jsonb`;
