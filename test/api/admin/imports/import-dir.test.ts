import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceClient } from '../../../../services/cli/client/service-client.ts';
import { controlSocketPath } from '../../../../services/runtime/control-socket.ts';
import { historyLines, ImportClient, IMPORTS, type ShownImport } from '../../../support/service/import-client.ts';
import { ServiceProcess } from '../../../support/service/service.ts';

const SECRET = 'secret-of-the-machine';

let folder: string;
let dataDir: string;
let importDir: string;
let service: ServiceProcess;
const client = new ImportClient(() => service);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  dataDir = join(folder, 'data');
  importDir = join(folder, 'history');
  await mkdir(join(folder, 'real'));
  // The folder that is named may itself be a link.
  await symlink(join(folder, 'real'), importDir);
  await mkdir(join(folder, 'real-but-not-within'));
  for (const name of ['secret.csv', 'real-but-not-within/secret.csv'])
    await writeFile(join(folder, name), `type,user_id,event\ntrack,ada,${SECRET}\n`);
  service = await ServiceProcess.start(dataDir, { IMPORT_DIR: importDir });
}, 120_000);

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What the service answers on its Unix socket. */
async function onSocket(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const socket = new ServiceClient({ url: 'http://tidemark', socketPath: controlSocketPath(dataDir) }, undefined);
  const headers = { 'content-type': 'application/json' };
  const response = await socket.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, text: await response.text() };
}

/** A job that was started on the socket, and has ended by being stopped. */
async function stoppedOnSocket(path: string): Promise<string> {
  const { text } = await onSocket('POST', IMPORTS, { project: 'default', path, rate: 10 });
  const { id } = JSON.parse(text) as ShownImport;
  await client.untilLines(id, 1);
  await client.send('DELETE', `/v1/admin/jobs/${id}`);
  await client.end(id);
  return id;
}

describe('a path that comes over the network', { timeout: 120_000 }, () => {
  test('a file within IMPORT_DIR is shown and imported, by its own path or through a link within', async () => {
    await writeFile(join(importDir, 'good.ndjson'), historyLines('Within', 3));
    await symlink('good.ndjson', join(importDir, 'link.ndjson'));

    for (const path of [
      join(importDir, 'good.ndjson'),
      join(importDir, 'link.ndjson'),
      join(folder, 'real/good.ndjson'),
    ]) {
      const shown = await client.send('POST', `${IMPORTS}/preview`, { project: 'default', path });
      expect(shown.body['rows'], path).toHaveLength(3);
      expect(await client.end(await client.start({ path })), path).toMatchObject({ result: { accepted: 3 } });
    }
  });

  test.each([
    { what: 'the environment of the service', path: () => '/proc/self/environ' },
    { what: 'a file elsewhere', path: () => join(folder, 'secret.csv') },
    { what: 'a folder whose name begins alike', path: () => join(folder, 'real-but-not-within/secret.csv') },
    { what: 'a way out by dots', path: () => `${importDir}/../secret.csv` },
    { what: 'a link to a file elsewhere', path: () => linked('file-link', join(folder, 'secret.csv')) },
    { what: 'a link to a folder elsewhere', path: async () => `${await linked('folder-link', folder)}/secret.csv` },
    { what: 'a link to the environment', path: () => linked('environ-link', '/proc/self/environ') },
    { what: 'a link to a device', path: () => linked('device-link', '/dev/zero') },
    { what: 'a pipe that nobody writes', path: () => pipeNamed('pipe') },
  ])('$what is neither shown nor imported', async ({ path }) => {
    const body = { project: 'default', path: await path(), type: 'track', map: {} };

    for (const to of [IMPORTS, `${IMPORTS}/preview`]) {
      const answer = await client.send('POST', to, body);
      expect([answer.status, answer.body['code']], to).toEqual([400, 'invalid-body']);
      expect(JSON.stringify(answer.body), to).not.toContain(SECRET);
      expect(JSON.stringify(answer.body), to).not.toContain('INITIAL_WRITE_KEY');
    }
  });

  test('a folder is imported without the links and the pipes in it, which may lead elsewhere', async () => {
    const path = join(importDir, 'folder');
    await mkdir(path);
    await writeFile(join(path, 'good.ndjson'), historyLines('In a folder', 2));
    await symlink(join(folder, 'secret.csv'), join(path, 'secret.csv'));
    await symlink(folder, join(path, 'all'));
    pipeNamed('folder/pipe');

    const previewed = await client.send('POST', `${IMPORTS}/preview`, { project: 'default', path });
    const { result } = await client.end(await client.start({ path }));

    expect(previewed.body).toMatchObject({ files: ['folder/good.ndjson'], file_count: 1 });
    expect(result).toMatchObject({ accepted: 2, refused: 0, lines: 2 });
  });

  test('whether a file is there can be told only of those within IMPORT_DIR', async () => {
    const detailOf = async (path: string) => {
      const { body } = await client.send('POST', `${IMPORTS}/preview`, { project: 'default', path });
      return String(body['detail']).replace(path, 'PATH');
    };

    expect(await detailOf(join(folder, 'secret.csv'))).toBe(await detailOf(join(folder, 'none.csv')));
  });

  test('an import that became a link to a file elsewhere while it was stopped is not resumed', async () => {
    const path = join(importDir, 'swapped.ndjson');
    await writeFile(path, historyLines('Swapped', 2_000));
    const id = await client.start({ path, rate: 10 });
    await client.untilLines(id, 1);
    await client.send('DELETE', `/v1/admin/jobs/${id}`);
    await client.end(id);
    await rm(path);
    await symlink(join(folder, 'secret.csv'), path);

    expect(await client.send('POST', `${IMPORTS}/${id}/resume`)).toMatchObject({ status: 409 });
  });
});

describe('a path that comes on the Unix socket', { timeout: 120_000 }, () => {
  test('any file is shown and imported on the Unix socket', async () => {
    const path = join(folder, 'secret.csv');

    const shown = await onSocket('POST', `${IMPORTS}/preview`, { project: 'default', path });
    const { text } = await onSocket('POST', IMPORTS, { project: 'default', path });

    expect(shown).toMatchObject({ status: 200, text: expect.stringContaining(SECRET) as string });
    expect(await client.end((JSON.parse(text) as ShownImport).id)).toMatchObject({ result: { accepted: 1 } });
  });

  test('an import that began on the Unix socket is resumed there, and not over the network', async () => {
    const path = join(folder, 'local.ndjson');
    await writeFile(path, historyLines('Local', 2_000));
    const id = await stoppedOnSocket(path);

    const afar = await client.send('POST', `${IMPORTS}/${id}/resume`);
    const here = await onSocket('POST', `${IMPORTS}/${id}/resume`);
    await client.send('DELETE', `/v1/admin/jobs/${id}`);

    expect([afar.status, here.status]).toEqual([409, 202]);
  });
});

async function linked(name: string, target: string): Promise<string> {
  const path = join(importDir, name);
  await rm(path, { force: true });
  await symlink(target, path);
  return path;
}

function pipeNamed(name: string): string {
  const path = join(importDir, name);
  execFileSync('mkfifo', [path]);
  return path;
}
