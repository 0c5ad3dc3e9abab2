/** What messages that were deleted from the log came to, for a reader that begins behind them. */
import { deletedRecords, wholeRanges } from '../event-log/deleted-records.ts';
import type { EventLog, ScanRange, TopicPartition } from '../event-log/event-log.ts';
import type { Codec } from '../messages/codec.ts';
import { MESSAGE_TOPICS, SNAPSHOT_TOPIC } from '../messages/message.ts';
import { isSnapshotEnd, type SnapshotEnd, type UserSnapshot } from '../messages/snapshot.ts';
import type { ProfileChange } from '../stores/profiles/profile.ts';
import type { WantedMessages } from './wanted-messages.ts';

export interface SnapshotSource {
  readonly log: Pick<EventLog, 'scan' | 'beginnings' | 'ends'>;
  readonly codec: Pick<Codec, 'prepare' | 'decodeSnapshot'>;
}

export interface SnapshotsRead {
  /** The records that no snapshot covers, by `topic/partition`; no member where all are covered. */
  readonly uncovered: Readonly<Record<string, number>>;
  /** Up to where they have everything, by `topic/partition`. */
  readonly covered: ReadonlyMap<string, bigint>;
}

const SNAPSHOT_PIECE = { maxRecords: 500, maxBytes: 4 * 2 ** 20 };

/**
 * Passes on what the snapshots on the log say of the users of these partitions, a piece after the other, merged with
 * nothing. Snapshots overlap: merging what is there already changes nothing.
 *
 * @param partitions Numbers: a user is in the partition of the same number of every topic. Undefined: all of them.
 */
export async function takeSnapshots(
  { log, codec }: SnapshotSource,
  partitions: ReadonlySet<number> | undefined,
  wanted: WantedMessages | undefined,
  take: (changes: readonly ProfileChange[]) => Promise<void>,
): Promise<SnapshotsRead> {
  const deleted = Object.entries(await deletedRecords(log, MESSAGE_TOPICS)).filter(([name]) =>
    isWanted(partitions, Number(name.slice(name.lastIndexOf('/') + 1))),
  );
  const covered = new Map<string, bigint>();
  for await (const { records } of log.scan(await snapshotRanges(log, partitions), SNAPSHOT_PIECE)) {
    await codec.prepare(records.map(({ value }) => value));
    const read = records.map(({ value }) => codec.decodeSnapshot(value));
    for (const end of read.filter(isSnapshotEnd)) noteCovered(covered, end);
    const users = read.filter(
      (one): one is UserSnapshot => !isSnapshotEnd(one) && wanted?.has(asReceived(one)) !== false,
    );
    if (users.length > 0) await take(users.map(changeOfSnapshot));
  }
  const uncovered = deleted.filter(([name, records]) => (covered.get(name) ?? 0n) < BigInt(records));
  return { uncovered: Object.fromEntries(uncovered), covered };
}

/** The offset of the first record of a range that is not blank; its end if it has no such record. */
export async function firstRecordIn(log: Pick<EventLog, 'scan'>, range: ScanRange): Promise<bigint> {
  if (range.from >= range.to) return range.from;
  for await (const { records } of log.scan([range], { maxRecords: 1 })) {
    const [first] = records;
    if (first !== undefined) return first.offset;
  }
  return range.to;
}

async function snapshotRanges(
  log: Pick<EventLog, 'beginnings' | 'ends'>,
  partitions: ReadonlySet<number> | undefined,
): Promise<readonly ScanRange[]> {
  return (await wholeRanges(log, [SNAPSHOT_TOPIC])).filter(({ partition }) => isWanted(partitions, partition));
}

function isWanted(partitions: ReadonlySet<number> | undefined, partition: number): boolean {
  return partitions?.has(partition) ?? true;
}

function noteCovered(covered: Map<string, bigint>, { upTo }: SnapshotEnd): void {
  for (const { topic, partition, offset } of upTo) {
    const name = `${topic}/${partition}`;
    if (offset > (covered.get(name) ?? 0n)) covered.set(name, offset);
  }
}

/** An erasure that was asked for after it was taken leaves it out, as it does messages. */
function asReceived({ projectId, userKey, readAt }: UserSnapshot) {
  return { projectId, userKey, receivedAt: readAt };
}

export function changeOfSnapshot(user: UserSnapshot): ProfileChange {
  const { projectId, userKey, userId, anonymousId, firstSeen, lastSeen, anonymous } = user;
  return {
    projectId,
    userKey,
    userId,
    anonymousId,
    firstSeen,
    lastSeen,
    anonymous,
    sightings: new Map(user.sightings.map(({ id, version }) => [id, version])),
    traits: new Map(user.traits.map(({ name, value, version }) => [name, { value, version }])),
  };
}

/** The numbers of partitions. */
export function numbersOf(partitions: readonly TopicPartition[]): ReadonlySet<number> {
  return new Set(partitions.map(({ partition }) => partition));
}
