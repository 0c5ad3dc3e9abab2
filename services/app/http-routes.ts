/** The routes of the HTTP side, and what they are made of. */
import type { Registry } from 'prom-client';
import { type StatusParts, statusRoutes } from '../api/admin/status/status.ts';
import { consoleRoutes } from '../api/console/console-routes.ts';
import { ConsoleSessions } from '../api/console/console-sessions.ts';
import { mcpRoutes } from '../api/mcp/mcp-routes.ts';
import { openApiDocument } from '../api/openapi.ts';
import type { AppParts } from '../http/app.ts';
import { operationRoutes } from '../http/operations.ts';
import type { Readiness } from '../http/pages.ts';
import { RouteTable } from '../http/route-table.ts';
import { visibleSettings } from '../runtime/config.ts';
import { dataFoldersOf, isServer } from '../runtime/embedded.ts';
import type { Logger } from '../runtime/logger.ts';
import type { ProjectCache } from '../stores/projects/project-cache.ts';
import type { HealthWatch } from './health-watch.ts';
import type { IngestSide } from './ingest-side.ts';
import { backupScheduleOf, type InterfaceParts, interfaceRoutes } from './interface-routes.ts';
import { projectLimitsOf } from './stores.ts';

export interface AppNeeds extends InterfaceParts {
  readonly logger: Logger;
  readonly log: InterfaceParts['log'] & StatusParts['log'];
  readonly role: 'all' | 'ingest';
  /** Where the metrics of the process go. */
  readonly registry: Registry;
  /** What `/metrics` answers instead of this registry, where several processes answer as one. */
  readonly metrics?: (() => Promise<string>) | undefined;
  readonly ingest: IngestSide;
  readonly keys: ProjectCache;
  readonly health: HealthWatch;
}

export function appOf(parts: AppNeeds): AppParts & { readonly table: RouteTable } {
  const { config, logger, stores, log, registry, role, ingest, keys, health } = parts;
  const readiness = (): Readiness => ingest.readinessWith(health.parts);
  const sessions = config.console ? new ConsoleSessions({ store: stores.consoleSessions, keys }) : undefined;
  const [folders, schedule, settings] = [dataFoldersOf(config), backupScheduleOf(config), visibleSettings(config)];
  const isOnKafka = isServer(config.eventLogUrl);
  const sets = [
    { routes: statusRoutes({ ...stores, role, folders, schedule, settings, log, readiness }) },
    ...interfaceRoutes(parts, role === 'all'),
  ];
  const table = new RouteTable([
    ...ingest.routes,
    ...sets,
    ...(config.mcp ? [mcpRoutes({ ...stores, limitsOf: projectLimitsOf(config), logger, sets })] : []),
    ...(sessions === undefined ? [] : [consoleRoutes({ sessions, projects: stores.projects, isOnKafka })]),
    operationRoutes({
      readiness,
      metricsKey: config.metricsKey,
      keys,
      links: sessions === undefined ? {} : { console: '/console/' },
      registry: { contentType: registry.contentType, metrics: () => allMetrics(parts) },
      openapi: openApiDocument(config.legacyBasePath),
    }),
  ]);
  const { maxReceivingBytes, corsOrigins } = config;
  const { audit, repeats } = stores;
  const { refusals, strangers } = ingest;
  const onRefusal: AppParts['onRefusal'] = (call, refusal) => {
    refusals.add(call, refusal);
    strangers.add(call, refusal, table);
  };
  const own = { table, keys, registry, logger, maxReceivingBytes, corsOrigins, audit, repeats, onRefusal };
  return sessions === undefined ? own : { ...own, sessions };
}

async function allMetrics({ registry, metrics, stores: { readers } }: AppNeeds): Promise<string> {
  const [own, theirs] = await Promise.all([metrics?.() ?? registry.metrics(), readers.metrics().catch(() => '')]);
  return `${own}${theirs}`;
}
