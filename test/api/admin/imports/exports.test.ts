import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ImportClient, IMPORTS } from '../../../support/service/import-client.ts';
import { ServiceProcess } from '../../../support/service/service.ts';

const EXPORTS = join(import.meta.dirname, '../../../operations/import/presets/exports');

let folder: string;
let service: ServiceProcess;
const client = new ImportClient(() => service);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  service = await ServiceProcess.start(join(folder, 'data'), { IMPORT_DIR: join(folder, 'in') });
}, 120_000);

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

function exported(name: string): Buffer {
  return readFileSync(join(EXPORTS, name));
}

describe('exports of other products over HTTP', { timeout: 120_000 }, () => {
  test('several uploads are one import, and one that overlaps counts once', async () => {
    const files = [
      await client.upload(exported('mixpanel.ndjson'), 'a'),
      await client.upload(exported('mixpanel.ndjson'), 'b'),
    ];

    const { result, ...done } = await client.end(await client.start({ files, preset: 'mixpanel' }));

    expect(done).toMatchObject({ state: 'done', args: { name: 'a and 1 more', file: null, path: null } });
    expect(result).toMatchObject({ accepted: 4, refused: 0, lines: 4, refusals: [] });
    await expect.poll(() => client.countOf('Signed up'), { timeout: 60_000 }).toBe(1);
    for (const id of files) expect((await client.send('GET', `${IMPORTS}/files/${id}`)).status).toBe(404);
  });

  test('a refused line of several files is read with the name of its file', async () => {
    const files = [await client.upload('{"type":"track"}\n', 'a'), await client.upload('\n{}\n', 'b')];

    const id = await client.start({ files });
    await client.end(id);

    const { body } = await client.send('GET', `${IMPORTS}/${id}/refused`);
    expect(body).toMatchObject({
      refused: [
        { file: 'a', line: 1, cut: false },
        { file: 'b', line: 2, text: '{}' },
      ],
    });
  });

  test('a preview says what a file seems to be, and what its records and times become', async () => {
    const file = await client.upload(exported('amplitude.ndjson'), 'amplitude.json');

    const plain = await client.send('POST', `${IMPORTS}/preview`, { project: 'default', file });
    const shaped = await client.send('POST', `${IMPORTS}/preview`, { project: 'default', file, preset: 'amplitude' });

    expect(plain.body).toMatchObject({
      files: ['amplitude.json'],
      file_count: 1,
      guess: { format: 'ndjson', encoding: 'utf-8', preset: 'amplitude', map: {} },
      rows: [{ problems: [{ path: '/type' }] }, { problems: [{ path: '/type' }] }],
    });
    expect(shaped.body).toMatchObject({
      guess: { preset: 'amplitude' },
      rows: [
        {
          time_form: 'date and time',
          problems: [],
          call: expect.stringContaining('"event":"Checkout Started"') as string,
        },
        { time_form: 'date and time', problems: [] },
      ],
    });
  });

  test('a folder within IMPORT_DIR is imported, and a folder elsewhere is not told from one that is not there', async () => {
    const path = join(folder, 'in/posthog');
    await mkdir(path, { recursive: true });
    await cp(join(EXPORTS, 'posthog.ndjson'), join(path, 'events.ndjson'));

    const { result } = await client.end(await client.start({ path, preset: 'posthog' }));

    expect(result).toMatchObject({ accepted: 2, refused: 0 });
    await expect.poll(() => client.countOf('order_placed'), { timeout: 60_000 }).toBe(1);
    const messages: unknown[] = [];
    for (const elsewhere of [join(folder, 'data'), join(folder, 'none')]) {
      const { status, body } = await client.send('POST', IMPORTS, { project: 'default', paths: [elsewhere] });
      messages.push([status, String(body['detail']).replace(elsewhere, 'PATH')]);
    }
    expect(messages[0]).toEqual([400, expect.stringContaining('there is no such file within') as string]);
    expect(messages[0]).toEqual(messages[1]);
  });

  test.each([
    ['a preset', { preset: 'none' }, '/preset'],
    ['an encoding', { encoding: 'ebcdic' }, '/encoding'],
    ['a mapping', { map: { a: '' } }, '/map/a'],
    ['a constant', { set: { type: 1 } }, '/set/type'],
    ['a time zone', { timezone: 'Mars/Base' }, '/file'],
    ['a format of times', { time_format: 'DD' }, '/file'],
    ['a list of files', { file: null, files: [] }, '/files'],
  ])('%s that there is not is refused before anything is read', async (_, wrong, path) => {
    const file = await client.upload('{}');

    const { status, body } = await client.send('POST', IMPORTS, { project: 'default', file, ...wrong });

    expect([status, body]).toMatchObject([400, { code: 'invalid-body', errors: [{ path }] }]);
  });
});
