/** What the HTTP side is made of, from its stores to its ingest. */
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { UploadedFiles } from '../api/admin/imports/uploaded-files.ts';
import { Heartbeat } from '../operations/status/heartbeat.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { BoundServer } from '../http/starting.ts';
import { LogGuard } from '../ingest/log-guard.ts';
import type { Codec } from '../messages/codec.ts';
import { importsFolderOf } from '../operations/import/import-request.ts';
import { ChangesWatch } from '../api/audiences/changes-watch.ts';
import { ProgressWatch } from '../api/receipts/progress-watch.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { ProjectCache } from '../stores/projects/project-cache.ts';
import { HealthWatch } from './health-watch.ts';
import { IngestSide } from './ingest-side.ts';
import type { Stores } from './stores.ts';

export interface HttpSideParts {
  readonly bound: BoundServer;
  /** Where it answers on a Unix socket too; undefined for nowhere. */
  readonly localSocket?: string | undefined;
  readonly config: Config;
  readonly logger: Logger;
  readonly stores: Stores;
  /** Whether they are open already: then the keys are read before any request is answered, else at the first `refresh`. */
  readonly storesAreOpen: boolean;
  readonly log: EventLog;
  readonly codec: Pick<Codec, 'encode' | 'schemaIds' | 'decode' | 'prepare' | 'decodeDeadLetter'>;
  readonly role: 'all' | 'ingest';
  /** Where the side's metrics go. */
  readonly registry: Registry;
  /** What `/metrics` answers instead of this registry and the readers', where several processes answer as one. */
  readonly metrics?: () => Promise<string>;
}

export interface Assembled {
  readonly ingest: IngestSide;
  readonly keys: ProjectCache;
  readonly watch: ProgressWatch;
  readonly changesWatch: ChangesWatch;
  /** Ends what listens to the log without end. */
  readonly listening: AbortController;
  readonly health: HealthWatch;
  readonly heartbeat: Heartbeat;
  readonly uploads: UploadedFiles;
}

export async function assemble(parts: HttpSideParts): Promise<Assembled> {
  const { logger, stores, log, registry } = parts;
  collectDefaultMetrics({ register: registry });
  const guard = new LogGuard({ log, progress: stores.progress, logger });
  const ingest = await IngestSide.open({ ...parts, guard });
  const health = new HealthWatch(stores.readers, guard);
  return {
    ingest,
    keys: new ProjectCache(stores.projects, logger),
    watch: new ProgressWatch(stores.progress),
    changesWatch: new ChangesWatch(stores.saved),
    listening: new AbortController(),
    health,
    uploads: new UploadedFiles(importsFolderOf(parts.config.dataDir)),
    heartbeat: new Heartbeat({
      role: parts.role,
      part: 'http',
      processes: stores.processes,
      observe: () => ({ parts: ingest.readinessWith(health.parts).parts, counters: ingest.counters }),
      logger,
    }),
  };
}

export async function refresh({ keys, health, heartbeat }: Assembled): Promise<void> {
  await Promise.all([keys.start(), health.start()]);
  heartbeat.start();
}

export async function close({ ingest, keys, health, heartbeat, uploads }: Assembled): Promise<void> {
  uploads.close();
  health.stop();
  await Promise.all([ingest.close(), keys.stop(), heartbeat.stop()]);
}
