import { writeFile } from 'node:fs/promises';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { importScene, trackLine } from '../../support/service/importing.ts';

const scene = importScene();

/** A zip whose first file has this name, as far as an import looks. */
function zipOf(name: string): Buffer {
  const head = Buffer.alloc(30);
  head.write('PK\x03\x04');
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, Buffer.from(name), Buffer.from([0x78, 0x9c, 0x0d, 0x0a, 0, 1])]);
}

const TEXT = `${trackLine(1)}\n`;

describe('a file that is not what it is called', () => {
  test.each([
    { what: 'a workbook', bytes: zipOf('[Content_Types].xml'), says: /Excel \(\.xlsx\).*CSV in UTF-8/ },
    { what: 'a ZIP archive', bytes: zipOf('history.csv'), says: /ZIP archive.*Unpack/ },
    { what: 'an old workbook', bytes: Buffer.from('d0cf11e0a1b11ae100000000', 'hex'), says: /\.xls/ },
    { what: 'Parquet', bytes: Buffer.from('PAR1\x15\x04\x15\r\x00', 'latin1'), says: /Parquet/ },
    { what: 'Avro', bytes: Buffer.from('Obj\x01\x04\x14avro', 'latin1'), says: /Avro/ },
    { what: 'zstd of zstd', bytes: zstdCompressSync(zstdCompressSync(TEXT)), says: /zstd.*Unpack/ },
    { what: 'gzip of gzip', bytes: gzipSync(gzipSync(TEXT)), says: /twice/ },
    { what: 'UTF-16', bytes: Buffer.from(`\uFEFF${TEXT}`, 'utf16le'), says: /UTF-16/ },
    { what: 'UTF-16 that does not say so', bytes: Buffer.from(TEXT, 'utf16le'), says: /zero bytes/ },
    { what: 'a page', bytes: Buffer.from('\n <!DOCTYPE html><html><body>Sign in</body></html>'), says: /HTML/ },
    { what: 'XML', bytes: Buffer.from('<?xml version="1.0"?><rows/>'), says: /XML/ },
    { what: 'brotli', bytes: brotliCompressSync(TEXT.repeat(50)), says: /neither a message.*UTF-8/ },
  ])('$what is refused, and named, whatever format is asked for', async ({ bytes, says }) => {
    await writeFile(scene().path, bytes);

    for (const format of [null, 'csv'] as const)
      await expect(scene().run({ format })).rejects.toMatchObject({
        code: 'COMMAND_INVALID',
        message: expect.stringMatching(says) as string,
      });
    expect(scene().messages()).toEqual([]);
    await expect(scene().state()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each([
    { header: 'email,plan', type: 'identify', lacks: /user_id/ },
    { header: 'user_id,event', type: null, lacks: /no type is given/ },
    { header: 'user_id,plan', type: 'track', lacks: /there is no event/ },
    { header: '<p>The file has moved.</p>', type: 'track', lacks: /user_id.*there is no event/ },
  ] as const)('a header ($header) whose rows would all be refused is refused at once', async (given) => {
    await writeFile(scene().path, `${given.header}\n${'a,b\n'.repeat(3)}`);

    for (const isDry of [true, false])
      await expect(scene().run({ type: given.type, isDry })).rejects.toMatchObject({
        code: 'COMMAND_INVALID',
        message: expect.stringMatching(given.lacks) as string,
      });
    expect(scene().messages()).toEqual([]);
    await expect(scene().state()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each([
    ['a name that is mapped', 'Email,event', { Email: 'user_id' }],
    ['a column for the type', 'userId,type,event', {}],
  ])('a header with %s is good', async (_, header, map) => {
    await writeFile(scene().path, `${header}\nada,track,Paid\n`.replace(/^Email.*\n.*\n/, `${header}\nada,Paid\n`));

    expect(await scene().run({ type: 'track', map })).toMatchObject({ imported: 1, refused: 0 });
  });

  test.each([
    ['a header alone', 'user_id,type,event\n'],
    ['blank lines', '\n \r\n\n'],
    ['a byte order mark', '\uFEFF'],
  ])('a file that holds no record, but %s, is refused', async (_, content) => {
    await writeFile(scene().path, content);

    await expect(scene().run()).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  });

  test.each([
    ['an empty file', Buffer.alloc(0)],
    ['an empty file that is packed', gzipSync('')],
  ])('%s is imported, as nothing', async (_, content) => {
    await writeFile(scene().path, content);

    expect(await scene().run()).toMatchObject({ imported: 0, refused: 0, isDone: true });
  });
});
