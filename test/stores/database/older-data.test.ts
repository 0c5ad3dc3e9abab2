/** The service opens what version 0.3.0 has migrated, and nothing that is older. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import { migrateDatabase, refuseOlder } from '../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import { serverUrl } from '../../servers/server.ts';
import { freshDatabase } from '../../support/stores/fresh-database.ts';
import { openEmptyDatabase } from '../../support/stores/new-stores.ts';
import { migrationsUpTo } from '../../support/stores/older-database.ts';

/** The last migrations of versions 0.2 and 0.3.0. */
const [OF_0_2, OF_0_3] = [8, 39];

async function expectRefusal(database: Database): Promise<void> {
  await refuseOlder(database);
  await migrateDatabase(database, await migrationsUpTo(OF_0_2));

  await expect(refuseOlder(database)).rejects.toMatchObject({
    code: 'STORE_OLDER',
    message: expect.stringContaining('start version 0.3.0 once, then this version'),
  });

  await migrateDatabase(database, await migrationsUpTo(OF_0_3));
  await refuseOlder(database);
}

test('PGlite of version 0.2 is not opened, one of version 0.3.0 and a new one are', async () => {
  const database = await openEmptyDatabase();
  onTestFinished(() => database.close());

  await expectRefusal(database);
});

const server = await serverUrl('postgres');

describe.skipIf(server === undefined)('a Postgres server', () => {
  test('Postgres of version 0.2 is not opened, one of version 0.3.0 and a new one are', async () => {
    const fresh = await freshDatabase(server ?? '');
    onTestFinished(() => fresh.drop());
    const database = await openDatabase(fresh.url);
    onTestFinished(() => database.close());

    await expectRefusal(database);
  });
});
