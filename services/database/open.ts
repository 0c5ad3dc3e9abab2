import { TidemarkError } from '../runtime/errors.ts';
import type { Database } from './database.ts';

/**
 * Opens the database that the URL names: `pglite:FOLDER` is Postgres inside this process.
 *
 * @throws TidemarkError `CONFIG_INVALID` for a scheme that nothing serves; `FOLDER_IN_USE`; `STORE_UNAVAILABLE`.
 */
export async function openDatabase(url: string): Promise<Database> {
  const scheme = url.slice(0, url.indexOf(':') + 1);
  const rest = url.slice(scheme.length);
  if (scheme === 'pglite:' && rest !== '') {
    const { PgliteDatabase } = await import('./pglite.ts');
    return PgliteDatabase.open(rest);
  }
  throw new TidemarkError('CONFIG_INVALID', `no database can be opened at ${scheme || url} (known: pglite:FOLDER)`);
}
