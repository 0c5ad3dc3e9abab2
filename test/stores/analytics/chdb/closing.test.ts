import { execFile } from 'node:child_process';
import { globSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { removeBrokenMutations } from '../../../../services/stores/analytics/chdb/definition-files.ts';
import { openAnalytics } from '../../../../services/stores/analytics/open.ts';
import { ask, insert, MessageMaker } from '../../../support/stores/analytics.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SCRIPT = new URL('../../../support/programs/chdb-process.ts', import.meta.url);
const ENDED = 'STOPPING,STOPPING,STOPPING';

async function countIn(url: string): Promise<unknown> {
  const store = await openAnalytics(url);
  const rows = await ask(store, 'SELECT count() AS n FROM events');
  await store.close();
  return rows;
}

test('a process that closes in the middle of heavy questions and an insert ends by itself, the insert whole', async () => {
  const url = `chdb:${await temporaryFolder()}`;

  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT.pathname, url], { timeout: 60_000 });

  expect(stdout).toBe(ENDED);
  expect(await countIn(url)).toEqual([{ n: '5000' }]);
}, 90_000);

test('a worker thread that closes in the middle of heavy questions and an insert ends by itself, and its process continues', async () => {
  const url = `chdb:${await temporaryFolder()}`;
  const worker = new Worker(SCRIPT);
  const said = new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  worker.postMessage(url);

  expect(await said).toBe(ENDED);
  await worker.terminate();
  await exited;

  expect(await countIn(url)).toEqual([{ n: '5000' }]);
}, 90_000);

test('a mutation whose file a full disk cut off does not keep the store from being opened', async () => {
  const folder = await temporaryFolder();
  const store = await openAnalytics(`chdb:${folder}`);
  await insert(store, [new MessageMaker().track()]);
  await store.close();
  const tables = globSync(`${folder}/store/store/*/*/format_version.txt`).map((file) => dirname(file));
  const whole = 'format version: 1\ncreate time: 2026-11-27 04:22:07\ncommands: (DELETE WHERE 0)\n';
  const files = [whole, '', whole.slice(0, 30)].map((text, index) => ({ name: `mutation_9${index}.txt`, text }));
  for (const table of tables) for (const { name, text } of files) writeFileSync(join(table, name), text);

  removeBrokenMutations(`${folder}/store`);
  const kept = globSync(`${folder}/store/store/*/*/mutation_9?.txt`).map((file) => basename(file));
  for (const table of tables) writeFileSync(join(table, 'mutation_90.txt'), '');

  expect(kept).toEqual(tables.map(() => 'mutation_90.txt'));
  expect(await countIn(`chdb:${folder}`)).toEqual([{ n: '1' }]);
});

test('a folder is open once at a time', async () => {
  const url = `chdb:${await temporaryFolder()}`;
  const store = await openAnalytics(url);

  await expect(openAnalytics(url)).rejects.toMatchObject({ code: 'FOLDER_IN_USE' });

  await store.close();
  await (await openAnalytics(url)).close();
});

test('a scheme that nothing serves is named', async () => {
  await expect(openAnalytics('bolt:somewhere')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});
