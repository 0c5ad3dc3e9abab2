/** Events that are erased after a backup: a restore of it brings none back. */
import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { backUp } from '../../../services/operations/backup/back-up.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { searchFiles } from '../../support/search-files.ts';
import { spawnCli } from '../../support/service/spawn-cli.ts';
import { openEmbedded, type WholeInstallation } from '../../support/service/whole-installation.ts';
import { AMPLE, MessageMaker } from '../../support/stores/analytics.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ForgettingScene, SILENT } from './forgetting-scene.ts';

const SECRET = 'SECRET-of-the-restored-events';
const CONDITION = { where: [{ property: 'note', contains: 'SECRET-of' }] };
const NO_LOG = { info: () => undefined, warn: () => undefined };
const PLAIN_ONES = [{ event: 'Order Completed', n: '2' }];

async function backUpOf({ log, database, analytics }: WholeInstallation, folder: string): Promise<number> {
  const parts = { log, database, analytics, keep: 3, hasRegistry: false, logger: NO_LOG };
  return Date.parse((await backUp(parts, { folder, again: false }, SILENT)).at);
}

async function eventsOf({ analytics }: WholeInstallation, projectId: string) {
  const sql = `SELECT event, toString(count()) AS n FROM events WHERE project_id = {p:String} GROUP BY event ORDER BY event`;
  return (await analytics.ask({ projectId, sql, params: { p: projectId } }, AMPLE)).rows;
}

/** An installation that is closed afterwards: a process has one embedded store of analytics at a time. */
async function installedIn(dataDir: string, use: (one: WholeInstallation, scene: ForgettingScene) => Promise<void>) {
  const installation = await openEmbedded(dataDir);
  try {
    await use(installation, new ForgettingScene(() => installation, dataDir));
  } finally {
    await installation.close();
  }
}

const erasureStates = async ({ database }: WholeInstallation) =>
  (await new SqlErasures(database).list({}, 2)).map(({ state }) => state);

test('a restore of a backup from before leaves erased events out, also where their erasure had only been requested', async () => {
  const root = await temporaryFolder();
  const [folder, copied] = [join(root, 'backup'), join(root, 'copied')];
  const shop = new MessageMaker();
  const { projectId } = shop;
  let at = 0;
  await installedIn(join(root, 'from'), async (from, scene) => {
    await from.append([
      ...['ada', 'ben'].flatMap((userId) => [
        shop.track({ userId, properties: `{"note":"${SECRET}"}`, event: 'Paid' }),
        shop.track({ userId, properties: '{"note":"plain"}' }),
      ]),
      shop.track({ userId: 'cat', properties: `{"note":"${SECRET}"}`, event: 'Paid' }),
    ]);
    await from.readAll();
    expect(await eventsOf(from, projectId)).toEqual([...PLAIN_ONES, { event: 'Paid', n: '3' }]);
    at = await backUpOf(from, folder);

    expect(await scene.requestEvents(projectId, CONDITION)).toBe(3);
    await backUpOf(from, folder);
    await cp(folder, copied, { recursive: true });
    await scene.forget();
    await backUpOf(from, folder);
  });
  expect(await searchFiles(join(copied, 'log'), { SECRET })).not.toEqual([]);
  expect(await searchFiles(folder, { SECRET })).toEqual([]);

  for (const backup of [copied, folder]) {
    const dataDir = join(root, `restored-of-${basename(backup)}`);
    const until = new Date(at + 1).toISOString();
    await spawnCli(['restore', backup, '--until', until], { DATA_DIR: dataDir, EVENT_LOG_PARTITIONS: '2' });
    await installedIn(dataDir, async (restored, scene) => {
      expect(await erasureStates(restored)).toEqual(['pending']);
      await restored.readAll();
      expect(await eventsOf(restored, projectId)).toEqual(PLAIN_ONES);
      await scene.forget();
      expect(await eventsOf(restored, projectId)).toEqual(PLAIN_ONES);
      expect(await erasureStates(restored)).toEqual(['done']);
    });
    expect(await searchFiles(dataDir, { SECRET })).toEqual([]);
  }
}, 240_000);
