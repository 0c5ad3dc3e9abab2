/** Everything that answers HTTP, on one server: ingest, the query API, and health, metrics and the OpenAPI document. */
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { UploadedFiles } from '../admin/imports/uploaded-files.ts';
import { Heartbeat } from '../admin-status/heartbeat.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { answeringBy } from '../http/app.ts';
import { countConnections } from '../http/http-metrics.ts';
import { LocalServer } from '../http/local-server.ts';
import type { HttpServer } from '../http/server.ts';
import type { BoundServer } from '../http/starting.ts';
import { LogGuard } from '../ingest/log-guard.ts';
import type { Codec } from '../messages/codec.ts';
import { importsFolderOf } from '../maintenance/import/import-request.ts';
import { ChangesWatch } from '../query-api/audiences/changes-watch.ts';
import { ProgressWatch } from '../query-api/progress-watch.ts';
import type { Config } from '../runtime/config.ts';
import { TidemarkError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { ProjectCache } from '../stores/projects/project-cache.ts';
import { HealthWatch } from './health-watch.ts';
import { appOf } from './http-routes.ts';
import { IngestSide } from './ingest-side.ts';
import type { Stores } from './stores.ts';

/** Requests accepted before a stop have this long to be answered. */
const FINISH_REQUESTS_MS = 9_000;

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

/** Connections of operators on the control socket: they use descriptors that `MAX_CONNECTIONS` leaves. */
const LOCAL_CONNECTIONS = 100;

export class HttpSide {
  /** `http://HOST:PORT` with the port that was bound. */
  readonly address: string;
  readonly #assembled: Assembled;
  readonly #server: HttpServer;
  readonly #local: LocalServer | undefined;
  #stopping: Promise<void> | undefined;

  private constructor(assembled: Assembled, { server, address }: BoundServer, local: LocalServer | undefined) {
    this.#assembled = assembled;
    this.#server = server;
    this.#local = local;
    this.address = address;
  }

  /** Resolves once it answers. Where it throws, the server is closed. */
  static async open(parts: HttpSideParts): Promise<HttpSide> {
    const { bound, storesAreOpen, localSocket } = parts;
    let assembled: Assembled | undefined;
    try {
      assembled = await assemble(parts);
      if (storesAreOpen) await refresh(assembled);
      // Not before: connections are counted in the registry of this process's routes, which the starting server has not.
      countConnections(parts.registry, bound.server);
      const app = appOf(parts, assembled);
      const local =
        localSocket === undefined
          ? undefined
          : await LocalServer.open(app, localSocket, { maxConnections: LOCAL_CONNECTIONS });
      bound.server.answerBy(answeringBy(app));
      assembled.ingest.openOffload();
      return new HttpSide(assembled, bound, local);
    } catch (error) {
      await bound.server.close(0);
      if (assembled !== undefined) await close(assembled);
      throw error;
    }
  }

  /** Reads the keys and looks at every part now, and continues to do so. */
  refresh(): Promise<void> {
    return refresh(this.#assembled);
  }

  get isClockWrong(): boolean {
    return this.#assembled.ingest.isClockSkewed;
  }

  /** @throws TidemarkError `CONFIG_INVALID` while the clock of this machine is in doubt. */
  expectClock(): void {
    if (!this.isClockWrong) return;
    throw new TidemarkError('CONFIG_INVALID', 'The clock of this machine is wrong. Begin again when /readyz is ready.');
  }

  /** Stops accepting and finishes what was accepted. Log and stores are closed by whoever opened them. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#assembled.watch.stop();
    this.#assembled.changesWatch.stop();
    this.#assembled.listening.abort();
    await Promise.all([this.#server.close(FINISH_REQUESTS_MS), this.#local?.close(FINISH_REQUESTS_MS)]);
    await close(this.#assembled);
  }
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

async function assemble(parts: HttpSideParts): Promise<Assembled> {
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

async function refresh({ keys, health, heartbeat }: Assembled): Promise<void> {
  await Promise.all([keys.start(), health.start()]);
  heartbeat.start();
}

async function close({ ingest, keys, health, heartbeat, uploads }: Assembled): Promise<void> {
  uploads.close();
  health.stop();
  await Promise.all([ingest.close(), keys.stop(), heartbeat.stop()]);
}
