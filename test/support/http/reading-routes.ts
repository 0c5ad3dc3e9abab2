import { randomBytes } from 'node:crypto';
import type { Registry } from 'prom-client';
import { statusRoutes } from '../../../services/api/admin/status/status.ts';
import type { Project } from '../../../services/stores/projects/project-store.ts';
import { Catalog } from '../../../services/questions/catalog/catalog.ts';
import { limitsOf } from '../../../services/questions/query-budget.ts';
import { importRoutes } from '../../../services/api/admin/imports/import-answers.ts';
import { definitionRoutes, Definitions } from '../../../services/api/definitions/definitions.ts';
import { adminRoutes } from '../../../services/api/admin/routes.ts';
import { operationRoutes } from '../../../services/http/operations.ts';
import type { RouteSet } from '../../../services/http/route.ts';
import type { Ingestor } from '../../../services/ingest/ingestor.ts';
import { publicRoutes } from '../../../services/ingest/public-api.ts';
import { twoStepRoutes } from '../../../services/ingest/two-step.ts';
import type { ConsoleSessions } from '../../../services/api/console/console-sessions.ts';
import { sessionRoutes } from '../../../services/api/console/console-routes.ts';
import { mcpRoutes } from '../../../services/api/mcp/mcp-routes.ts';
import { SqlWatchStore } from '../../../services/questions/watches/sql-watch-store.ts';
import { openApiDocument } from '../../../services/api/openapi.ts';
import { readingRoutes } from '../../../services/api/routes.ts';
import { countWaiting } from '../../../services/operations/dead-letters/waiting-dead-letters.ts';
import { SCHEDULE } from './admin-parts.ts';
import { WebhookAddresses } from '../../../services/webhooks/addresses.ts';
import { SqlPinsAndNotes } from '../../../services/stores/service-state/sql-pins-and-notes.ts';
import { SqlEndpointClaims } from '../../../services/webhooks/sql-endpoint-claims.ts';
import type { WebhookDeliverer } from '../../../services/webhooks/webhook-deliverer.ts';
import type { ReadingServer } from './reading-server.ts';

export interface RouteParts {
  readonly registry: Registry;
  readonly ingestor: Ingestor;
  readonly sessions: ConsoleSessions;
}

/** Every route of the service, over what a test's server has. */
export function routeSetsOf(server: ReadingServer, { registry, ingestor, sessions }: RouteParts): RouteSet[] {
  const { analytics, watch, endpoints, processes, figures, refusals, progress, recorded, codec, folders } = server;
  const log = {
    ends: async (topics: readonly string[]) => {
      await server.recorded.check();
      return server.ends.length > 0 ? server.ends : server.recorded.ends(topics);
    },
    scan: server.recorded.scan.bind(server.recorded),
  };
  let instantMs = 0;
  // Later than any answer is kept, each time.
  const monotonicMs = () => (instantMs += 3_600_000);
  const readiness = () => ({ ready: server.ready, parts: { ingest: ingestor.state } });
  const { projects } = server.admin;
  const deadLetters = {
    countWaiting: () => countWaiting({ log: recorded, codec, database: server.database }, new AbortController().signal),
  };
  const checks = {
    addresses: new WebhookAddresses(['127.0.0.0/8']),
    limitsOf: (project: Project) => limitsOf(project, { maxMs: 1_000, maxMemoryBytes: 1e9, maxRowsRead: 1e9 }),
  };
  const catalog = new Catalog({ analytics, limitsOf: checks.limitsOf, monotonicMs });
  const settings = { PORT: '8080' };
  const status = { settings, log: recorded, deadLetters, progress, processes, figures, refusals, folders, readiness };
  const sets: RouteSet[] = [
    { routes: statusRoutes({ role: 'all', schedule: SCHEDULE, ...status }) },
    { routes: sessionRoutes({ sessions, projects, isOnKafka: false }) },
    operationRoutes({ readiness, registry, openapi: openApiDocument('/legacy') }),
    adminRoutes({
      ...server.admin.ports,
      profiles: server.profiles,
      saved: server.saved,
      figures,
      analytics,
      limitsOf: checks.limitsOf,
      newProjects: { timezone: 'UTC', joinIds: true, keepEventsMonths: null },
      schedule: SCHEDULE,
    }),
    definitionRoutes({
      definitions: new Definitions({
        ...server.admin.ports,
        ...checks,
        database: server.database,
        evaluator: server.evaluator,
        analytics,
        maxAudiences: 100,
        get isOnKafka() {
          return server.isOnKafka;
        },
      }),
    }),
    importRoutes(Object.assign(server.imports, { catalog })),
    { routes: publicRoutes(ingestor, server.refusalCounts) },
    { routes: twoStepRoutes(ingestor, '/legacy'), twoStepBase: '/legacy' },
    readingRoutes({
      catalog,
      profiles: server.profiles,
      erasures: server.admin.ports.erasures,
      generations: server.admin.ports.generations,
      leftOut: () => figures.leftOut(),
      analytics,
      watch,
      changesWatch: server.changesWatch,
      log,
      codec: server.codec,
      saved: server.saved,
      audit: server.audit,
      projects,
      refusals: server.refusals,
      pinsAndNotes: new SqlPinsAndNotes(server.database),
      watches: new SqlWatchStore(server.database),
      evaluator: server.evaluator,
      endpoints,
      endpointTester: endpointTesterOf(server),
      ...checks,
      get isOnKafka() {
        return server.isOnKafka;
      },
      receiptsAtOnce: 4,
      changesAtOnce: 4,
      stopping: server.listening.signal,
      monotonicMs,
    }),
  ];
  const { saved } = server;
  return [...sets, mcpRoutes({ analytics, saved, limitsOf: checks.limitsOf, logger: server.logger, sets })];
}

/** Notes tests, and sends nothing. */
function endpointTesterOf({ endpoints, database }: ReadingServer): Pick<WebhookDeliverer, 'test'> {
  const answer = { atMs: 2, status: 200, error: null, tookMs: 1, answer: 'ok' };
  return {
    test: async (projectId, id) => {
      const endpoint = await endpoints.find(projectId, id);
      return new SqlEndpointClaims(database).noteTest(endpoint, `msg_${randomBytes(12).toString('hex')}`, true, answer);
    },
  };
}
