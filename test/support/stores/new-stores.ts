/** New stores without initdb and migrations, which take seconds of processor: copies of some that the test run makes once. */
import { existsSync, openAsBlob } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PgliteDatabase } from '../../../services/stores/database/pglite/pglite-database.ts';
import { askKeeper } from '../../servers/ask-keeper.ts';

/** Where the stores are, as the service's settings name them. */
export interface StoreUrls {
  readonly EVENT_LOG_URL: string;
  readonly PROFILES_URL: string;
  readonly ANALYTICS_URL: string;
}

/** Makes migrated stores in a data folder, where the service looks for them. */
export async function newStores(dataDir: string): Promise<StoreUrls> {
  await Promise.all([placeCluster(join(dataDir, 'profiles')), placeAnalytics(join(dataDir, 'analytics'))]);
  return embeddedUrls(dataDir);
}

/** Where the service has its embedded stores in this data folder. */
export function embeddedUrls(dataDir: string): StoreUrls {
  return {
    EVENT_LOG_URL: `log:${join(dataDir, 'event-log')}`,
    PROFILES_URL: `pglite:${join(dataDir, 'profiles')}`,
    ANALYTICS_URL: `chdb:${join(dataDir, 'analytics')}`,
  };
}

/**
 * Places a migrated cluster where `pglite:FOLDER` looks for it, unless one is there. Outside a test run the opener makes its
 * own.
 */
export function placeCluster(folder: string): Promise<void> {
  return copied('profiles/cluster', join(folder, 'cluster'));
}

/** The same of analytics, for `chdb:FOLDER`. */
export function placeAnalytics(folder: string): Promise<void> {
  return copied('analytics/store', join(folder, 'store'));
}

async function copied(name: string, target: string): Promise<void> {
  const template = existsSync(target) ? undefined : await templateFolder();
  if (template === undefined) return;
  // Closed to others, as the service demands of a folder that is there before it.
  await mkdir(target, { recursive: true, mode: 0o700 });
  // chDB's links are relative, and stay so: resolved ones would lead to what is copied.
  await cp(join(template, name), target, { recursive: true, verbatimSymlinks: true });
}

/** A database before its first migration. */
export function openEmptyDatabase(): Promise<PgliteDatabase> {
  return openInMemory('empty.tar');
}

/** A migrated one; outside a test run one that is not. */
export function openNewDatabase(): Promise<PgliteDatabase> {
  return openInMemory('migrated.tar');
}

async function openInMemory(name: string): Promise<PgliteDatabase> {
  const template = await templateFolder();
  return PgliteDatabase.openInMemory(template === undefined ? undefined : await openAsBlob(join(template, name)));
}

async function templateFolder(): Promise<string | undefined> {
  const { status, text } = await askKeeper('stores');
  return status === 200 ? text : undefined;
}
