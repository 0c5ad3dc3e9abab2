/** What the messages of every user came to, as the live profiles have it, as records on the log. */
import { partitionOf } from '../../event-log/partition.ts';
import type { EventLog, LogCoordinates, NewRecord } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import { splitObject } from '../../messages/json.ts';
import { type Micros, SNAPSHOT_TOPIC } from '../../messages/message.ts';
import { parseJson } from '../../messages/parse-json.ts';
import { snapshotParts, type UserSnapshot } from '../../messages/snapshot.ts';
import { partitionKeyOf } from '../../messages/user-key.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { CommandCall } from '../../runtime/command.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import { userName, type ErasedUsers, userNamed, isForgotten } from '../../stores/erasures/erased-users.ts';
import type { Database } from '../../stores/database/database.ts';
import { SchemaDatabase } from '../../stores/database/schema-database.ts';
import { schemaOf } from '../../stores/generations/generation.ts';
import { LiveGenerations } from '../../stores/generations/live-generations.ts';
import { SqlGenerations } from '../../stores/generations/sql-generations.ts';
import { readErasedUsers } from '../../stores/erasures/read-erased-users.ts';
import { readSlice, type StoredUser } from '../verify/profile-slice.ts';

export interface SnapshotParts {
  readonly log: Pick<EventLog, 'append' | 'ends'>;
  readonly codec: Pick<Codec, 'encodeSnapshot'>;
  readonly database: Database;
}

export interface WrittenSnapshot {
  readonly users: number;
  /** Where it begins, by partition. */
  readonly from: readonly LogCoordinates[];
}

const SNAPSHOT_USERS = 20_000;
const APPENDED_AT_ONCE = 500;

/**
 * Resolves once it is whole on the log. May be repeated: a snapshot that was broken off does no harm.
 *
 * @param upTo What the profiles had when it was begun.
 * @throws TidemarkError `COMMAND_INVALID` where the profiles are from before there were sightings; what the stores throw.
 */
export async function writeSnapshot(
  parts: SnapshotParts,
  upTo: readonly LogCoordinates[],
  { signal, report }: Pick<CommandCall, 'signal' | 'report'>,
): Promise<WrittenSnapshot> {
  const { log, codec, database } = parts;
  const from = await log.ends([SNAPSHOT_TOPIC]);
  let users = 0;
  for await (const some of userSlices(database)) {
    signal.throwIfAborted();
    await appendUsers(parts, some);
    users += some.length;
    report({ phase: 'snapshot', done: users, unit: 'users' });
  }
  const readAt = BigInt(Date.now()) * 1_000n;
  const ends = from.map(({ partition }) => ({
    topic: SNAPSHOT_TOPIC,
    key: keyIn(partition, from.length),
    value: codec.encodeSnapshot({ readAt, upTo: upTo.filter((one) => one.partition === partition) }),
  }));
  await log.append(ends);
  return { users, from };
}

/** The users of every live generation, each of the projects that it answers for, without those who are forgotten. */
async function* userSlices(database: Database): AsyncGenerator<readonly UserSnapshot[]> {
  const live = (await new SqlGenerations(database).live()).filter(({ kind }) => kind === 'profiles');
  const own = new Set(live.flatMap(({ projectId }) => projectId ?? []));
  for (const { projectId, number } of live) {
    if (number === null) continue;
    const profiles = new SchemaDatabase(database, schemaOf('profiles', number));
    const [row] = await profiles.query<{ readonly users: bigint }>('select count(*) as users from {users}');
    const count = Math.max(1, Math.ceil(Number(row?.users ?? 0n) / SNAPSHOT_USERS));
    for (let some = 0; some < count; some++) {
      const readAt = BigInt(Date.now()) * 1_000n;
      const { users } = await readSlice({ profiles, projectId: projectId ?? undefined }, count, some);
      // Read afterwards: whoever is asked to be forgotten from now on is reached by the erasure.
      const erased = await readErasedUsers(database);
      const wanted = [...users.values()].filter(
        (user) => (projectId !== null || !own.has(user.project_id)) && !isErased(erased, user, readAt),
      );
      yield wanted.map((user) => snapshotOf(user, readAt));
    }
  }
}

/** Somebody whose rows may be older than the instant up to which they are gone. */
function isErased(erased: ErasedUsers, user: StoredUser, readAt: Micros): boolean {
  const { projectId, userKey } = userNamed(userName(user.project_id, user.user_key));
  return isForgotten(erased, { projectId, userKey, receivedAt: readAt });
}

function snapshotOf(user: StoredUser, readAt: Micros): UserSnapshot {
  if (user.sightings === null) throw lacksSightings();
  const values = new Map(splitObject(user.traits));
  const versions = Object.entries(parseJson(user.versions) as Record<string, string>);
  const sightings = Object.entries(parseJson(user.sightings) as Record<string, string>);
  const { anonymous: value, anonymous_version: version } = user;
  return {
    projectId: user.project_id,
    userKey: user.user_key,
    userId: user.user_id,
    anonymousId: user.anonymous_id,
    firstSeen: user.first_seen,
    lastSeen: user.last_seen,
    readAt,
    anonymous: value === null || version === null ? null : { value, version },
    sightings: sightings.map(([id, first]) => ({ id, version: first })),
    traits: versions.map(([name, newest]) => ({ name, value: values.get(name) ?? null, version: newest })),
  };
}

function lacksSightings(): TidemarkError {
  const message =
    'The profiles are from before there were sightings. Read the log again first: tidemark replay profiles';
  return new TidemarkError('COMMAND_INVALID', message);
}

/** Appends what the live profiles have of these users of a project, without an end: it stands for no message. */
export async function snapshotUsers(
  parts: AppendParts & Pick<SnapshotParts, 'database'>,
  projectId: string,
  userKeys: readonly string[],
): Promise<void> {
  const number = await new LiveGenerations(parts.database).numberOf('profiles', projectId);
  const profiles = new SchemaDatabase(parts.database, schemaOf('profiles', number));
  const readAt = BigInt(Date.now()) * 1_000n;
  const { users } = await readSlice({ profiles, projectId, userKeys }, 1, 0);
  const erased = await readErasedUsers(parts.database);
  const wanted = [...users.values()].filter((user) => !isErased(erased, user, readAt));
  await appendUsers(
    parts,
    wanted.map((user) => snapshotOf(user, readAt)),
  );
}

type AppendParts = Pick<SnapshotParts, 'codec'> & { readonly log: Pick<EventLog, 'append'> };

async function appendUsers({ log, codec }: AppendParts, users: readonly UserSnapshot[]): Promise<void> {
  const yielder = new EventLoopYielder();
  let records: NewRecord[] = [];
  const flush = async (): Promise<void> => {
    await log.append(records);
    records = [];
  };
  for (const user of users) {
    for (const part of snapshotParts(user)) {
      records.push({ topic: SNAPSHOT_TOPIC, key: partitionKeyOf(part), value: codec.encodeSnapshot(part) });
      if (records.length >= APPENDED_AT_ONCE) await flush();
    }
    if (yielder.isOver()) await yielder.next();
  }
  if (records.length > 0) await flush();
}

/** A key whose record goes to this partition: the log chooses by it. */
function keyIn(partition: number, partitions: number): Uint8Array {
  for (let number = 0; ; number++) {
    const key = Buffer.from(`end/${number}`);
    if (partitionOf(key, partitions) === partition) return key;
  }
}
