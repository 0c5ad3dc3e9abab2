/** Which stores are on servers and which are folders of this machine: the URLs of the configuration say it. */
import { resolve, sep } from 'node:path';
import type { Config } from '../runtime/config.ts';
import { checkPrivate } from '../runtime/private-folder.ts';

/** Whether the URL names a server, which takes any number of clients, may be away and comes back. */
export function isServer(url: string): boolean {
  return !/^(lmdb|pglite|chdb):/.test(url);
}

export function hasEmbedded({ eventLogUrl, profilesUrl, analyticsUrl }: Config): boolean {
  return [eventLogUrl, profilesUrl, analyticsUrl].some((url) => !isServer(url));
}

const EMBEDDED_FOLDER = /^(?:lmdb|pglite|chdb):(.+)$/;

/**
 * Sees to it that every folder of this machine with data in it is closed to other users, before anything is opened. What
 * does not exist yet is made closed.
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
  // What the registry answered is kept there.
  const usesDataDir = schemaRegistryUrl !== undefined || urls.some(([, url]) => !isServer(url));
  if (usesDataDir) checkPrivate(dataDir, 'DATA_DIR');
  if (spoolDir !== undefined) checkPrivate(spoolDir, 'SPOOL_DIR');
  for (const [setting, url] of urls) {
    const folder = EMBEDDED_FOLDER.exec(url)?.[1];
    if (folder !== undefined && !resolve(folder).startsWith(`${dataDir}${sep}`)) checkPrivate(folder, setting);
  }
}
