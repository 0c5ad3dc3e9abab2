/** Everything that answers HTTP: ingest and reading on one server. */
import { collectDefaultMetrics, type Registry } from 'prom-client';
import type { QueryLimits } from '../stores/analytics/analytics-store.ts';
import { Audiences } from '../audience/audiences.ts';
import { limitsOf } from '../audience/question-limits.ts';
import type { EventLog } from '../event-log/event-log.ts';
import { createApp } from '../http/app.ts';
import { countConnections } from '../http/http-metrics.ts';
import { operationRoutes, type Readiness } from '../http/operations.ts';
import { RouteTable } from '../http/route-table.ts';
import type { Answering, HttpServer } from '../http/server.ts';
import { Ingestor } from '../ingest/accept.ts';
import { ClockGuard } from '../ingest/clock-guard.ts';
import { publicRoutes } from '../ingest/public-api.ts';
import { twoStepRoutes } from '../ingest/two-step.ts';
import type { Codec } from '../messages/codec.ts';
import { ArrivalClock, drawProcessBits } from '../messages/version.ts';
import { ProjectCache } from '../stores/projects/project-cache.ts';
import type { Project } from '../stores/projects/project-store.ts';
import { openApiDocument } from '../query-api/openapi.ts';
import { ProgressWatch } from '../query-api/progress-watch.ts';
import { readingRoutes } from '../query-api/routes.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { IngestSpool } from '../event-log/spool/ingest-spool.ts';
import type { SpoolingLogParts } from '../event-log/spool/spooling-log.ts';
import { encoderModuleOf } from './encoder-module.ts';
import type { BoundServer } from './bound-server.ts';
import { HealthWatch } from './health-watch.ts';
import { queryLimitsOf } from './audience-scheduler-of.ts';
import type { Stores } from './stores.ts';

/** Requests accepted before a stop have this long to be answered. */
const FINISH_REQUESTS_MS = 9_000;

export interface HttpSideParts {
  readonly bound: BoundServer;
  readonly config: Config;
  readonly logger: Logger;
  readonly stores: Stores;
  /** Whether they are open by now: then the keys are read before anybody is answered, else at the first `refresh`. */
  readonly storesAreOpen: boolean;
  readonly log: EventLog;
  readonly codec: Pick<Codec, 'encode'>;
  /** Where the side's metrics go. */
  readonly registry: Registry;
  /** What `/metrics` answers instead of this registry and the readers', where several processes answer as one. */
  readonly metrics?: () => Promise<string>;
}

export class HttpSide {
  /** `http://HOST:PORT` with the port that was taken. */
  readonly address: string;
  readonly #parts: Parts;
  readonly #server: HttpServer;
  #stopping: Promise<void> | undefined;

  private constructor(parts: Parts, { server, address }: BoundServer) {
    this.#parts = parts;
    this.#server = server;
    this.address = address;
  }

  /** Resolves once it answers. What is thrown has closed the server. */
  static async open(given: HttpSideParts): Promise<HttpSide> {
    const { bound, storesAreOpen } = given;
    let parts: Parts | undefined;
    try {
      parts = await assemble(given);
      if (storesAreOpen) await refresh(parts);
      countConnections(given.registry, bound.server);
      bound.server.answerBy(answeringOf(given, parts));
      void parts.ingestor.openOffload();
      return new HttpSide(parts, bound);
    } catch (error) {
      await bound.server.close(0);
      if (parts !== undefined) await close(parts);
      throw error;
    }
  }

  /** Reads the keys and looks at every part now, and goes on doing so. */
  refresh(): Promise<void> {
    return refresh(this.#parts);
  }

  /** Stops accepting and finishes what was accepted. Log and stores are closed by whoever opened them. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#parts.watch.stop();
    await this.#server.close(FINISH_REQUESTS_MS);
    await close(this.#parts);
  }
}

interface Parts {
  readonly log: EventLog;
  readonly registry: Registry;
  readonly ingestor: Ingestor;
  readonly keys: ProjectCache;
  readonly watch: ProgressWatch;
  readonly health: HealthWatch;
  readonly metrics: () => Promise<string>;
  /** Undefined where none is set up. */
  readonly spool: IngestSpool | undefined;
}

async function assemble({ config, logger, stores, log, codec, registry, metrics }: HttpSideParts): Promise<Parts> {
  collectDefaultMetrics({ register: registry });
  const guard = new ClockGuard({ maxSkewMs: config.maxClockSkewMs });
  const spool = await openSpool({ config, logger, log, registry }, guard);
  const ingestor = new Ingestor({
    log: spool?.log ?? log,
    codec,
    clock: new ArrivalClock(),
    guard,
    processBits: drawProcessBits(),
    maxUnacknowledgedBytes: config.maxUnacknowledgedBytes,
    encoder: encoderModuleOf(config),
    registry,
    logger,
  });
  return {
    log,
    registry,
    ingestor,
    keys: new ProjectCache(stores.projects, logger),
    watch: new ProgressWatch(stores.progress),
    health: new HealthWatch(stores.readers, log),
    metrics: metrics ?? (() => allMetrics(registry, stores)),
    spool,
  };
}

async function openSpool(
  { config, logger, log, registry }: Pick<HttpSideParts, 'config' | 'logger' | 'log' | 'registry'>,
  guard: ClockGuard,
): Promise<IngestSpool | undefined> {
  const { spoolDir: dir, spoolMaxBytes: maxBytes } = config;
  if (dir === undefined) return undefined;
  const clock: Pick<SpoolingLogParts, 'mayWait' | 'onForwarded'> = {
    mayWait: () => !guard.hasJumped,
    onForwarded: ([first], sentAtMs) => void (first !== undefined && guard.agrees(first.appendedAtMs, sentAtMs)),
  };
  return IngestSpool.open({ dir, maxBytes, log, logger, registry, ...clock });
}

function answeringOf({ config, logger, stores }: HttpSideParts, parts: Parts): Answering {
  const { ingestor, keys, registry, log, watch } = parts;
  const limits = (project: Project): QueryLimits => limitsOf(project, queryLimitsOf(config));
  const table = new RouteTable([
    { routes: publicRoutes(ingestor) },
    { routes: twoStepRoutes(ingestor, config.legacyBasePath), twoStepBase: config.legacyBasePath },
    readingRoutes({
      ...stores,
      watch,
      log,
      audiencesOf: (project) => new Audiences(stores.analytics, limits(project)),
      limitsOf: limits,
    }),
    operationRoutes({
      readiness: () => readinessOf(parts),
      registry: { contentType: registry.contentType, metrics: parts.metrics },
      openapi: openApiDocument(config.legacyBasePath),
    }),
  ]);
  const app = createApp({ table, keys, registry, logger, maxReceivingBytes: config.maxReceivingBytes });
  return { listener: app.callback(), styleOf: (path) => table.styleOf(path) };
}

/** Ingest needs the log, or a spool, and a good clock; the stores may be away, and the body says so. */
function readinessOf({ ingestor, health, spool }: Parts): Readiness {
  const { eventLog } = health.parts;
  const canAppend = eventLog === 'ready' || (eventLog === 'away' && spool?.isUsable === true);
  const parts = { ingest: ingestor.state, ...health.parts, ...(spool === undefined ? {} : { spool: spool.state }) };
  return { ready: ingestor.state === 'ready' && canAppend, parts };
}

async function allMetrics(registry: Registry, { readers }: Stores): Promise<string> {
  const [own, theirs] = await Promise.all([registry.metrics(), readers.metrics().catch(() => '')]);
  return `${own}${theirs}`;
}

async function refresh({ keys, health }: Parts): Promise<void> {
  await Promise.all([keys.start(), health.start()]);
}

async function close({ ingestor, keys, health, spool }: Parts): Promise<void> {
  health.stop();
  ingestor.close();
  await Promise.all([keys.stop(), spool?.close()]);
}
