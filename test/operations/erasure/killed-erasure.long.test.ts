/** The job that forgets people, in a process that is killed at each of its steps and begun again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { importsFolderOf, uploadPath } from '../../../services/operations/import/import-request.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { FORGETTING_STEPS, type ForgettingStep } from './people-forgetter.ts';
import { searchFiles } from '../../support/search-files.ts';
import { testedForms } from '../../support/service/tested-forms.ts';
import { openEmbedded, sharedInstallation, type WholeInstallation } from '../../support/service/whole-installation.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { MessageMaker } from '../../support/stores/analytics.ts';
import { ForgettingScene } from './forgetting-scene.ts';

const PERSON = 'ada-of-the-killed';
const SECRET = 'SECRET-of-the-killed';
const PROGRAM = join(import.meta.dirname, 'people-forgetter.ts');

test(
  'whoever kills the job at any step, the next run leaves nothing of person and events, and nothing comes back',
  { timeout: 900_000 },
  async () => {
    const root = await temporaryFolder();
    const prepared = join(root, 'prepared');
    const { shop, wanted } = await prepare(prepared);

    for (const step of FORGETTING_STEPS) {
      const folder = join(root, `${FORGETTING_STEPS.indexOf(step)}`);
      await cp(prepared, folder, { recursive: true, verbatimSymlinks: true });

      const killed = await forget(folder, step);
      const ended = await forget(folder);

      expect(killed, step).toMatchObject({ signal: 'SIGKILL' });
      expect(ended, step).toMatchObject({ code: 0, error: '' });
      expect(await searchFiles(folder, wanted), step).toEqual([]);
      // How long old parts are kept otherwise is as before.
      expect(await searchFiles(join(folder, 'analytics'), { setting: 'old_parts_lifetime' }), step).toEqual([]);
      expect(await comesBack(folder, shop), step).toEqual({ pending: 0, done: 3, rows: {}, ben: 1 });
    }
  },
);

describe.each(await testedForms())('people who are forgotten, $form', ({ form }) => {
  const installation = sharedInstallation(form);
  const scene = new ForgettingScene(installation);

  test('an erasure that is broken off anywhere is completed by the next job', { timeout: 300_000 }, async () => {
    let step = 0;
    for (let isBroken = true; isBroken; step++) {
      const shop = await scene.projectWithPeople(`Broken off at ${step}`);
      await scene.request(shop.projectId, ['ada']);
      isBroken = (await scene.brokenOffAt(step)) === undefined;
      const pending = await new SqlErasures(installation().database).pending();
      expect(pending.length > 0).toBe(isBroken);

      await scene.forget();

      expect(await scene.tablesWith([scene.mark, scene.email])).toEqual([]);
      expect(await new SqlErasures(installation().database).pending()).toEqual([]);
    }
    expect(step).toBeGreaterThan(3);
  });
});

/** An installation in which somebody is to be forgotten, of whom a file was uploaded too. */
async function prepare(folder: string) {
  const installation = await openEmbedded(folder);
  try {
    const scene = new ForgettingScene(() => installation, folder);
    const shop = await scene.projectWithPeople('Killed', PERSON);
    const path = uploadPath(importsFolderOf(folder), `file_${'a'.repeat(20)}`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `user_id,type,event\n${PERSON},track,Bought\n`);
    await installation.append([shop.track({ userId: 'ben', messageId: 'mine', properties: `{"note":"${SECRET}"}` })]);
    await installation.readAll();
    await scene.request(shop.projectId, [PERSON]);
    expect(await scene.requestEvents(shop.projectId, { where: [{ property: 'note', is: SECRET }] })).toBe(1);
    return { shop, wanted: { id: PERSON, mark: scene.mark, email: scene.email, SECRET } };
  } finally {
    await installation.close();
  }
}

async function forget(folder: string, ...step: readonly ForgettingStep[]) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, folder, ...step]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [error, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code: code as number | null, signal: signal as string | null, error };
}

/** What is there of the person after another message, and after everything was read again. */
async function comesBack(folder: string, shop: MessageMaker) {
  const installation = await openEmbedded(folder);
  try {
    const scene = new ForgettingScene(() => installation, folder);
    const erasures = new SqlErasures(installation.database);
    const [pending, done] = await Promise.all([erasures.pending(), erasures.list({ state: 'done' }, 10)]);
    await installation.append([shop.track({ userId: PERSON }), shop.identify({ userId: PERSON })]);
    await installation.append([shop.track({ userId: 'ben', messageId: 'mine', properties: `{"note":"${SECRET}"}` })]);
    await readAgain(installation);
    const rows = await scene.rowsOf(shop.projectId, PERSON);
    const { track_rows: ben } = await scene.rowsOf(shop.projectId, 'ben');
    return { pending: pending.length, done: done.length, rows, ben };
  } finally {
    await installation.close();
  }
}

async function readAgain(installation: WholeInstallation): Promise<void> {
  const { database, analytics } = installation;
  await database.query('truncate users, profiles, sightings, applied_counts, reader_positions, sink_plans, applied');
  await analytics.dropGeneration(1);
  await installation.readAll();
}
