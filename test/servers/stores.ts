/**
 * A program: makes new stores in the folder that its argument names, as a data folder has them. The database is there as tars
 * too, before its first migration and after the last.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openAnalytics } from '../../services/stores/analytics/open.ts';
import { migrateDatabase } from '../../services/stores/database/migrate.ts';
import { startEngine } from '../../services/stores/database/pglite/engine.ts';
import { PgliteDatabase } from '../../services/stores/database/pglite/pglite-database.ts';

const folder = process.argv[2] ?? '';
const profiles = join(folder, 'profiles');

const empty = await PgliteDatabase.open(profiles);
await empty.close();
await dump('empty.tar');
const migrated = await PgliteDatabase.open(profiles);
await migrateDatabase(migrated);
await migrated.close();
await dump('migrated.tar');
const analytics = await openAnalytics(`chdb:${join(folder, 'analytics')}`);
await analytics.close();

async function dump(name: string): Promise<void> {
  const engine = await startEngine(join(profiles, 'cluster'), undefined);
  const tar = await engine.dumpDataDir('none');
  await engine.close();
  await writeFile(join(folder, name), tar.stream());
}
