import { TidemarkError } from '../runtime/errors.ts';
import type { AnalyticsStore } from './analytics-store.ts';

export interface AnalyticsOptions {
  /** Runs the migrations of a server while no other process does. */
  readonly exclusively?: <T>(run: () => Promise<T>) => Promise<T>;
}

/**
 * Opens analytics and brings its tables up to date: `chdb:FOLDER` is ClickHouse inside this process.
 *
 * @throws TidemarkError `CONFIG_INVALID` for a scheme that nothing serves; `FOLDER_IN_USE`; `STORE_NEWER`;
 *   `STORE_UNAVAILABLE`.
 */
export async function openAnalytics(url: string, _options: AnalyticsOptions = {}): Promise<AnalyticsStore> {
  const folder = /^chdb:(.+)$/.exec(url)?.[1];
  if (folder !== undefined) {
    const { openChdb } = await import('./chdb.ts');
    return openChdb(folder);
  }
  const scheme = url.slice(0, url.indexOf(':') + 1);
  throw new TidemarkError('CONFIG_INVALID', `no analytics can be opened at ${scheme} (known: chdb:FOLDER)`);
}
