/** Which stores are embedded and which are on servers, by the URLs of the configuration; and the folders of the former. */
import { resolve, sep } from 'node:path';
import type { Config } from '../runtime/config.ts';
import { checkPrivate } from '../runtime/private-folder.ts';

/** Whether the URL names a server: it takes any number of clients, and may be unreachable for a while. */
export function isServer(url: string): boolean {
  return !/^(log|pglite|chdb):/.test(url);
}

export function hasEmbedded({ eventLogUrl, profilesUrl, analyticsUrl }: Config): boolean {
  return [eventLogUrl, profilesUrl, analyticsUrl].some((url) => !isServer(url));
}

/** Whether analytics is a cluster of ClickHouse. */
export function hasShards({ analyticsUrl }: Pick<Config, 'analyticsUrl'>): boolean {
  return new URLSearchParams(analyticsUrl.split('?')[1]).has('cluster');
}

const EMBEDDED_FOLDER = /^(?:log|pglite|chdb):(.+)$/;

/** The folder of an embedded store; undefined where the URL names a server. */
export function embeddedFolderOf(url: string): string | undefined {
  return EMBEDDED_FOLDER.exec(url)?.[1];
}

/** Where the data of a process is; of a store on a server undefined. */
export function dataFoldersOf({ dataDir, eventLogUrl, profilesUrl, analyticsUrl, spoolDir, backupDir }: Config) {
  const [log, profiles, analytics] = [eventLogUrl, profilesUrl, analyticsUrl].map(embeddedFolderOf);
  return { dataDir, log, profiles, analytics, spool: spoolDir, backups: backupDir };
}

/**
 * Checks, before anything is opened, that every folder on this machine that holds data is closed to other users. A folder
 * that does not exist yet will be created closed.
 *
 * @throws TidemarkError `FOLDER_EXPOSED`, naming the setting, the folder and the command that closes it.
 */
export function checkDataFolders(config: Config): void {
  const { dataDir, spoolDir, schemaRegistryUrl } = config;
  const urls = [
    ['EVENT_LOG_URL', config.eventLogUrl],
    ['PROFILES_URL', config.profilesUrl],
    ['ANALYTICS_URL', config.analyticsUrl],
  ] as const;
  // It holds the cache of the registry's answers.
  const usesDataDir = schemaRegistryUrl !== undefined || urls.some(([, url]) => !isServer(url));
  if (usesDataDir) checkPrivate(dataDir, 'DATA_DIR');
  if (spoolDir !== undefined) checkPrivate(spoolDir, 'SPOOL_DIR');
  for (const [setting, url] of urls) {
    const folder = embeddedFolderOf(url);
    if (folder !== undefined && !resolve(folder).startsWith(`${dataDir}${sep}`)) checkPrivate(folder, setting);
  }
}
