import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { importScene, trackLine, trackLines } from '../../support/service/importing.ts';

const scene = importScene();

/** Files below the folder of the scene, by their paths. */
async function write(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = join(scene().folder, 'export');
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

/** A hundred lines that hardly pack, as some programs write a frame for each of their writes. */
function frameOf(frame: number): Buffer {
  const lines = [...Array(100).keys()].map((n) =>
    trackLine(frame * 100 + n).replace('Paid', randomBytes(60).toString('hex')),
  );
  return zstdCompressSync(`${lines.join('\n')}\n`);
}

function keptIds(): string[] {
  return scene()
    .messages()
    .map(({ messageId }) => messageId);
}

describe('a file that is packed or in another encoding', () => {
  test.each([
    ['zstd', zstdCompressSync(trackLines(3_000))],
    [
      'zstd of several frames',
      Buffer.concat([zstdCompressSync(trackLines(2_000)), zstdCompressSync(trackLines(1_000))]),
    ],
    ['zstd of as many frames as make several reads', Buffer.concat([...Array(30).keys()].map(frameOf))],
    ['gzip', gzipSync(trackLines(3_000))],
  ])('a file is unpacked from %s, whatever its name', async (_, bytes) => {
    await writeFile(scene().path, bytes);

    expect(await scene().run()).toMatchObject({ imported: 3_000, refused: 0, bytesRead: bytes.length });
  });

  test('zstd that is cut off fails with IMPORT_UNREADABLE after what came before was imported', async () => {
    const bytes = zstdCompressSync(Buffer.from(trackLines(20_000)));
    await writeFile(scene().path, bytes.subarray(0, bytes.length - 200));

    await expect(scene().run()).rejects.toMatchObject({ code: 'IMPORT_UNREADABLE' });
    expect((await scene().state()).counts.imported).toBeGreaterThan(0);
  });

  test.each([
    ['utf-16le', Buffer.from(`\uFEFFuser_id,event\nadä,Paid\n`, 'utf16le')],
    ['windows-1252', Buffer.from('user_id,event\nad\u00e4,Paid\n', 'latin1')],
  ])('a file in %s is read where that is said', async (encoding, bytes) => {
    await writeFile(scene().path, bytes);

    expect(await scene().run({ type: 'track', encoding })).toMatchObject({ imported: 1, refused: 0 });
    expect(scene().messages()).toMatchObject([{ userId: 'adä' }]);
  });

  test('a file that is not in the encoding that was said is IMPORT_UNREADABLE', async () => {
    await writeFile(scene().path, Buffer.from('ff', 'hex'));

    await expect(scene().run({ encoding: 'utf-16le' })).rejects.toMatchObject({ code: 'IMPORT_UNREADABLE' });
  });
});

describe('several files', () => {
  test('all files of a folder are one import, in the order of their paths, whatever each holds', async () => {
    const folder = await write({
      'b/2.csv': 'type,user_id,event\ntrack,ada,Second\n',
      'a/1.ndjson.gz': gzipSync('{"type":"track","user_id":"ada","event":"First"}\n'),
      'c.ndjson.zst': zstdCompressSync('{"type":"track","user_id":"ada","event":"Third"}\n'),
      '.hidden': 'x',
      'a/1.ndjson.gz.refused.ndjson': '{"line":1}',
    });

    const result = await scene().run({ sources: [{ path: folder }] });

    expect(result).toMatchObject({ imported: 3, refused: 0, lines: 4, isDone: true });
    expect(result.bytesRead).toBe(result.bytes);
    const messages = scene().messages();
    expect(messages.map((message) => message.type === 'track' && message.event)).toEqual(['First', 'Second', 'Third']);
    expect(messages.every(({ receivedAt }, n) => n === 0 || receivedAt > (messages[n - 1]?.receivedAt ?? 0n))).toBe(
      true,
    );
  });

  test('a refused line is named with its file, and so is a file that cannot be read', async () => {
    const folder = await write({ '1.ndjson': `${trackLine(1)}\n{}\n`, '2.ndjson': '{}\n' });

    await scene().run({ sources: [{ path: folder }] });

    expect((await scene().reported()).map(({ file, line }) => [file, line])).toEqual([
      ['export/1.ndjson', 2],
      ['export/2.ndjson', 1],
    ]);
    await write({ '3.parquet': Buffer.from('PAR1\x15\x04\x15\r\x00', 'latin1') });
    await expect(scene().run({ sources: [{ path: folder }], restart: true })).rejects.toMatchObject({
      code: 'COMMAND_INVALID',
      message: expect.stringMatching(/^export\/3\.parquet: .*Parquet/) as string,
    });
  });

  test('an import of several files that was ended goes on in the file and at the line where it was', async () => {
    const folder = await write({
      '1.ndjson': trackLines(1_000),
      '2.ndjson': trackLines(2_000),
      '3.ndjson': trackLines(500),
    });
    const sources = [{ path: folder }];
    const first = await scene().runPartly({ sources }, 1_500);

    const second = await scene().run({ sources });

    expect(first.isDone).toBe(false);
    expect(first.lines).toBeGreaterThan(1_000);
    expect(second).toMatchObject({ imported: 3_500, isDone: true, resumedAtLine: first.lines, lines: 3_500 });
    expect(scene().messages()).toHaveLength(3_500);
  });

  test('an import of several files does not go on where one was added or has another size', async () => {
    const folder = await write({ '1.ndjson': trackLines(1_000), '2.ndjson': trackLines(1_000) });
    const sources = [{ path: folder }];
    await scene().runPartly({ sources });

    await write({ '3.ndjson': trackLine(1) });
    await expect(scene().run({ sources })).rejects.toMatchObject({ code: 'IMPORT_CHANGED' });
    await rm(join(folder, '3.ndjson'));
    await write({ '2.ndjson': trackLines(999) });
    await expect(scene().run({ sources })).rejects.toMatchObject({ code: 'IMPORT_CHANGED' });
  });

  test('lines without an id have the same in every import of their file, alone or among others', async () => {
    const folder = await write({ '1.ndjson': trackLines(3), '2.ndjson': trackLines(4) });

    await scene().run({ sources: [{ path: folder }] });
    const together = keptIds();
    await scene().run({ sources: [{ path: join(folder, '2.ndjson') }], restart: true });

    expect(new Set(together).size).toBe(7);
    expect(keptIds().slice(7)).toEqual(together.slice(3));
  });

  test('with an id of the import, the same lines of two files are two messages', async () => {
    const folder = await write({ '1.ndjson': trackLines(3), '2.ndjson': trackLines(3) });

    await scene().run({ sources: [{ path: folder }], import_id: 'mine' });

    expect(new Set(keptIds()).size).toBe(6);
  });

  test('with an id of the import, files of one name in two folders are two files', async () => {
    const folder = await write({ '2025/1.ndjson': trackLines(3), '2026/1.ndjson': trackLines(3) });
    const sources = ['2025', '2026'].map((year) => ({ path: join(folder, year, '1.ndjson') }));

    await scene().run({ sources, import_id: 'mine' });

    expect(new Set(keptIds()).size).toBe(6);
  });
});

describe('what was refused', () => {
  test('the result says by column how many values were refused and why, with three examples', async () => {
    const rows = ['ada,Paid,01/02/2020', ...[1, 2, 3, 4].map((n) => `,Paid,2020-01-0${n}`), 'bob,Paid'];
    await writeFile(scene().path, `Who,event,When\n${rows.join('\n')}\n`);
    const map = { Who: 'user_id', When: 'timestamp' };

    const { refusals } = await scene().run({ type: 'track', map, isDry: true });

    expect(refusals).toEqual([
      {
        column: 'Who',
        message: 'is missing',
        count: 4,
        examples: [3, 4, 5].map((line) => ({ file: 'history', line, value: null })),
      },
      {
        column: 'When',
        message: expect.stringContaining('day before month') as string,
        count: 1,
        examples: [{ file: 'history', line: 2, value: '01/02/2020' }],
      },
      {
        column: null,
        message: 'has 2 fields where the header has 3',
        count: 1,
        examples: [{ file: 'history', line: 7, value: 'bob,Paid' }],
      },
    ]);
    expect((await scene().reported())[1]).toMatchObject({ line: 3, errors: [{ path: '/user_id', column: 'Who' }] });
  });

  test('however many reasons there are, a hundred are told apart', async () => {
    const lines = Array.from(
      { length: 300 },
      (_, n) => `{"type":"track","user_id":"a","event":"e","x${n}":1,"y${n}":{"a":1}}`,
    );
    await writeFile(scene().path, lines.join('\n'));
    const map = Object.fromEntries([...Array(300).keys()].map((n) => [`x${n}`, `properties.y${n}`]));

    const { refusals, refused } = await scene().run({ map, isDry: true });

    expect(refused).toBe(300);
    expect(refusals).toHaveLength(101);
    expect(refusals[0]).toMatchObject({ column: null, count: 200 });
  });
});
