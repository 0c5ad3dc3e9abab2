import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAnalytics } from '../../services/stores/analytics/open.ts';
import { userKeyOf } from '../../services/messages/user-key.ts';
import { openDatabase } from '../../services/stores/database/open.ts';
import { SqlProjectStore } from '../../services/stores/projects/sql-project-store.ts';
import { insert, MessageMaker } from '../support/stores/analytics.ts';
import { newStores } from '../support/stores/new-stores.ts';
import { type Finished, runProgram } from '../support/service/program.ts';

const DEFINITION = { all: [{ event: "Bought\n'it'" }, { trait: 'n', gte: 5 }] };

describe('tidemark audience', () => {
  let dataDir: string;
  let id: string;
  const tidemark = (...args: readonly string[]): Promise<Finished> =>
    runProgram(['services/cli/tidemark.ts', ...args], { DATA_DIR: dataDir });
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tidemark-'));
    const { PROFILES_URL, ANALYTICS_URL } = await newStores(dataDir);
    const database = await openDatabase(PROFILES_URL);
    const shop = { name: 'Shop', timezone: 'UTC', rateLimit: null };
    id = (await new SqlProjectStore(database).createProject(shop)).id;
    await database.close();
    await fill(ANALYTICS_URL, id);
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  test(
    'tidemark audience explains a definition, and why a user matches, on the stores of the data folder',
    { timeout: 300_000 },
    async () => {
      const file = join(dataDir, 'audience.json');
      const wrong = join(dataDir, 'wrong.json');
      await writeFile(file, JSON.stringify(DEFINITION));
      await writeFile(wrong, '{"trait":"plan","iz":"pro"}');

      const explained = await tidemark('audience', 'explain', file);
      const why = await tidemark('audience', 'why', file, '--user', 'ada');
      const json = await tidemark('audience', 'why', file, '--user', 'ada', '--json');
      const refused = await tidemark('audience', 'explain', wrong, '--project', 'Shop');
      const nobody = await tidemark('audience', 'why', file, '--user', 'nobody');
      const internal = await tidemark('audience', 'why', file, '--user', userKeyOf(id, 'ada'), '--by', 'internal_id');
      const unknown = await tidemark('audience', 'why', file, '--user', 'ada', '--by', 'name');

      const all = [explained, why, json, refused, nobody, internal, unknown];
      expect(
        all.map(({ code }) => code),
        all.map(({ stderr }) => stderr).join(''),
      ).toEqual([0, 0, 0, 2, 2, 0, 2]);
      expect(internal.stdout).toBe(why.stdout);
      expect(await countOf(join(dataDir, 'analytics'), explained.stdout)).toBe(1);
      expect(why.stdout.split('\n')).toEqual([
        'yes  all of these',
        expect.stringMatching(/^ {5}yes {2}who did "Bought\\n'it'": 1$/),
        expect.stringMatching(/^ {10}2026-11-20T12:00:00\.0+\d+Z {2}"m1"$/),
        expect.stringMatching(/^ {5}yes {2}whose "n" is at least 5: 9007199254740993, set 2026-11-20T/),
        '',
      ]);
      expect(json.stdout).toContain('"value": 9007199254740993');
      expect(refused.stderr).toContain('/iz');
      expect(nobody.stderr).toContain('COMMAND_INVALID');
    },
  );

  test('an audience is made live, and evaluated, while no service runs', { timeout: 300_000 }, async () => {
    const definition = JSON.stringify(DEFINITION);
    const saved = await tidemark('audience', 'save', 'Buyers', definition, '--refresh', 'live', '--json');
    expect(saved.stderr).toBe('');
    const audience = JSON.parse(saved.stdout) as { readonly id: string };
    const evaluated = await tidemark('audience', 'evaluate', audience.id, '--json');

    expect(audience).toMatchObject({ refresh: 'live', evaluation: null });
    expect(evaluated.stderr).toBe('');
    expect(JSON.parse(evaluated.stdout)).toMatchObject({ id: audience.id, evaluation: { members: 1 } });
  });
});

async function fill(url: string, projectId: string): Promise<void> {
  const store = await openAnalytics(url);
  const make = new MessageMaker();
  const ada = { userId: 'ada', userKey: userKeyOf(projectId, 'ada') };
  const messages = [
    make.track({ ...ada, event: "Bought\n'it'", messageId: 'm1' }),
    make.identify({ ...ada, traits: '{"n":9007199254740993}' }),
  ];
  await insert(
    store,
    messages.map((message) => ({ ...message, projectId })),
  );
  await store.close();
}

/** The result of the printed script, run with its comments. */
async function countOf(folder: string, script: string): Promise<number> {
  const store = await openAnalytics(`chdb:${folder}`);
  const { rows } = await store.ask(
    { sql: script.trim().replace(/;$/, ''), params: {} },
    { maxMs: 10_000, maxMemoryBytes: 1e9, maxRowsRead: 1e9 },
  );
  await store.close();
  return Number(rows[0]?.['count']);
}
