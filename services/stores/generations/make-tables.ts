import type { Database } from '../database/database.ts';
import { migrateSchema } from '../database/migrate.ts';
import { type Generation, schemaOf } from './generation.ts';

/** Makes the tables of a generation in Postgres, empty, where they are absent. */
export async function makeTables(database: Database, { kind, number }: Pick<Generation, 'kind' | 'number'>) {
  const schema = schemaOf(kind, number);
  if (schema !== undefined) await migrateSchema(database, schema);
}
