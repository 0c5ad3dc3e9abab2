/**
 * Which function starts which role:
 *
 * - `all`: `startAll` (all-service.ts), everything in one process
 * - `ingest`: `startIngest` (ingest-service.ts), the HTTP interface; several processes are started by
 *   `startIngestCluster` (ingest-cluster.ts), and each calls `startIngest`
 * - `projector`, `sink`, `webhooks`: `startReader` (reader-service.ts), one reader, or what sends webhooks
 */
import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { checkAddress } from '../http/server.ts';
import type { Config } from '../runtime/config.ts';
import type { OpenedLogger } from '../runtime/logger.ts';
import { startAll } from './all-service.ts';
import { answers } from '../operations/backup/backup-folder.ts';
import { checkDataFolders } from '../runtime/embedded.ts';
import { checkPrivate, checkUnwritable } from '../runtime/private-folder.ts';
import { clusterMetricsOf, sendReady, startIngestCluster } from './ingest-cluster.ts';
import { startIngest } from './ingest-service.ts';
import { startReader } from './reader-service.ts';
import type { Role, Running } from './role.ts';

/**
 * Resolves once the role can do its work.
 *
 * @param signal Ends the waiting for servers that cannot be reached: then it rejects with `STOPPING`.
 * @throws TidemarkError what permanently keeps it from doing its work.
 */
export async function startRole(
  role: Role,
  config: Config,
  output: OpenedLogger,
  signal: AbortSignal,
): Promise<Running> {
  const { logger } = output;
  checkDataFolders(config);
  await checkSharedFolders(config);
  if (role === 'all') return startAll(config, output, signal);
  if (role === 'ingest') return startIngestProcesses(config, output, signal);
  return startReader(role, config, logger.child({ role }), signal);
}

/**
 * Folders that may be on another machine, which may have gone away: that keeps nothing from starting.
 *
 * @throws TidemarkError `FOLDER_EXPOSED`.
 */
async function checkSharedFolders({ backupDir, importDir }: Config): Promise<void> {
  const isThere = async (folder: string): Promise<boolean> => answers(folder).catch(() => false);
  if (backupDir !== undefined && (await isThere(backupDir))) checkPrivate(backupDir, 'BACKUP_DIR');
  if (importDir !== undefined && (await isThere(importDir))) checkUnwritable(importDir, 'IMPORT_DIR');
}

async function startIngestProcesses(config: Config, { logger }: OpenedLogger, signal: AbortSignal): Promise<Running> {
  const processes = config.ingestProcesses === 0 ? availableParallelism() : config.ingestProcesses;
  if (cluster.isPrimary) {
    if (processes === 1) return startIngest(config, logger, signal);
    // Checked here, so that a port that is taken is reported once and not by each process.
    await checkAddress(config.host, config.port);
    return startIngestCluster(processes, logger);
  }
  const running = await startIngest(config, logger, signal, { metricsOf: clusterMetricsOf });
  sendReady(running.address);
  return running;
}
