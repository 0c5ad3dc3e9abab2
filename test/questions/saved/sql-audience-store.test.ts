import { describe, expect, test } from 'vitest';
import { MAX_EVALUATIONS } from '../../../services/questions/saved/audience-store.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { MAX_AUDIENCES, testAudienceClaims, testAudienceStore } from '../../contract/audience-store.ts';
import { testAudienceReferences } from '../../contract/audience-references.ts';
import { testAudienceEvaluations, testAudiencePast } from '../../contract/audience-past.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';

describe.each(DATABASES)('on $name', ({ name, share }) => {
  const contract = emptied(share());
  testAudienceStore(name, contract);
  testAudienceReferences(name, contract);
  testAudienceClaims(name, contract);
  testAudiencePast(name, contract);
  testAudienceEvaluations(name, contract);
});

describe('on PGlite', () => {
  const database = sharedDatabase();

  test('a version has the name of the key that made it, where it has one', async () => {
    const { store, project } = await emptied(database).open();
    const keys = new SqlProjectStore(database());
    const named = await keys.addKey(project, { scopes: ['audiences'], name: 'Jobs', sha256: 'a'.repeat(64) });
    const { id } = await store.create(
      project,
      { name: 'Gold', definition: '{"trait":"n","is":1}', refreshMs: null },
      named.id,
    );
    await store.update(project, id, { definition: '{"trait":"n","is":2}' }, { by: 'local' });

    expect(await store.versions(project, id, 10)).toMatchObject([
      { version: 2, changedBy: 'local', changedByName: null },
      { version: 1, changedBy: named.id, changedByName: 'Jobs' },
    ]);
  });

  test('the newest 11,000 evaluations of an audience are kept', async () => {
    const { store, project } = await emptied(database).open();
    const { id } = await store.create(project, { name: 'Gold', definition: '{"trait":"n","is":1}', refreshMs: null });
    await database().query(
      `insert into audience_evaluations select $1, n, 1, 'refresh', n, 0, 0 from generate_series(1, $2::int8) n`,
      [id, BigInt(MAX_EVALUATIONS)],
    );
    const claim = await store.claim(project, id, 60_000);
    const evaluation = { projectId: project, audienceId: id, at: claim.at, version: 1, cause: 'refresh' as const };

    await store.commit(claim, evaluation, { entered: 1, left: 0, members: 1 });

    const [row] = await database().query(
      'select count(*)::int4 as n, min(evaluated_at) as oldest from audience_evaluations',
    );
    expect(row).toEqual({ n: MAX_EVALUATIONS, oldest: 2n });
  });
});

/** One database for all tests, emptied for each: a new one takes a second. */
function emptied(database: () => Database) {
  return {
    open: async () => {
      await database().script('truncate projects, api_keys, audiences cascade');
      const projects = new SqlProjectStore(database());
      const made = { name: 'Shop', timezone: 'UTC', rateLimit: null };
      const [project, other] = [await projects.createProject(made), await projects.createProject(made)];
      return { store: new SqlAudienceStore(database(), MAX_AUDIENCES), project: project.id, other: other.id };
    },
  };
}
