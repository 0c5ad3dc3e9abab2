/** Cuts the log: messages older than the retention are deleted once a snapshot on the log stands for them. */
import { least, nameOf } from '../../event-log/partition.ts';
import { wholeRanges } from '../../event-log/deleted-records.ts';
import type { EventLog, LogCoordinates, ScanRange } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import { DEAD_LETTER_TOPIC, MESSAGE_TOPICS, type Micros } from '../../messages/message.ts';
import { microsAt } from '../../messages/timestamp.ts';
import type { CommandCall } from '../../runtime/command.ts';
import type { Database } from '../../stores/database/database.ts';
import { SqlGenerations } from '../../stores/generations/sql-generations.ts';
import { IS_LISTED, IS_WAITING } from '../../stores/profiles/dead-letter-rows.ts';
import { progressSoFar } from '../../stores/profiles/progress-of.ts';
import { manifestOf } from '../backup/backup-folder.ts';
import { repeatProjects } from '../project-log/project-writer.ts';
import { type FollowedParts, followDeadLetters } from '../dead-letters/follow-dead-letters.ts';
import type { JobArguments } from '../jobs/job.ts';
import { lower, offsetsByPartition } from '../replay/between.ts';
import { noteCut, rangesSince } from '../verify/log-ranges.ts';
import { type SnapshotParts, writeSnapshot } from './write-snapshot.ts';

export interface LogCutParts extends SnapshotParts, FollowedParts {
  readonly log: EventLog;
  readonly codec: SnapshotParts['codec'] & FollowedParts['codec'] & Pick<Codec, 'encodeProject' | 'decodeProject'>;
  readonly database: Database;
  /** Where backups are made; undefined where none are. Nothing is deleted that the last one there does not have. */
  readonly backupFolder: string | undefined;
}

/** What the job came to, as plain JSON. */
export interface CutLog {
  /** Users of the snapshot; 0 where none was needed. */
  readonly users: number;
  /** Messages that are deleted, or may be: an embedded log deletes whole files. */
  readonly messages: number;
}

/** A snapshot is not worth it for a smaller part of the log. */
const LEAST_PART = 20n;

/**
 * The job `log cut`. May be interrupted at any point, and repeated: nothing is deleted before the snapshot is whole.
 *
 * @throws TidemarkError what the stores throw.
 */
export async function cutLog(
  parts: LogCutParts,
  { keep_ms: keepMs }: JobArguments['log cut'],
  call: CommandCall,
): Promise<CutLog> {
  const { log, database } = parts;
  const before = microsAt(Date.now() - keepMs);
  const [whole, letters] = await Promise.all([wholeRanges(log, MESSAGE_TOPICS), wholeRanges(log, [DEAD_LETTER_TOPIC])]);
  const needed = await neededFrom(parts, letters, call);
  const cut = await oldParts(log, whole, before, needed);
  const begins = new Map(whole.map((range) => [nameOf(range), range.from]));
  const deleted = totalOf(cut.map((one) => positive(one.offset - (begins.get(nameOf(one)) ?? 0n))));
  const all = totalOf(whole.map(({ from, to }) => to - from));
  if (deleted === 0n || deleted * LEAST_PART < all) return { users: 0, messages: 0 };
  // What every generation has; the profiles have it, too, from which the snapshot is made.
  const upTo = whole.map(({ topic, partition }) => {
    return { topic, partition, offset: needed.get(nameOf({ topic, partition })) ?? 0n };
  });
  const { users, from } = await writeSnapshot(parts, upTo, call);
  // Before anything is deleted: verification leaves out what may be.
  await noteCut(database, cut, before);
  // A file of an embedded log goes only where all its records may.
  const others = [...from, ...(await oldParts(log, letters, before, needed)), ...(await repeatProjects(parts))];
  await log.cut([...cut, ...others]);
  return { users, messages: Number(deleted) };
}

/** By partition, the first record that stays. */
async function oldParts(
  log: Pick<EventLog, 'scan'>,
  whole: readonly ScanRange[],
  before: Micros,
  needed: ReadonlyMap<string, bigint>,
): Promise<readonly LogCoordinates[]> {
  const parts: LogCoordinates[] = [];
  for (const range of await rangesSince(log, whole, before, 0)) {
    const { topic, partition } = range;
    const offset = least(await endOfOld(log, range, Number(before / 1_000n)), needed.get(nameOf(range)) ?? 0n);
    parts.push({ topic, partition, offset });
  }
  return parts;
}

/** Reads on from where the search ended, for some thousand records at most. */
async function endOfOld(log: Pick<EventLog, 'scan'>, range: ScanRange, beforeMs: number): Promise<bigint> {
  for await (const { records } of log.scan([range], { maxRecords: 5_000 })) {
    const first = records.find(({ appendedAtMs }) => appendedAtMs >= beforeMs);
    if (first !== undefined) return first.offset;
  }
  return range.to;
}

/**
 * By partition the first offset that somebody may still read: a reader of any generation, who mends a dead letter,
 * or the next backup.
 */
async function neededFrom(
  parts: LogCutParts,
  letters: readonly ScanRange[],
  { signal }: Pick<CommandCall, 'signal'>,
): Promise<ReadonlyMap<string, bigint>> {
  const { database, backupFolder } = parts;
  await followDeadLetters(parts, { signal });
  const fed = (await new SqlGenerations(database).list()).filter(
    ({ state }) => state === 'building' || state === 'built',
  );
  const positions = await Promise.all(fed.map(({ kind, number }) => progressSoFar(database, kind, number)));
  const [first = new Map<string, bigint>(), ...others] = positions.map(offsetsByPartition);
  const needed = new Map(others.reduce(lower, first));
  // Those that were there before they were followed.
  for (const { to, ...at } of letters) needed.set(nameOf(at), to);
  const limits = [...(await database.query<LogCoordinates>(WAITING_LETTERS)), ...(await backedUpTo(backupFolder))];
  for (const limit of limits) {
    const known = needed.get(nameOf(limit));
    if (known !== undefined) needed.set(nameOf(limit), least(known, limit.offset));
  }
  return needed;
}

/** @throws TidemarkError `BACKUP_FOREIGN` where no backup is finished there; `BACKUP_UNAVAILABLE`. */
async function backedUpTo(folder: string | undefined): Promise<readonly LogCoordinates[]> {
  if (folder === undefined) return [];
  const last = (await manifestOf(folder)).backups.at(-1);
  return (last?.ends ?? []).map(({ topic, partition, end }) => ({ topic, partition, offset: BigInt(end) }));
}

const WAITING_LETTERS = `
  select topic, partition, min(log_offset) as offset from dead_letters l
  where ${IS_LISTED} and ${IS_WAITING} group by topic, partition
  union all
  select '${DEAD_LETTER_TOPIC}', letter_partition, min(letter_offset) from dead_letters l
  where ${IS_LISTED} and ${IS_WAITING} group by letter_partition`;

function positive(one: bigint): bigint {
  return one > 0n ? one : 0n;
}

function totalOf(some: readonly bigint[]): bigint {
  return some.reduce((all, one) => all + one, 0n);
}
