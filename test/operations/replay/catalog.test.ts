import { expect, onTestFinished, test } from 'vitest';
import { Catalog } from '../../../services/questions/catalog/catalog.ts';
import { newStores } from '../../support/stores/new-stores.ts';
import { identify, track } from '../../support/messages/messages.ts';
import { PROJECT } from '../../support/http/reading-server.ts';
import { ReplayScene } from '../../support/service/replay-scene.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const AMPLE = { maxMs: 60_000, maxMemoryBytes: 4e9, maxRowsRead: 1e9 };
const projectId = PROJECT.id;

/**
 * Everything that the catalog has, asked anew. Examples are only counted: which values are shown is left to chance.
 */
async function catalogOf({ live }: ReplayScene): Promise<unknown> {
  const catalog = new Catalog({ analytics: live.analytics, limitsOf: () => AMPLE });
  const events = await catalog.events(PROJECT);
  const properties = [];
  for (const { name } of events.entries) properties.push(await catalog.properties(PROJECT, name));
  const all = { events, traits: await catalog.traits(PROJECT), properties };
  return JSON.parse(
    JSON.stringify(all, (name, value: unknown) => {
      if (name === 'examples') return (value as unknown[]).length;
      return typeof value === 'bigint' ? String(value) : value;
    }),
  );
}

test('a replay makes the same catalog', { timeout: 300_000 }, async () => {
  const scene = await ReplayScene.open(await newStores(await temporaryFolder()));
  onTestFinished(() => scene.close());
  await scene.database.query(
    `insert into projects (id, name, timezone, session_secret, created_at_ms) values ($1, 'x', 'UTC', $2, 0)`,
    [projectId, new Uint8Array(32)],
  );
  scene.startReaders();
  const values = ['1', '"one"', 'true', 'null', '[1]', '{"a":1}', '12345678901234567890'];
  for (let n = 0; n < 300; n++) {
    const [userId, value] = [`u${n % 40}`, values[n % values.length]];
    await scene.append([
      track({ projectId, userId, event: `Event ${n % 9}`, properties: `{"p${n % 5}":${value},"total":${n}}` }),
      identify({ projectId, userId, traits: `{"t${n % 6}":${value},"plan":"pro"}` }),
    ]);
  }
  await scene.hasRead('analytics', 1);
  const before = await catalogOf(scene);

  await scene.build('analytics');
  await scene.swap('analytics');

  await expect
    .poll(
      async () => (await scene.status()).find(({ state, kind }) => state === 'live' && kind === 'analytics')?.number,
    )
    .toBe(2);
  expect(before).toMatchObject({ events: { entries: { length: 9 } }, traits: { entries: { length: 7 } } });
  expect(await catalogOf(scene)).toEqual(before);
});
