/** Everything that answers HTTP, on one server: ingest, the query API, and health, metrics and the OpenAPI document. */
import { UploadedFiles } from '../api/admin/imports/uploaded-files.ts';
import { ChangesWatch } from '../api/audiences/changes-watch.ts';
import { ProgressWatch } from '../api/receipts/progress-watch.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { answeringBy } from '../http/app.ts';
import { countConnections, describeProcess } from '../http/http-metrics.ts';
import { LocalServer } from '../http/local-server.ts';
import type { BoundServer } from '../http/starting.ts';
import { LogGuard } from '../ingest/log-guard.ts';
import type { Codec } from '../messages/codec.ts';
import { importsFolderOf } from '../operations/import/import-request.ts';
import { Heartbeat } from '../operations/status/heartbeat.ts';
import { REQUESTS_END_AFTER_MS } from '../runtime/watchdog/stop-times.ts';
import { ProjectCache } from '../stores/projects/project-cache.ts';
import { HealthWatch } from './health-watch.ts';
import { type AppNeeds, appOf } from './http-routes.ts';
import { IngestSide } from './ingest-side.ts';
import type { ProcessPart } from './process-parts.ts';

/** Connections of operators to the control socket, from the descriptors that `MAX_CONNECTIONS` leaves. */
const LOCAL_CONNECTIONS = 100;

export interface HttpSideParts extends Omit<AppNeeds, 'watches' | 'uploads' | 'ingest' | 'keys' | 'health'> {
  readonly bound: BoundServer;
  /** Where it answers on a Unix socket too; undefined for nowhere. */
  readonly localSocket?: string | undefined;
  readonly log: EventLog;
  readonly codec: Pick<Codec, 'encode' | 'schemaIds' | 'decode' | 'prepare' | 'decodeDeadLetter' | 'decodeSnapshot'>;
}

export interface HttpSide {
  readonly ingest: IngestSide;
  /** What answers need. It is stopped once they are sent. */
  readonly behind: readonly ProcessPart[];
  /** Reads the keys and looks at every part now, and continues to do so. */
  readonly follow: () => Promise<void>;
  /** Accepts requests, and finishes what was accepted. */
  readonly serving: ProcessPart;
}

export async function openHttpSide(parts: HttpSideParts): Promise<HttpSide> {
  const { config, logger, stores, log, registry, role } = parts;
  describeProcess(registry, role);
  const guard = new LogGuard({ log, progress: stores.progress, logger });
  const ingest = await IngestSide.open({ ...parts, guard });
  const keys = new ProjectCache(stores.projects, logger);
  const health = new HealthWatch(stores.readers, guard);
  const uploads = new UploadedFiles(importsFolderOf(config.dataDir));
  const observe = () => ({ parts: ingest.readinessWith(health.parts).parts, counters: ingest.counters });
  const heartbeat = new Heartbeat({ role, part: 'http', processes: stores.processes, observe, logger });
  const following = [keys, health, heartbeat];
  return {
    ingest,
    behind: [ingest, { stop: () => uploads.close() }, ...following.map((part) => ({ stop: () => part.stop() }))],
    follow: async () => {
      await Promise.all([keys.start(), health.start()]);
      heartbeat.start();
    },
    serving: servingOf(parts, { ingest, keys, health, uploads }),
  };
}

function servingOf(
  parts: HttpSideParts,
  opened: Pick<AppNeeds, 'ingest' | 'keys' | 'health' | 'uploads'>,
): ProcessPart {
  const { bound, config, registry, localSocket, stores } = parts;
  const { server } = bound;
  const listening = new AbortController();
  const [watch, changesWatch] = [new ProgressWatch(stores.progress), new ChangesWatch(stores.saved)];
  const app = appOf({ ...parts, ...opened, watches: { watch, changesWatch, stopping: listening.signal } });
  let local: LocalServer | undefined;
  return {
    start: async () => {
      // Not before: connections are counted in the registry of this process's routes, which the starting server has not.
      countConnections(registry, server);
      if (localSocket !== undefined)
        local = await LocalServer.open(app, localSocket, { maxConnections: LOCAL_CONNECTIONS });
      // The socket has what operates the installation in any case.
      const table = config.isAdminOnPort ? app.table : app.table.without('admin');
      server.answerBy(answeringBy({ ...app, table }));
    },
    stop: async () => {
      watch.stop();
      changesWatch.stop();
      listening.abort();
      await Promise.all([server.close(REQUESTS_END_AFTER_MS), local?.close(REQUESTS_END_AFTER_MS)]);
    },
  };
}
