import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Interrupted } from '../../services/cli/context.ts';
import { runCli } from '../../services/cli/run-cli.ts';
import { historyLines, ImportClient, IMPORTS, type ShownImport } from '../support/service/import-client.ts';
import { ADMIN_KEY, ServiceProcess } from '../support/service/service.ts';

let folder: string;
let dataDir: string;
let service: ServiceProcess;
const client = new ImportClient(() => service);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  dataDir = join(folder, 'data');
  service = await ServiceProcess.start(dataDir);
}, 120_000);

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function run(args: readonly string[], signal?: AbortSignal): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const print = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const code = await runCli(args, { env: { DATA_DIR: dataDir }, ...print, signal });
  return { code, out, err };
}

async function fileOf(name: string, content: string): Promise<string> {
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

async function newest(): Promise<ShownImport & { readonly args: { readonly path: string | null } }> {
  const { body } = await client.send('GET', `${IMPORTS}?limit=1`);
  return (body['imports'] as Awaited<ReturnType<typeof newest>>[])[0] as Awaited<ReturnType<typeof newest>>;
}

describe('tidemark import, beside a service', { timeout: 120_000 }, () => {
  test('the service on the machine imports the file where it is, and reports beside it', async () => {
    const file = await fileOf('local.ndjson', `${historyLines('Local', 3)}{}\n`);

    const { code, out } = await run(['import', file, '--json']);

    const refusal = { column: '/type', message: 'is missing', count: 1 };
    const examples = [{ file: 'local.ndjson', line: 4, value: null }];
    expect([code, JSON.parse(out)]).toEqual([
      3,
      {
        accepted: 3,
        refused: 1,
        dropped: 0,
        lines: 4,
        resumed_at_line: 0,
        refusals: [{ ...refusal, examples }],
        warnings: [],
      },
    ]);
    expect(JSON.parse(await readFile(`${file}.refused.ndjson`, 'utf8'))).toMatchObject({ line: 4, text: '{}' });
    expect(await newest()).toMatchObject({ state: 'done', args: { path: file }, principal: 'local' });
    await expect.poll(() => client.countOf('Local'), { timeout: 60_000 }).toBe(3);
  });

  test('an import that is interrupted is stopped in the service, and the same command continues', async () => {
    const file = await fileOf('interrupted.ndjson', historyLines('Interrupted', 10_000));
    const leaving = new AbortController();
    const first = run(['import', file, '--rate', '800'], leaving.signal);
    await expect.poll(async () => (await newest()).args.path, { timeout: 30_000 }).toBe(file);
    await client.untilLines((await newest()).id, 300);

    leaving.abort(new Interrupted(130));

    expect(await first).toMatchObject({ code: 130, err: expect.stringContaining('goes on from here') as string });
    expect(await newest()).toMatchObject({ state: 'cancelled' });
    const second = JSON.parse((await run(['import', file, '--json'])).out) as Record<string, number>;
    expect(second).toMatchObject({ accepted: 10_000, lines: 10_000 });
    expect(second['resumed_at_line']).toBeGreaterThan(0);
    await expect.poll(() => client.countOf('Interrupted'), { timeout: 60_000 }).toBe(10_000);
  });

  test('a service elsewhere is sent the file, and its report comes back', async () => {
    const file = await fileOf('remote.csv', `user_id,event\n${'ada,Remote\n'.repeat(200_000)},Remote\n`);
    const where = ['--url', service.url, '--key', ADMIN_KEY];

    const checked = await run(['import', file, '--type', 'track', '--dry-run', '--json', ...where]);
    const wrong = await run(['import', file, '--type', 'track', '--map', 'nobody=event', ...where]);

    expect([checked.code, JSON.parse(checked.out)]).toMatchObject([3, { accepted: 200_000, refused: 1 }]);
    expect(JSON.parse(await readFile(`${file}.dry-run.refused.ndjson`, 'utf8'))).toMatchObject({ line: 200_002 });
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('nobody') as string });
    expect(await newest()).toMatchObject({ args: { path: null, name: 'remote.csv' } });
  });

  test('a service elsewhere is sent the files of a folder, without those that are hidden at any depth', async () => {
    for (const name of ['sent/a.ndjson', 'sent/deep/b.ndjson', 'sent/.c.ndjson', 'sent/.git/d.ndjson']) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await fileOf(name, historyLines(name, 1));
    }

    const sent = await run(['import', join(folder, 'sent'), '--json', '--url', service.url, '--key', ADMIN_KEY]);

    expect([sent.code, JSON.parse(sent.out)]).toMatchObject([0, { accepted: 2, lines: 2 }]);
  });
});
