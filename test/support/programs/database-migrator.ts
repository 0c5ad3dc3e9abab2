import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';

/** A program of its own: migrates the database at the URL and prints the names of the files that it applied. */
const database = await openDatabase(process.argv[2] ?? '');
const applied = await migrateDatabase(database);
await database.close();
process.stdout.write(`${JSON.stringify(applied.map(({ name }) => name))}\n`);
