/** Restores a backup into the stores of the configuration, while no service runs on them. */
import type { EventLogOptions, LogCopy } from '../../event-log/event-log.ts';
import { openLogCopy, shareEventLog } from '../../event-log/open.ts';
import { type CheckedBackup, checkBackup } from '../../operations/backup/check-backup.ts';
import { restore, type RestoreResult } from '../../operations/backup/restore.ts';
import { readErasuresFile } from '../../operations/erasure/erasures-file.ts';
import { type CommandCall, commandInvalid } from '../../runtime/command.ts';
import type { Config } from '../../runtime/config.ts';
import { checkDataFolders, hasEmbedded } from '../../runtime/embedded.ts';
import { lockFolder } from '../../runtime/folder-lock.ts';
import type { AnalyticsStore } from '../../stores/analytics/analytics-store.ts';
import { openAnalytics } from '../../stores/analytics/open.ts';
import type { Database } from '../../stores/database/database.ts';
import { openDatabase } from '../../stores/database/open.ts';
import { exclusively } from '../open-stores.ts';

export interface WantedRestore {
  /** That of the backup. */
  readonly folder: string;
  /** Restores the installation as it was at this moment; undefined: as the last backup has it. */
  readonly untilMs: number | undefined;
  /** A file with erasures that are newer than the backup. */
  readonly erasuresFile: string | undefined;
  /** Its endpoints are paused. */
  readonly isDrill: boolean;
}

/**
 * @throws TidemarkError as `restore`; `FOLDER_IN_USE` where a service runs on the data folder; `COMMAND_INVALID` where the
 *   file of erasures cannot be read as such, or the service of a drill would make backups.
 */
export async function restoreInto(
  config: Config,
  { folder, untilMs, erasuresFile, isDrill }: WantedRestore,
  call: Pick<CommandCall, 'report' | 'signal'>,
): Promise<RestoreResult> {
  checkDataFolders(config);
  if (isDrill && config.backupDir !== undefined) {
    throw commandInvalid(`The service of a drill would back up into ${config.backupDir}: set BACKUP_DIR= for it.`);
  }
  const erasures = erasuresFile === undefined ? [] : await readErasuresFile(erasuresFile);
  // Closed backwards, the database last: analytics may be migrating under its lock.
  await using opened = new AsyncDisposableStack();
  if (hasEmbedded(config)) opened.adopt(lockFolder(config.dataDir), (lock) => lock.release());
  const closing = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> =>
    opened.adopt(await opening, (store) => store.close());
  await shareEventLog(config.eventLogUrl);
  const stores = {
    database: (): Promise<Database> => closing(openDatabase(config.profilesUrl, call.signal)),
    analytics: (database: Database): Promise<AnalyticsStore> =>
      closing(openAnalytics(config.analyticsUrl, { exclusively: (run) => exclusively(database, run) })),
    log: (options: EventLogOptions): Promise<LogCopy> => closing(openLogCopy(config.eventLogUrl, options)),
  };
  const { eventLogPartitions: partitions, schemaRegistryUrl } = config;
  const hasRegistry = schemaRegistryUrl !== undefined;
  return await restore(stores, { folder, untilMs, partitions, hasRegistry, erasures, isDrill }, call);
}

/** @throws TidemarkError as `checkBackup`. */
export function checkFolder(folder: string, call: Pick<CommandCall, 'report' | 'signal'>): Promise<CheckedBackup> {
  return checkBackup(folder, call);
}
