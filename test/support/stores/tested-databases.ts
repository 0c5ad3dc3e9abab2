import type { Database } from '../../../services/stores/database/database.ts';
import { serverUrl } from '../../servers/server.ts';
import { sharedDatabase, sharedPostgres } from './database.ts';

/** A database that the tests of SQL run on. */
export interface TestedDatabase {
  readonly name: 'PGlite' | 'Postgres';
  /** A migrated one for the tests of a `describe`. */
  readonly share: () => () => Database;
}

const server = await serverUrl('postgres');

/** PGlite, and Postgres where this test run has it. */
export const DATABASES: readonly TestedDatabase[] = [
  { name: 'PGlite', share: sharedDatabase },
  ...(server === undefined ? [] : [{ name: 'Postgres', share: () => sharedPostgres(server) } as const]),
];
