import { globSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { historyLines, ImportClient, IMPORTS } from '../../../support/service/import-client.ts';
import { startProgram } from '../../../support/service/program.ts';
import { ADMIN_KEY } from '../../../support/service/service.ts';
import { sharedService } from '../../../support/service/shared-service.ts';

const GONE = { state: 'failed', problem: { error_code: 'PROJECT_UNKNOWN' } };

/** About as much is uploaded at once. */
const FIRST_PART_BYTES = 930_000;

const service = sharedService();
const client = new ImportClient(service);

async function newProject(name: string): Promise<string> {
  return (await client.send('POST', '/v1/admin/projects', { name })).body.id;
}

async function remove(project: string, name: string): Promise<void> {
  const { status } = await client.send('DELETE', `/v1/admin/projects/${project}?confirm=${name}`);
  expect([200, 202]).toContain(status);
}

describe('an import into a project that is deleted', { timeout: 180_000 }, () => {
  test('it fails where the project is deleted while it runs, while it waits, before it starts, and before it is resumed', async () => {
    const project = await newProject('leaving');
    const file = await client.upload(historyLines('Leaving', 4_000), 'leaving.ndjson');
    const other = await client.upload(historyLines('Leaving', 10), 'other.ndjson');
    const running = await client.start({ project, file, rate: 200 });
    const waiting = await client.start({ project, file: other });
    await client.untilLines(running, 100);

    await remove(project, 'leaving');
    // A name that looks like its id is another project's.
    await newProject(project);

    const ended = await client.end(running);
    expect(ended).toMatchObject({ ...GONE, result: null });
    expect(ended.progress?.accepted).toBeLessThan(4_000);
    expect(await client.end(waiting)).toMatchObject(GONE);
    const resumed = await client.send('POST', `${IMPORTS}/${running}/resume`);
    expect(resumed.status === 404 || (await client.end(running)).state === 'failed').toBe(true);
    const before = await client.send('POST', IMPORTS, { project: 'leaving', file });
    expect(before).toMatchObject({ status: 404, body: { error_code: 'PROJECT_UNKNOWN' } });
  });

  test.each([
    { where: 'on this machine', isRemote: false },
    { where: 'at --url', isRemote: true },
  ])('a command that sends standard input to the service $where is ended by Ctrl-C', async ({ isRemote }) => {
    const command = await importOfInput('default', isRemote);

    command.child.kill('SIGINT');

    expect(await command.code).toBe(130);
  });

  test('a command fails whose project is deleted while it waits for standard input', async () => {
    const project = await newProject('piped');
    const command = await importOfInput(project, false);

    await remove(project, 'piped');
    command.child.stdin.end();

    expect(await command.code).toBe(1);
    expect(command.errors()).toContain('PROJECT_UNKNOWN');
  });
});

/** An import that has begun to read, and whose standard input stays open. */
async function importOfInput(project: string, isRemote: boolean) {
  const at = isRemote ? ['--url', service().url, '--key', ADMIN_KEY] : [];
  const report = join(service().dataDir, `${project}-${isRemote}.ndjson`);
  const args = ['services/cli/tidemark.ts', 'import', '-', '--project', project, '--report', report, ...at];
  const uploads = join(service().dataDir, 'imports');
  await rm(uploads, { recursive: true, force: true });
  const { child } = startProgram(args, { DATA_DIR: service().dataDir });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
  // The command ends before it has read all of it.
  child.stdin.on('error', () => undefined);
  child.stdin.write(historyLines('Piped', 15_000));
  await expect.poll(() => uploadedBytes(uploads), { timeout: 60_000 }).toBeGreaterThan(FIRST_PART_BYTES);
  return { child, code, errors: () => text };
}

function uploadedBytes(uploads: string): number {
  return globSync('*/data', { cwd: uploads }).reduce((sum, name) => sum + statSync(join(uploads, name)).size, 0);
}
