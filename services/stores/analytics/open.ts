import { TidemarkError } from '../../runtime/errors.ts';
import type { Migration } from '../../runtime/migrate.ts';
import type { AnalyticsStore } from './analytics-store.ts';

export interface AnalyticsOptions {
  /**
   * Runs what it is given while no other process migrates the same analytics: a lock elsewhere, since ClickHouse has
   * none. Without it migrating is safe all the same, but two that do so at once may have to try again.
   */
  readonly exclusively?: <T>(run: () => Promise<T>) => Promise<T>;
  /** Left out: it migrates. A new generation is always made. */
  readonly migration?: Migration;
}

/**
 * Opens analytics and brings its tables up to date. `chdb:FOLDER` is ClickHouse inside this process;
 * `http(s)://USER:PASSWORD@HOST:PORT/DATABASE` is a server, whose database is made where it is absent. Its parameters:
 * `cluster=NAME` (tables on every server of that cluster: of one shard replicated, of several a part of the users on each),
 * `insert_quorum=N` (default `auto`),
 * `ca_file=FILE`, `compression=zstd|gzip|none` (of inserts; default `zstd`).
 *
 * @throws TidemarkError `CONFIG_INVALID` for a scheme that nothing serves or a parameter that makes no sense;
 *   `FOLDER_IN_USE`; `STORE_NEWER`; `STORE_OLDER`; `STORE_UNAVAILABLE`, retryable, within about 10 s; `SERVER_DENIED`;
 *   `SERVER_TOO_OLD`.
 */
export async function openAnalytics(url: string, options: AnalyticsOptions = {}): Promise<AnalyticsStore> {
  const folder = /^chdb:(.+)$/.exec(url)?.[1];
  if (folder !== undefined) {
    const { openChdb } = await import('./chdb/chdb-analytics.ts');
    return openChdb(folder, options.migration);
  }
  if (/^https?:\/\//.test(url)) {
    const { openClickHouse } = await import('./clickhouse/server.ts');
    return openClickHouse(url, options);
  }
  const scheme = url.slice(0, url.indexOf(':') + 1);
  throw new TidemarkError(
    'CONFIG_INVALID',
    `no analytics can be opened at ${scheme} (known: chdb:FOLDER, http://…, https://…)`,
  );
}
