/**
 * Which class starts which role:
 *
 * - `all`: `AllService` (all-service.ts), everything in one process
 * - `ingest`: `IngestService` (ingest-service.ts), the HTTP interface; several processes of it are an `IngestCluster`
 *   (ingest-cluster.ts), each of which runs an `IngestService`
 * - `projector`, `sink`: `ReaderService` (reader-service.ts), one reader
 */
import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { checkAddress } from '../http/server.ts';
import type { Config } from '../runtime/config.ts';
import type { OpenedLogger } from '../runtime/logger.ts';
import { AllService } from './all-service.ts';
import { checkDataFolders } from '../runtime/embedded.ts';
import { clusterMetricsOf, IngestCluster, sendReady } from './ingest-cluster.ts';
import { IngestService } from './ingest-service.ts';
import { ReaderService } from './reader-service.ts';
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
  if (role === 'all') return AllService.start(config, output, signal);
  if (role === 'ingest') return startIngest(config, output, signal);
  return ReaderService.start(role, config, logger.child({ role }), signal);
}

async function startIngest(config: Config, { logger }: OpenedLogger, signal: AbortSignal): Promise<Running> {
  const processes = config.ingestProcesses === 0 ? availableParallelism() : config.ingestProcesses;
  if (cluster.isPrimary) {
    if (processes === 1) return IngestService.start(config, logger, signal);
    // Checked here, so that a port that is taken is reported once and not by each process.
    await checkAddress(config.host, config.port);
    return IngestCluster.start(processes, logger);
  }
  const running = await IngestService.start(config, logger, signal, { metricsOf: clusterMetricsOf });
  sendReady(running.address);
  return running;
}
