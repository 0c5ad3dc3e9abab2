import { importRoutes } from '../api/admin/imports/import-answers.ts';
import type { UploadedFiles } from '../api/admin/imports/uploaded-files.ts';
import { adminRoutes } from '../api/admin/routes.ts';
import { definitionRoutes } from '../api/definitions/definitions.ts';
import { type ReadingParts, readingRoutes } from '../api/routes.ts';
import type { RouteSet } from '../http/route.ts';
import type { BackupSchedule } from '../operations/backup/last-backup.ts';
import type { Config } from '../runtime/config.ts';
import { Catalog } from '../questions/catalog/catalog.ts';
import { isServer } from '../runtime/embedded.ts';
import { keptLeftOut, lastLeftOut } from '../stores/erasures/left-out.ts';
import { WebhookAddresses } from '../webhooks/addresses.ts';
import { newProjectDefaults, projectLimitsOf, type Stores } from './stores.ts';

export interface InterfaceParts {
  readonly config: Config;
  readonly stores: Stores;
  readonly log: ReadingParts['log'];
  readonly codec: ReadingParts['codec'];
  /** What requests wait with. */
  readonly watches: Pick<ReadingParts, 'watch' | 'changesWatch' | 'stopping'>;
  /** The files that imports were sent. */
  readonly uploads: UploadedFiles;
}

/**
 * What is read, and what operators do: the same in every process that answers it.
 *
 * @param takesFiles Whether imports may be sent files.
 */
export function interfaceRoutes(parts: InterfaceParts, takesFiles: boolean): readonly RouteSet[] {
  const { config, stores, log, codec, watches, uploads: files } = parts;
  const { figures } = stores;
  const checks = checksOf(config);
  const newestErasure: ReadingParts['newestErasure'] = (projectId) => figures.newestErasure(projectId);
  const catalog = new Catalog({ ...stores, ...checks, newestErasure });
  return [
    readingRoutes({
      ...stores,
      catalog,
      ...watches,
      ...checks,
      log,
      codec,
      leftOut: lastLeftOut(keptLeftOut(() => figures.leftOut())),
      newestErasure,
    }),
    adminRoutes({ ...stores, ...checks, newProjects: newProjectDefaults(config), schedule: backupScheduleOf(config) }),
    definitionRoutes(stores),
    importRoutes({ ...stores, files, takesFiles, catalog }),
  ];
}

/** By what requests are checked. */
export function checksOf(config: Config) {
  return {
    limitsOf: projectLimitsOf(config),
    addresses: new WebhookAddresses(config.webhookAllow),
    isOnKafka: isServer(config.eventLogUrl),
    maxAudiences: config.maxProjectAudiences,
  };
}

export function backupScheduleOf({ backupDir: folder, backupEveryMs: everyMs }: Config): BackupSchedule {
  return { folder, everyMs };
}
