import type { Database } from '../../stores/database/database.ts';
import { FIRST_GENERATION, type GenerationKind, schemaOf } from '../../stores/generations/generation.ts';

/** What is emptied of the first generation, whose tables lie beside those of projects and keys, and stay. */
export const FIRST_TABLES: Readonly<Record<GenerationKind, readonly string[]>> = {
  profiles: ['users', 'profiles', 'reader_positions', 'applied_counts'],
  analytics: ['sink_plans'],
};

/** Deletes what Postgres holds of a generation. May be repeated. */
export async function dropTables(database: Database, kind: GenerationKind, number: number): Promise<void> {
  const schema = schemaOf(kind, number);
  await database.transaction(
    async (transaction) => {
      if (number !== FIRST_GENERATION) {
        await transaction.query(`drop schema if exists ${schema} cascade`);
        return;
      }
      await transaction.query(`truncate ${FIRST_TABLES[kind].join(', ')}`);
      await transaction.query('delete from applied where reader = $1', [kind === 'profiles' ? 'projector' : 'sink']);
    },
    { isUnhurried: true },
  );
}
