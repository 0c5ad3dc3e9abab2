import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Interrupted } from '../../services/cli/context.ts';
import { runCli } from '../../services/cli/run-cli.ts';
import type { ImportState } from '../../services/operations/import/state.ts';
import { newStores } from '../support/stores/new-stores.ts';
import { startProgram } from '../support/service/program.ts';

const GOOD = '{"type":"track","user_id":"ada","event":"Paid"}\n';

let dataDir: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  dataDir = join(folder, 'data');
  await newStores(dataDir);
  await run('project', 'create', 'One', '--timezone', 'Europe/Berlin');
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(...args: string[]): Promise<Ran> {
  return runUntil(undefined, ...args);
}

async function runUntil(signal: AbortSignal | undefined, ...args: string[]): Promise<Ran> {
  let [out, err] = ['', ''];
  const context = {
    env: { DATA_DIR: dataDir },
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    signal,
  };
  const code = await runCli(args, context);
  return { code, out, err };
}

async function fileOf(name: string, content: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
}

describe('tidemark import', { timeout: 60_000 }, () => {
  test('tidemark import exits with 0 where every line was imported, and prints the counts', async () => {
    const file = await fileOf('good.ndjson', GOOD.repeat(3));

    const { code, out } = await run('import', file, '--json');

    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      accepted: 3,
      refused: 0,
      dropped: 0,
      lines: 3,
      resumed_at_line: 0,
      refusals: [],
      warnings: [expect.objectContaining({ column: '/timestamp', count: 3 })],
    });
  });

  test('tidemark import exits with 3 where lines were refused, and prints where they are', async () => {
    const file = await fileOf('bad.csv', 'user_id,event\nada,Paid\n,Paid\n');

    const { code, out } = await run('import', file, '--type', 'track', '--report', join(folder, 'report'));

    expect(code).toBe(3);
    expect(out).toContain(join(folder, 'report'));
    expect(JSON.parse(await readFile(join(folder, 'report'), 'utf8'))).toMatchObject({ line: 3 });
    expect(existsSync(join(folder, 'report.state.json'))).toBe(true);
  });

  test('tidemark import exits with 1 where the file has changed since its import began', async () => {
    const file = await fileOf('changed.ndjson', GOOD);
    await run('import', file);
    await writeFile(file, GOOD.repeat(2));

    expect(await run('import', file)).toMatchObject({
      code: 1,
      err: expect.stringContaining('IMPORT_CHANGED') as string,
    });
    expect((await run('import', file, '--restart')).code).toBe(0);
  });

  test('tidemark import that is interrupted goes on where it was', async () => {
    const file = await fileOf('interrupted.ndjson', GOOD.repeat(3_000));
    const leaving = new AbortController();
    const first = runUntil(leaving.signal, 'import', file, '--rate', '500', '--yes');
    const imported = async (): Promise<number> => {
      const text = await readFile(`${file}.refused.ndjson.state.json`, 'utf8').catch(() => undefined);
      return text === undefined ? 0 : (JSON.parse(text) as ImportState).counts.imported;
    };
    await expect.poll(imported, { timeout: 30_000 }).toBeGreaterThan(100);

    leaving.abort(new Interrupted(130));

    expect(await first).toMatchObject({ code: 130, err: expect.stringContaining('goes on from here') as string });
    const second = JSON.parse((await run('import', file, '--json', '--yes')).out) as Record<string, number>;
    expect(second).toMatchObject({ accepted: 3_000, refused: 0, lines: 3_000 });
    expect(second['resumed_at_line']).toBeGreaterThan(100);
  });

  test.each([
    ['a file that is not there', ['none']],
    ['another project than there is', ['FILE', '--project', 'proj_none']],
    ['a type that there is not', ['FILE', '--type', 'page']],
    ['a rate of nothing', ['FILE', '--rate', '0']],
    ['a delimiter of two characters', ['FILE', '--delimiter', '::']],
    ['a column under no name', ['FILE', '--map', 'user_id']],
    ['a preset that there is not', ['FILE', '--preset', 'none']],
    ['a format of times that there is not', ['FILE', '--time-format', 'DD']],
    ['a time zone that there is not', ['FILE', '--timezone', 'Mars/Base']],
    ['a report that cannot be written', ['FILE', '--report', '/proc/none/report']],
  ])('tidemark import exits with 2 for %s', async (_what, args) => {
    const file = await fileOf('fine.ndjson', GOOD);

    expect((await run('import', ...args.map((arg) => (arg === 'FILE' ? file : arg)))).code).toBe(2);
  });

  test('tidemark import takes the export of another product, and a folder of files, by one option', async () => {
    const exports = join(import.meta.dirname, '../operations/import/presets/exports');
    const export2 = join(folder, 'mixpanel');
    await mkdir(export2);
    await cp(join(exports, 'mixpanel.ndjson'), join(export2, '1.ndjson'));
    await writeFile(join(export2, '2.ndjson.gz'), gzipSync(await readFile(join(exports, 'mixpanel.ndjson'))));

    const { code, out } = await run('import', export2, '--preset', 'mixpanel', '--json');

    expect([code, JSON.parse(out)]).toMatchObject([0, { accepted: 4, refused: 0, lines: 4 }]);
  });

  test('tidemark import --guess prints the command that would import the file, and imports nothing', async () => {
    const file = await fileOf(
      'shop.csv',
      'event_time;event_type;user_id\n25/12/2020 10:15;view;7\n01/12/2020 09:00;cart;8\n',
    );

    const guessed = await run('import', file, '--guess');
    const command = /tidemark (import .*)/.exec(guessed.out)?.[1] ?? '';
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const dry = await run(...words, '--json');

    expect(guessed.code).toBe(0);
    expect(command).toContain("--delimiter ';' --type track");
    expect(JSON.parse(dry.out)).toMatchObject({ accepted: 2, refused: 0 });
    expect(existsSync(`${file}.refused.ndjson`)).toBe(false);
  });

  test('tidemark import says in a dry run what would be refused, by column, with examples', async () => {
    const file = await fileOf('mixed.csv', 'Who,event,When\nada,Paid,01/02/2020\n,Paid,2020-01-02\n');

    const { code, out } = await run(
      'import',
      file,
      '--type',
      'track',
      '--map',
      'Who=user_id',
      '--map',
      'When=timestamp',
      '--dry-run',
    );

    expect(code).toBe(3);
    expect(out).toMatch(/1 × Who is missing\n {4}mixed\.csv:3: nothing/);
    expect(out).toMatch(/1 × When may be day before month .*\n {4}mixed\.csv:2: 01\/02\/2020/);
  });

  test('tidemark import imports nothing in a dry run', async () => {
    const file = await fileOf('dry.ndjson', `${GOOD}nonsense\n`);

    const { code, out } = await run('import', file, '--dry-run', '--json');

    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ accepted: 1, refused: 1 });
    expect(existsSync(`${file}.refused.ndjson`)).toBe(false);
    expect(existsSync(`${file}.dry-run.refused.ndjson`)).toBe(true);
  });

  test('tidemark import reads standard input, compressed or not', async () => {
    const env = { DATA_DIR: dataDir };
    const report = join(folder, 'stdin.report');
    const program = startProgram(['services/cli/tidemark.ts', 'import', '-', '--report', report, '--json'], env);
    let out = '';
    program.child.stdout.on('data', (chunk: Buffer) => (out += String(chunk)));

    program.child.stdin.end(gzipSync(`${GOOD.repeat(50)}nonsense\n`));
    const [code] = (await once(program.child, 'close')) as [number];

    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ accepted: 50, refused: 1 });
    expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({ line: 51, text: 'nonsense' });
    expect(existsSync(`${report}.state.json`)).toBe(false);
  });

  test('tidemark import needs the project where there are several, by id or name', async () => {
    const file = await fileOf('which.ndjson', GOOD);
    await run('project', 'create', 'Two');

    expect((await run('import', file)).code).toBe(2);
    expect((await run('import', file, '--project', 'Two')).code).toBe(0);
  });
});
