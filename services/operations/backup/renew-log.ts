/** Copies a log whose records cannot be overwritten, at the same offsets, without those of people who were forgotten. */
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { blankRecord, isBlank } from '../../event-log/blank.ts';
import type { EventLog, LogCopy, LogRecord, PartitionRecords, ScanRange } from '../../event-log/event-log.ts';
import { identityOf } from '../../event-log/identity.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { Codec } from '../../messages/codec.ts';
import { TOPICS } from '../../messages/message.ts';
import { type CommandCall, commandInvalid } from '../../runtime/command.ts';
import type { Database } from '../../stores/database/database.ts';
import { noteBlanked } from '../../stores/erasures/blanked-records.ts';
import type { ErasedUsers } from '../../stores/erasures/erased-users.ts';
import { readErasedUsers } from '../../stores/erasures/read-erased-users.ts';
import { encodeRecords } from './record-file.ts';
import { forgottenIn } from '../erasure/forgotten-records.ts';

export interface RenewalParts {
  readonly from: Pick<EventLog, 'scan' | 'beginnings' | 'ends'>;
  readonly to: LogCopy;
  readonly codec: Codec;
  readonly database: Database;
  /** How long nothing may be appended before the end; for tests. */
  readonly quietMs?: number;
}

/** What a run did, as plain JSON. */
export interface RenewedLog {
  /** Records that it copied, and those of them that are blank. */
  readonly records: number;
  readonly blank: number;
  /** Whether the copy is complete: the service may be started on it. */
  readonly finished: boolean;
  readonly took_ms: number;
}

type RenewalCall = Pick<CommandCall, 'report' | 'signal'>;

// Records that arrive while a round is copied belong to the next round. A small round ends the run.
const FEW_IN_A_ROUND = 1_000;
const QUIET_MS = 3_000;

/**
 * Copies what the copy lacks, reads it back and compares it. May be repeated, and goes on where it ended. The service may run
 * meanwhile.
 *
 * @param isLast Nobody writes any more: the copy is to be complete.
 * @throws TidemarkError `COMMAND_INVALID` where the copy is one of something else, or somebody writes at the end;
 *   `RESTORE_REFUSED` where a record cannot have its offset; what the logs and the database throw.
 */
export async function renewLog(parts: RenewalParts, isLast: boolean, call: RenewalCall): Promise<RenewedLog> {
  const startedMs = performance.now();
  await expectCopyOf(parts, call);
  const sum = { records: 0, blank: 0 };
  for (;;) {
    const { records, blank } = await copyRound(parts, call);
    sum.records += records;
    sum.blank += blank;
    if (records < FEW_IN_A_ROUND) break;
  }
  if (isLast) await finish(parts, call);
  return { ...sum, finished: isLast, took_ms: Math.round(performance.now() - startedMs) };
}

async function finish({ from, to, quietMs = QUIET_MS }: RenewalParts, { signal }: RenewalCall): Promise<void> {
  await sleep(quietMs, undefined, { signal });
  const copied = new Map((await to.ends(TOPICS)).map((end) => [nameOf(end), end.offset]));
  const other = (await from.ends(TOPICS)).find((end) => copied.get(nameOf(end)) !== end.offset);
  if (other !== undefined)
    throw commandInvalid(`${nameOf(other)} is still written to. Stop every process of the service, and finish then.`);
  await to.finish();
}

/** The last record of each partition of the copy is the one of the log, or blank. */
async function expectCopyOf({ from, to }: RenewalParts, { signal }: RenewalCall): Promise<void> {
  const ends = new Map((await from.ends(TOPICS)).map((end) => [nameOf(end), end.offset]));
  const filled = (await to.ends(TOPICS)).filter(({ offset }) => offset > 0n);
  const beyond = filled.find((end) => end.offset > (ends.get(nameOf(end)) ?? 0n));
  if (beyond !== undefined) throw foreignCopy(`${nameOf(beyond)} ends at ${beyond.offset}`);
  const ranges = filled.map(({ topic, partition, offset }) => ({ topic, partition, from: offset - 1n, to: offset }));
  if (ranges.length === 0) return;
  const identities = new Map<string, string>();
  for await (const { records, ...at } of from.scan(ranges, { signal }))
    for (const record of records) identities.set(nameOf(at), identityOf(record));
  for await (const { records, ...at } of to.scan(ranges, { signal })) {
    const [record] = records;
    const wanted = identities.get(nameOf(at));
    if (record === undefined || wanted === undefined || identityOf(record) === wanted) continue;
    throw foreignCopy(`${nameOf(at)} has another record at offset ${record.offset}`);
  }
}

function foreignCopy(how: string) {
  return commandInvalid(
    `The topics of this prefix are no copy of the log: ${how}. Choose another prefix, or delete them.`,
  );
}

async function copyRound(parts: RenewalParts, call: RenewalCall): Promise<Pick<RenewedLog, 'records' | 'blank'>> {
  const { from, to, database } = parts;
  const ranges = await rangesToCopy(parts);
  const erased = await readErasedUsers(database);
  const total = Number(ranges.reduce((sum, { from: first, to: end }) => sum + end - first, 0n));
  const [written, counts] = [new Checksums(), { records: 0, blank: 0 }];
  for await (const piece of from.scan(ranges, { signal: call.signal, withBlank: true })) {
    const records = await withForgottenBlank(parts, piece, erased);
    await to.appendAt(piece, records);
    written.add({ ...piece, records });
    counts.records += records.length;
    counts.blank += records.filter(isBlank).length;
    call.report({ phase: 'copying', done: counts.records, total, unit: 'records' });
  }
  const read = new Checksums();
  for await (const piece of to.scan(ranges, { signal: call.signal, withBlank: true })) read.add(piece);
  read.expectEqual(written);
  return counts;
}

async function rangesToCopy({ from, to }: RenewalParts): Promise<readonly ScanRange[]> {
  const copied = new Map((await to.ends(TOPICS)).map((end) => [nameOf(end), end.offset]));
  const cut = (await from.beginnings(TOPICS)).find((one) => one.offset > (copied.get(nameOf(one)) ?? 0n));
  if (cut !== undefined) {
    const message = `${nameOf(cut)} begins at ${cut.offset}: the offsets before it have no record to be copied.`;
    throw commandInvalid(`${message} Let its retention end instead.`);
  }
  const ranges = (await from.ends(TOPICS)).map(({ topic, partition, offset }) => {
    return { topic, partition, from: copied.get(nameOf({ topic, partition })) ?? 0n, to: offset };
  });
  return ranges.filter((range) => range.from < range.to);
}

/** They are listed before they are blank anywhere. */
async function withForgottenBlank(
  { codec, database }: RenewalParts,
  piece: PartitionRecords,
  erased: ErasedUsers,
): Promise<readonly LogRecord[]> {
  const forgotten = await forgottenIn(codec, piece, erased);
  if (forgotten.length === 0) return piece.records;
  await noteBlanked(database, forgotten);
  const offsets = new Set(forgotten.map(({ offset }) => offset));
  return piece.records.map((record) => (offsets.has(record.offset) ? blankRecord(record) : record));
}

/** A checksum of the records of each partition: offsets, times, keys and values. */
class Checksums {
  readonly #sums = new Map<string, number>();

  add({ records, ...at }: PartitionRecords): void {
    this.#sums.set(nameOf(at), crc32(encodeRecords(records), this.#sums.get(nameOf(at))));
  }

  expectEqual(written: Checksums): void {
    const other = [...written.#sums].find(([name, sum]) => this.#sums.get(name) !== sum);
    if (other === undefined) return;
    throw foreignCopy(`${other[0]} was read back, and holds other records than were written`);
  }
}
