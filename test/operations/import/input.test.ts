import { open, writeFile } from 'node:fs/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { readInput } from '../../../services/operations/import/input.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Each line differs, so that what is packed is more than one chunk too.
const CONTENT = Buffer.from(
  Array.from({ length: 60_000 }, (_, at) => `${((at * 2654435761) % 2 ** 32).toString(36)} Zoë\n`).join(''),
);
const signal = new AbortController().signal;

async function fileOf(bytes: Buffer) {
  const path = `${await temporaryFolder()}/file`;
  await writeFile(path, bytes);
  const file = await open(path);
  onTestFinished(() => file.close());
  return file;
}

const PACKINGS: [string, (bytes: Buffer) => Buffer][] = [
  ['as it is', (bytes) => bytes],
  ['of gzip', gzipSync],
  ['of zstd', zstdCompressSync],
  ['of two members of gzip', (bytes) => Buffer.concat([gzipSync(bytes), gzipSync(bytes)])],
  ['of two frames of zstd', (bytes) => Buffer.concat([zstdCompressSync(bytes), zstdCompressSync(bytes)])],
];

test.each(PACKINGS)('a file %s may be left after any chunk, and read again', async (_what, pack) => {
  const file = await fileOf(pack(CONTENT));

  for (const encoding of [null, 'windows-1252']) {
    for (const chunks of [1, 2, 5]) {
      let left = chunks;
      for await (const _ of readInput(file, { read: { bytes: 0 }, encoding, signal })) if (--left === 0) break;
      expect(left).toBe(0);
    }
  }
  const read: Buffer[] = [];
  for await (const chunk of readInput(file, { read: { bytes: 0 }, encoding: null, signal })) read.push(chunk);

  expect(Buffer.concat(read).subarray(0, CONTENT.length).equals(CONTENT)).toBe(true);
});
