import { open, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { previewFile, type FilePreview } from '../../../services/operations/import/preview.ts';
import type { ReadOptions } from '../../../services/operations/import/record-reader.ts';
import { READ } from '../../support/service/import-records.ts';
import { type Given, importScene, trackLines } from '../../support/service/importing.ts';

const scene = importScene();
/** As a request of somebody who has said nothing of times. */
const REQUESTED = { untimed: false, profilesAsOf: 1_700_000_000_000_000n };

async function imported(text: string, given: Given = {}) {
  await writeFile(scene().path, text);
  return scene().run({ ...REQUESTED, ...given });
}

async function previewed(text: string, options: Partial<ReadOptions> = {}): Promise<FilePreview> {
  await writeFile(scene().path, text);
  await using file = await open(scene().path);
  return await previewFile(file, { ...READ, ...options, name: 'history' }, new AbortController().signal);
}

const timed = (n: number): string =>
  JSON.stringify({ type: 'track', user_id: 'u', event: 'e', properties: { n }, timestamp: '2026-03-10T12:00:00Z' });

describe('lines without a time', () => {
  test('profiles are as of when the project was made, so that they overwrite nothing that was sent since', async () => {
    const { warnings } = await imported('cio_id,id,plan\nc1,u,free\nc2,v,pro\n', { preset: 'customerio-people' });

    expect(scene().messages()).toMatchObject([
      { userId: 'u', timestamp: REQUESTED.profilesAsOf },
      { userId: 'v', timestamp: REQUESTED.profilesAsOf },
    ]);
    expect(warnings).toMatchObject([{ column: '/timestamp', count: 2, examples: [{ line: 2 }, { line: 3 }] }]);
  });

  test('set says as of when a file of profiles is, and then nothing is to be said', async () => {
    const { warnings } = await imported('cio_id,id,plan\nc1,u,free\n', {
      preset: 'customerio-people',
      set: { timestamp: '2026-11-01' },
    });

    expect(scene().messages()).toMatchObject([{ timestamp: BigInt(Date.UTC(2026, 10)) * 1_000n }]);
    expect(warnings).toEqual([]);
  });

  test('a few events are taken, counted and named, in a dry run and in the preview too', async () => {
    const text = `${trackLines(100)}${timed(1)}\n`;
    const remark = { column: '/timestamp', message: expect.stringMatching(/dated at the import/) as string };

    expect((await imported(text, { isDry: true })).warnings).toMatchObject([{ ...remark, count: 100 }]);
    expect(await imported(text)).toMatchObject({ imported: 101, warnings: [{ ...remark, count: 100 }] });
    expect((await scene().state()).counts).toEqual({ imported: 101, refused: 0, untimed: 100, dropped: 0 });
    expect((await previewed(text)).warnings).toMatchObject([{ ...remark, count: 20 }]);
  });

  test('more than a hundred end an import before it has begun, unless somebody said that they may have none', async () => {
    const text = `${timed(1)}\n${trackLines(101)}`.split('\n').toSorted().join('\n');

    await expect(imported(text)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
    expect(scene().messages()).toEqual([]);
    expect((await imported(text, { isDry: true })).warnings).toMatchObject([{ count: 101 }]);
    expect(await imported(text, { untimed: true })).toMatchObject({ imported: 102, warnings: [{ count: 101 }] });
  });

  test('where they come later, the import stops there, and goes on once that is said', async () => {
    const text = `${Array.from({ length: 1_500 }, (_, n) => `${timed(n)}\n`).join('')}${trackLines(101)}`;

    await expect(imported(text)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
    expect((await scene().state()).counts.imported).toBeGreaterThanOrEqual(1_500);
    expect((await scene().state()).counts.imported).toBeLessThanOrEqual(1_600);

    expect(await imported(text, { untimed: true })).toMatchObject({ imported: 1_601, isDone: true });
    expect(
      new Set(
        scene()
          .messages()
          .map(({ messageId }) => messageId),
      ).size,
    ).toBe(1_601);
  });
});

describe('a source that no record has', () => {
  const records = [1, 2, 3].map((n) => ({ user_id: 'u', event: 'e', created_at: `2026-03-1${n}T12:00:00Z` }));
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');

  test('one of the time ends the import, as a column does that is not there', async () => {
    const misspelt = { type: 'track', map: { createdAt: 'timestamp' } } as const;

    await expect(imported(text, misspelt)).rejects.toMatchObject({
      code: 'COMMAND_INVALID',
      message: expect.stringMatching(/createdAt/) as string,
    });
    expect(scene().messages()).toEqual([]);
    expect(await imported(text, { ...misspelt, untimed: true })).toMatchObject({
      imported: 3,
      warnings: [
        { column: 'createdAt', message: 'is in no record', count: 3 },
        { column: 'createdAt', count: 3 },
      ],
    });
  });

  test('another is named in the result and in the preview', async () => {
    const map = { created_at: 'timestamp', 'e-mail': 'email', event: 'event' };
    const unused = { column: 'e-mail', message: 'is in no record', count: 3, examples: [] };

    expect((await imported(text, { type: 'track', map })).warnings).toEqual([unused]);
    expect((await previewed(text, { type: 'track', map })).warnings).toEqual([unused]);
  });
});

describe('what is asked for and has no effect', () => {
  test.each([
    ['delimiter', { delimiter: ';' }],
    ['types', { types: true }],
    ['json_columns', { json_columns: ['a'] }],
    ['columns', { columns: ['a'] }],
  ])('%s are refused for NDJSON, and the preview says so', async (name, csv) => {
    const saying = expect.stringMatching(new RegExp(name)) as string;

    await expect(imported(`${timed(1)}\n`, csv)).rejects.toMatchObject({
      code: 'COMMAND_INVALID',
      message: saying,
    });
    const preview = await previewed(`${timed(1)}\n`, csv);

    expect(preview).toMatchObject({ problem: saying, rows: [{ line: 1 }] });
  });
});

describe('the preview', () => {
  test('it says how many values of a column of dates are no dates to conditions', async () => {
    const rows = ['2026-11-18 03:40:15 UTC,n/a,1', '18/11/2026,Berlin,2', '"Nov 18, 2026",Paris,3', '2026-11-18,Rom,4'];
    const text = `user_id,timestamp,Signed up,City,N\n${rows.map((row) => `u,2026-01-01,${row}`).join('\n')}\n`;
    const { warnings } = await previewed(text, { type: 'identify' });

    expect(warnings).toMatchObject([
      { column: 'Signed up', count: 2, examples: [{ value: '18/11/2026' }, { value: 'Nov 18, 2026' }] },
    ]);
  });

  test('what is mended of an archive is named in the result', async () => {
    const call = { type: 'track', event: 'e', userId: 'u', timestamp: '2026-03-10T12:00:00Z', properties: [] };

    expect((await imported(`${JSON.stringify(call)}\n`, { preset: 'segment' })).warnings).toMatchObject([
      { column: '/properties', count: 1 },
    ]);
  });
});
