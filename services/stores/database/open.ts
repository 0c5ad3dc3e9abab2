import { TidemarkError } from '../../runtime/errors.ts';
import type { Database } from './database.ts';

/**
 * Opens the database that the URL names: `pglite:FOLDER` is Postgres inside this process,
 * `postgres://USER:PASSWORD@HOST/DATABASE` a server (`postgres-url.ts` for its parameters).
 *
 * @param signal Aborts the creation of an embedded database, which takes seconds, with `STOPPING`.
 * @throws TidemarkError `CONFIG_INVALID` for an invalid URL; `FOLDER_IN_USE`; `STORE_DAMAGED`; `STORE_UNAVAILABLE`;
 *   `SERVER_DENIED`; `SERVER_TOO_OLD`.
 */
export async function openDatabase(url: string, signal?: AbortSignal): Promise<Database> {
  const scheme = url.slice(0, url.indexOf(':') + 1);
  const rest = url.slice(scheme.length);
  if (scheme === 'pglite:' && rest !== '') {
    const { PgliteDatabase } = await import('./pglite/pglite-database.ts');
    return PgliteDatabase.open(rest, signal);
  }
  if (scheme === 'postgres:' || scheme === 'postgresql:') {
    const { PostgresDatabase } = await import('./postgres/postgres-database.ts');
    return PostgresDatabase.open(url);
  }
  const message = `no database can be opened at ${scheme || 'no scheme'} (known: pglite:FOLDER, postgres://…)`;
  throw new TidemarkError('CONFIG_INVALID', message);
}
