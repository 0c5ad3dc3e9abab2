import { rmSync } from 'node:fs';
import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type UploadedFile,
  UploadedFiles,
  type UploadOptions,
} from '../../../../services/api/admin/imports/uploaded-files.ts';
import { SmallDisk } from '../../../torture/disks/small-disk.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const DAY_MS = 86_400_000;

async function filesWith(options: Partial<UploadOptions> = {}): Promise<UploadedFiles> {
  const files = new UploadedFiles(join(await temporaryFolder(), 'imports'), options);
  onTestFinished(() => files.close());
  return files;
}

async function created(files: UploadedFiles, text: string): Promise<UploadedFile> {
  const file = await files.create('a.csv', Readable.from([Buffer.from(text)]), text.length);
  if (typeof file === 'string') throw new Error(file);
  return file;
}

function bodyOf(...texts: string[]): Readable {
  return Readable.from(texts.map((text) => Buffer.from(text)));
}

const dataOf = ({ folder }: UploadedFiles, id: string): Promise<string> => readFile(join(folder, id, 'data'), 'utf8');

describe('uploaded files', () => {
  test('a file is put together from its parts, and only its owner can read it', async () => {
    const files = await filesWith();

    const { id } = await created(files, 'one\n');
    const second = await files.append(id, 4, bodyOf('tw', 'o\n'), Number.NaN);

    expect(second).toMatchObject({ id, name: 'a.csv', bytes: 8 });
    expect(await dataOf(files, id)).toBe('one\ntwo\n');
    expect((await stat(join(files.folder, id))).mode & 0o077).toBe(0);
  });

  test('a part that is sent again replaces what had arrived of it', async () => {
    const files = await filesWith();
    const { id } = await created(files, 'one\ntw');

    await files.append(id, 4, bodyOf('two\n'), 4);

    expect(await dataOf(files, id)).toBe('one\ntwo\n');
  });

  test('a part behind the end of the file is refused, and one of a file that is not there', async () => {
    const files = await filesWith();
    const { id } = await created(files, 'one\n');

    expect(await files.append(id, 5, bodyOf('two\n'), 4)).toBe('wrong-offset');
    expect(await files.append(`file_${'0'.repeat(20)}`, 0, bodyOf('x'), 1)).toBe('no-such-file');
    expect(await files.append('../../..', 0, bodyOf('x'), 1)).toBe('no-such-file');
  });

  test('a file that is too large is refused by its length, or once it has become so, and nothing of it stays', async () => {
    const files = await filesWith({ maxBytes: 8 });

    expect(await files.create('a', bodyOf('123456789'), 9)).toBe('too-large');
    expect(await files.create('a', bodyOf('12345', '6789'), Number.NaN)).toBe('too-large');
    const { id } = await created(files, '12345');
    expect(await files.append(id, 5, bodyOf('6789'), 4)).toBe('too-large');
    expect(await files.find(id)).toMatchObject({ bytes: 5 });
  });

  test('a file for which the disk has no room is refused before it is written, and while it is', async () => {
    let room = 0;
    const files = await filesWith({ hasRoom: (_, bytes) => bytes <= room });

    expect(await files.create('a', bodyOf('123'), 3)).toBe('no-room');
    room = 2 ** 22;
    const large = Buffer.alloc(2 ** 20);
    const body = Readable.from(
      (function* () {
        for (let sent = 0; sent < 40; sent++) {
          if (sent === 20) room = -1;
          yield large;
        }
      })(),
    );
    expect(await files.create('a', body, Number.NaN)).toBe('no-room');
  });

  test.runIf(SmallDisk.canMount)('a chunk that a full disk cuts short is never followed by the next one', async () => {
    const disk = await SmallDisk.mount(join(await temporaryFolder(), 'disk'), 18);
    onTestFinished(() => disk.unmount());
    const ballast = join(disk.folder, 'ballast');
    await writeFile(ballast, Buffer.alloc(2 ** 20));
    // Asked ahead of the file, and between two chunks: the disk has room again before the second is written.
    let asked = 0;
    const hasRoom = (): boolean => {
      if (asked++ > 0) rmSync(ballast);
      return true;
    };
    const files = new UploadedFiles(disk.folder, { hasRoom });
    onTestFinished(() => files.close());
    const body = Readable.from([Buffer.alloc(18 * 2 ** 20, 'a'), Buffer.from('b')]);

    expect(await files.create('a', body, Number.NaN)).toBe('no-room');
  });

  test('what arrived before the sender left stays, so that it can continue', async () => {
    const files = await filesWith();
    const { id } = await created(files, '');
    const body = Readable.from(
      (function* () {
        yield Buffer.from('one\n');
        throw new Error('aborted');
      })(),
    );

    expect(await files.append(id, 0, body, Number.NaN)).toBe('cut-off');
    expect(await dataOf(files, id)).toBe('one\n');
  });

  test('files that nobody has used for a week go away, and reports after a month', async () => {
    const files = await filesWith();
    const [used, unused] = [await created(files, 'a'), await created(files, 'b')];
    const report = join(files.folder, 'imp_1');
    await mkdir(report);
    await writeFile(join(report, 'refused.ndjson'), '');
    const old = new Date(Date.now() - 8 * DAY_MS);
    for (const { id } of [used, unused]) await utimes(join(files.folder, id, 'data'), old, old);
    await files.touch(used.id);

    await files.sweep();

    expect(await files.find(used.id)).toBeDefined();
    expect(await files.find(unused.id)).toBeUndefined();
    await files.sweep(Date.now() + 29 * DAY_MS);
    expect(await stat(report)).toBeDefined();
    await files.sweep(Date.now() + 31 * DAY_MS);
    await expect(stat(report)).rejects.toThrow('ENOENT');
  });
});
