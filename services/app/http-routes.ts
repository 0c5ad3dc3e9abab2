/** The routes of the HTTP side, and what they are made of. */
import type { DataFolders } from '../operations/status/disk.ts';
import { statusRoutes } from '../api/admin/status/status.ts';
import { consoleRoutes } from '../api/console/console-routes.ts';
import { ConsoleSessions } from '../api/console/console-sessions.ts';
import { importRoutes } from '../api/admin/imports/import-routes.ts';
import { adminRoutes } from '../api/admin/routes.ts';
import { operationRoutes } from '../http/operations.ts';
import type { Readiness } from '../http/pages.ts';
import { RouteTable } from '../http/route-table.ts';
import { openApiDocument } from '../api/openapi.ts';
import { readingRoutes } from '../api/routes.ts';
import { embeddedFolderOf, isServer } from '../runtime/embedded.ts';
import type { AppParts } from '../http/app.ts';
import type { Config } from '../runtime/config.ts';
import type { Registry } from 'prom-client';
import { keptLeftOut, lastLeftOut } from '../stores/erasures/left-out.ts';
import { WebhookAddresses } from '../webhooks/addresses.ts';
import { projectLimitsOf } from './audiences/audience-parts.ts';
import type { Assembled, HttpSideParts } from './http-parts.ts';
import type { Stores } from './stores.ts';

export function appOf(
  parts: HttpSideParts,
  { ingest, keys, watch, changesWatch, listening, health, uploads }: Assembled,
): AppParts & { readonly table: RouteTable } {
  const { config, logger, stores, log, codec, registry } = parts;
  const readiness = (): Readiness => ingest.readinessWith(health.parts);
  const schedule = { folder: config.backupDir, everyMs: config.backupEveryMs };
  const isOnKafka = isServer(config.eventLogUrl);
  const status = { role: parts.role, folders: dataFoldersOf(config) };
  const sessions = config.console ? new ConsoleSessions({ store: stores.consoleSessions, keys }) : undefined;
  const table = new RouteTable([
    ...ingest.routes,
    { routes: statusRoutes({ ...stores, ...status, log, codec, readiness, schedule }) },
    readingRoutes({
      ...stores,
      limitsOf: projectLimitsOf(config),
      addresses: new WebhookAddresses(config.webhookAllow),
      isOnKafka,
      watch,
      changesWatch,
      stopping: listening.signal,
      log,
      codec,
      leftOut: lastLeftOut(keptLeftOut(() => stores.figures.leftOut())),
      newestErasure: (projectId) => stores.figures.newestErasure(projectId),
    }),
    adminRoutes({ ...stores, timezone: config.initialTimezone, schedule }),
    importRoutes({ ...stores, files: uploads, takesFiles: parts.role === 'all' }),
    ...(sessions === undefined ? [] : [consoleRoutes({ sessions, projects: stores.projects, isOnKafka })]),
    operationRoutes({
      readiness,
      metricsKey: config.metricsKey,
      keys,
      links: sessions === undefined ? {} : { console: '/console/' },
      registry: { contentType: registry.contentType, metrics: parts.metrics ?? (() => allMetrics(registry, stores)) },
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

async function allMetrics(registry: Registry, { readers }: Stores): Promise<string> {
  const [own, theirs] = await Promise.all([registry.metrics(), readers.metrics().catch(() => '')]);
  return `${own}${theirs}`;
}

function dataFoldersOf({ dataDir, eventLogUrl, profilesUrl, analyticsUrl }: Config): DataFolders {
  const [log, profiles, analytics] = [eventLogUrl, profilesUrl, analyticsUrl].map(embeddedFolderOf);
  return { dataDir, log, profiles, analytics };
}
