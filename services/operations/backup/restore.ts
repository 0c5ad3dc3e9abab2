/**
 * Brings an installation back from a backup, into stores that hold nothing: the log at the same offsets, the tables that
 * are not made from it, and the history of audiences. The rest is read again from the log by the readers, once the service
 * starts. The database notes how far each part has come, so the same restore goes on where it was killed. Until it has
 * ended, no process of the service works on the stores.
 */
import type { EventLogOptions, LogCoordinates, LogCopy } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import { IMPORT_TOPICS, LIVE_TOPICS } from '../../messages/message.ts';
import { formatMs } from '../../messages/timestamp.ts';
import type { CommandCall } from '../../runtime/command.ts';
import type { ErasureRow } from '../erasure/erasures-file.ts';
import { hasCode } from '../../runtime/errors.ts';
import type { AnalyticsStore } from '../../stores/analytics/analytics-store.ts';
import type { LiveEpoch } from '../../stores/analytics/live-history.ts';
import type { Database, Queryable } from '../../stores/database/database.ts';
import { migrateDatabase } from '../../stores/database/migrate.ts';
import {
  noteRestoreFailed,
  noteRestoreFinished,
  noteTablesFilled,
  pauseEndpoints,
} from '../../stores/service-state/restore-state.ts';
import { addedUp } from './back-up.ts';
import { manifestOf } from './backup-folder.ts';
import { checkFiles } from './check-backup.ts';
import { fillHistory } from './history.ts';
import type { BackupEntry, Manifest } from './manifest.ts';
import { recordsOfLog } from './read-log.ts';
import { beginRestore, expectNoHistory, expectNothingIngested, restoreRefusal } from './restore-target.ts';
import { RestoredErasures } from './restored-erasures.ts';
import { fillTables } from './tables.ts';

/** The stores to be filled, opened in this order; whoever opened the restore closes what it opened. */
export interface RestoreStores {
  /** Not migrated. */
  database(): Promise<Database>;
  analytics(database: Database): Promise<AnalyticsStore>;
  log(options: EventLogOptions): Promise<LogCopy>;
}

export interface RestoreRequest {
  readonly folder: string;
  /** Restores the installation as it was at this moment; undefined: as the last backup has it. */
  readonly untilMs: number | undefined;
  /** How many partitions each topic must have, as the service is configured. */
  readonly partitions: number;
  /** Whether a schema registry gives the ids of schemas to the service. */
  readonly hasRegistry: boolean;
  /** Erasures that are newer than the backup. */
  readonly erasures: readonly ErasureRow[];
  /** It is only looked at: whoever has the installation itself goes on sending to its endpoints. */
  readonly isDrill: boolean;
}

/** What was restored, as plain JSON. */
export interface RestoreResult {
  readonly folder: string;
  /** The number of the backup in the folder. */
  readonly number: number;
  /** When its tables were read. */
  readonly at: string;
  /** Up to when the log goes; null: as far as the backup has it. */
  readonly until: string | null;
  /** Records of the log. */
  readonly records: number;
  /** Rows of the tables of the database. */
  readonly rows: number;
  readonly took_ms: number;
}

type RestoreCall = Pick<CommandCall, 'report' | 'signal'>;

/**
 * @throws TidemarkError `RESTORE_REFUSED`; `BACKUP_DAMAGED`, before anything is written; `BACKUP_FOREIGN`,
 *   `BACKUP_UNAVAILABLE`; `STORE_NEWER`; what the stores throw.
 */
export async function restore(
  stores: RestoreStores,
  request: RestoreRequest,
  call: RestoreCall,
): Promise<RestoreResult> {
  const { folder, untilMs, isDrill } = request;
  const startedMs = performance.now();
  const manifest = await manifestOf(folder);
  const entry = entryAt(manifest, request);
  await checkFiles(folder, manifest, call);

  const until = untilMs === undefined ? '' : `, until ${formatMs(untilMs)}`;
  const name = `${entry.at} (number ${entry.number}${until}${isDrill ? ', a drill' : ''})`;
  const database = await stores.database();
  const state = await beginRestore(database, entry, name);
  const analytics = await stores.analytics(database);
  await expectNothingIngested(analytics, entry.ends);
  if (!state.isResumed) await expectNoHistory(analytics);

  const erasures = await RestoredErasures.read(folder, manifest, request.erasures);
  const topics = entry.topics.map((topic) => topic.name);
  const log = await stores.log({ topics, partitions: request.partitions });
  const ends = await fillLog(log, state.isResumed, { manifest, entry, request, erasures }, call, database);
  if (!state.hasTables) {
    call.report({ phase: 'tables', done: 0 });
    const fill = async (transaction: Queryable): Promise<void> => {
      await fillTables(transaction, folder, entry.tables);
      if (isDrill) await pauseEndpoints(transaction);
      await keepAudiencesWaiting(transaction, ends);
      await noteTablesFilled(transaction);
    };
    await database.transaction(fill, { isUnhurried: true });
  }
  await migrateDatabase(database);
  await leaveJobs(database);
  await erasures.fill(database, folder, manifest, entry);
  await listBlank(database, { manifest, entry, request, erasures }, call);
  call.report({ phase: 'audience history', done: 0 });
  const epochs = await database.query<LiveEpoch>('select epoch, through from live_epochs');
  const history = { folder, files: entry.history, epochs, erased: erasures.users };
  await fillHistory(analytics.keptHistory(), history, call.signal);
  await noteRestoreFinished(database);
  return {
    folder,
    number: entry.number,
    at: entry.at,
    until: untilMs === undefined ? null : formatMs(untilMs),
    records: addedUp(ends, ({ offset }) => Number(offset)),
    rows: addedUp(entry.tables, ({ rows }) => rows),
    took_ms: Math.round(performance.now() - startedMs),
  };
}

/** The backup whose tables are the last of a moment. @throws TidemarkError `RESTORE_REFUSED`. */
function entryAt(
  { backups }: Manifest,
  { folder, untilMs = Infinity, partitions, hasRegistry }: RestoreRequest,
): BackupEntry {
  const entry = backups.findLast(({ at }) => Date.parse(at) <= untilMs);
  const [first] = backups;
  if (entry === undefined) {
    throw restoreRefusal(
      first === undefined
        ? `${folder} keeps no backup.`
        : `The oldest backup that ${folder} keeps is of ${first.at}, so nothing before can be restored.`,
    );
  }
  const other = entry.topics.find((topic) => topic.partitions !== partitions);
  if (other !== undefined) {
    throw restoreRefusal(
      `The log of the backup has ${other.partitions} partitions a topic, not ${partitions}: set EVENT_LOG_PARTITIONS=${other.partitions}.`,
    );
  }
  // With other ids a record would be read as one of another schema.
  if (entry.hasRegistry === hasRegistry) return entry;
  throw restoreRefusal(
    entry.hasRegistry
      ? 'The records of the backup have the ids of a schema registry: set SCHEMA_REGISTRY_URL to that one.'
      : 'The records of the backup have the ids of this program, not those of a schema registry: leave SCHEMA_REGISTRY_URL out.',
  );
}

interface LogToFill {
  readonly manifest: Manifest;
  readonly entry: BackupEntry;
  readonly request: RestoreRequest;
  readonly erasures: RestoredErasures;
}

/** Fills what the log lacks. Returns where each partition ends. */
async function fillLog(
  log: LogCopy,
  isResumed: boolean,
  { manifest, entry, request: { folder, untilMs }, erasures }: LogToFill,
  { report, signal }: RestoreCall,
  database: Queryable,
): Promise<readonly LogCoordinates[]> {
  const topics = entry.topics.map(({ name }) => name);
  const begun = new Map((await log.ends(topics)).map((one) => [nameOf(one), one.offset]));
  const filled = [...begun].find(([, end]) => end > 0n);
  if (!isResumed && filled !== undefined) {
    throw restoreRefusal(`The log has records already: ${filled[0]} ends at ${filled[1]}.`);
  }
  // A restore to a moment reads the log past the end of the backup whose tables it uses.
  const ends = untilMs === undefined ? entry.ends : lastEnds(manifest, entry);
  const total = addedUp(ends, ({ end }) => end);
  let done = Number([...begun.values()].reduce((all, end) => all + end, 0n));
  try {
    for await (const piece of recordsOfLog(folder, { files: manifest.log, ends, from: begun, untilMs })) {
      signal.throwIfAborted();
      await log.appendAt(piece, erasures.blankIn(piece));
      done += piece.records.length;
      report({ phase: 'log', done, total, unit: 'records' });
    }
    for (const { end, ...partition } of untilMs === undefined ? ends : []) {
      await log.appendAt(partition, [], BigInt(end));
    }
    await log.finish();
  } catch (error) {
    // A second try cannot repair what the log has now.
    if (hasCode(error, 'RESTORE_REFUSED')) await noteRestoreFailed(database, error.message);
    throw error;
  }
  return expectEnds(await log.ends(topics), entry.ends, untilMs === undefined);
}

/** Lists the records that were made blank on the way. They are read again, as a restore that was killed has not kept them. */
async function listBlank(
  database: Queryable,
  { manifest, entry, request: { folder, untilMs }, erasures }: LogToFill,
  { signal }: RestoreCall,
): Promise<void> {
  if (erasures.users.size === 0) return;
  const ends = untilMs === undefined ? entry.ends : lastEnds(manifest, entry);
  for await (const piece of recordsOfLog(folder, { files: manifest.log, ends, from: new Map(), untilMs })) {
    signal.throwIfAborted();
    await erasures.list(database, piece);
  }
}

function lastEnds({ log }: Manifest, { ends }: BackupEntry): BackupEntry['ends'] {
  return ends.map(({ topic, partition, end }) => {
    const last = log.findLast((file) => file.topic === topic && file.partition === partition);
    return { topic, partition, end: Math.max(end, last?.end ?? 0) };
  });
}

/** Returns what was found. */
function expectEnds(
  found: readonly LogCoordinates[],
  wanted: BackupEntry['ends'],
  isExact: boolean,
): readonly LogCoordinates[] {
  const ends = new Map(found.map((one) => [nameOf(one), one.offset]));
  for (const { end, ...partition } of wanted) {
    const now = ends.get(nameOf(partition)) ?? 0n;
    const fits = isExact ? now === BigInt(end) : now >= BigInt(end);
    if (!fits) throw restoreRefusal(`${nameOf(partition)} ends at ${now}, and the backup has it up to ${end}.`);
  }
  return found;
}

/** What the installation of before did by itself says nothing of this one, and nobody goes on with what was under way there. */
async function leaveJobs(database: Queryable): Promise<void> {
  await database.query("delete from jobs where principal = 'service' or kind = 'backup'");
  await database.query('update jobs set restarts_left = 0');
}

/** No audience is evaluated before the sink has inserted all that the log has now. */
async function keepAudiencesWaiting(transaction: Queryable, ends: readonly LogCoordinates[]): Promise<void> {
  const topics: readonly string[] = [...LIVE_TOPICS, ...IMPORT_TOPICS];
  for (const { topic, partition, offset } of ends) {
    if (offset === 0n || !topics.includes(topic)) continue;
    await transaction.query(
      `insert into sink_plans (topic, partition, from_offset, from_identity, to_offset, to_identity, inserted, rows_from, behind_until)
       values ($1, $2::int4, 0, '', 0, '', true, 0, $3::int8)`,
      [topic, partition, offset],
    );
  }
}
