import { expect, onTestFinished, test } from 'vitest';
import { migrateDatabase } from '../../services/stores/database/migrate.ts';
import { SqlProjectStore } from '../../services/stores/projects/sql-project-store.ts';
import { SqlEndpointClaims } from '../../services/webhooks/sql-endpoint-claims.ts';
import { migrationsUpTo } from '../support/stores/older-database.ts';
import { openEmptyDatabase } from '../support/stores/new-stores.ts';

test('people whom an older version was to tell an endpoint of are told of after the update', async () => {
  const database = await openEmptyDatabase();
  onTestFinished(() => database.close());
  await migrateDatabase(database, await migrationsUpTo(36));
  const users = [{ user_id: 'ada "A"', anonymous_id: null, internal_id: 'a'.repeat(64) }];
  const projects = new SqlProjectStore(database);
  const { id: projectId } = await projects.createProject({ name: 'Shop', timezone: 'UTC', rateLimit: null });
  await database.query(
    `insert into endpoints (id, project_id, url, types, initial, batch_size, secret, created_at_ms, updated_at_ms)
     values ('end_a', $1, 'https://example.com/', '{user.forgotten}', 'none', 100, 'whsec_', 0, 0)`,
    [projectId],
  );
  await database.query(
    `insert into endpoint_deliveries (id, endpoint_id, type, state, created_at_ms, forgotten)
     values ('msg_a', 'end_a', 'user.forgotten', 'waiting', 5, $1)`,
    [JSON.stringify(users)],
  );

  await migrateDatabase(database);

  const claims = new SqlEndpointClaims(database);
  const claim = await claims.claimDue(60_000, '');
  const waiting = claim && (await claims.waiting(claim));
  expect(waiting).toMatchObject({ id: 'msg_a', type: 'user.forgotten', createdAtMs: 5 });
  const { notice } = waiting as { readonly notice: string };
  expect(JSON.parse(notice)).toEqual({ project_id: projectId, users });
});
