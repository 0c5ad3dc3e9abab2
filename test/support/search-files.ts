/** Looks for bytes in every file of a folder, as they are and within what is compressed. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';

/** A file that has the bytes. */
export interface Hit {
  readonly file: string;
  readonly wanted: string;
  /** Within what the file has compressed. */
  readonly isCompressed: boolean;
}

const ZSTD_MAGIC = 0xfd_2f_b5_28;
/** A block of a column of ClickHouse: checksum of 16 bytes, method, size with this header, size of what it holds. */
const BLOCK_CHECKSUM_BYTES = 16;
const BLOCK_HEADER_BYTES = 9;
const METHOD = { none: 0x02, lz4: 0x82, zstd: 0x90 };

/** Searches every file below a folder, also one that goes away meanwhile: then it has no hits. */
export async function searchFiles(folder: string, wanted: Readonly<Record<string, Buffer | string>>): Promise<Hit[]> {
  const hits: Hit[] = [];
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    const unpacked = unpackedOf(entry.name, bytes);
    for (const [name, needle] of Object.entries(wanted)) {
      if (bytes.includes(needle)) hits.push({ file, wanted: name, isCompressed: false });
      if (unpacked.some((block) => block.includes(needle))) hits.push({ file, wanted: name, isCompressed: true });
    }
  }
  return hits;
}

function unpackedOf(name: string, bytes: Buffer): readonly Buffer[] {
  if (bytes.length > 4 && bytes.readUInt32LE(0) === ZSTD_MAGIC) return [zstdDecompressSync(bytes)];
  return name.endsWith('.bin') ? [Buffer.concat(blocksOf(bytes))] : [];
}

/** What the blocks of a file of ClickHouse hold, as far as they are ones. A value may lie in two of them. */
function blocksOf(bytes: Buffer): readonly Buffer[] {
  const blocks: Buffer[] = [];
  let at = BLOCK_CHECKSUM_BYTES;
  while (at + BLOCK_HEADER_BYTES <= bytes.length) {
    const [method, size, length] = [bytes[at], bytes.readUInt32LE(at + 1), bytes.readUInt32LE(at + 5)];
    if (size < BLOCK_HEADER_BYTES || at + size > bytes.length) break;
    const data = bytes.subarray(at + BLOCK_HEADER_BYTES, at + size);
    if (method === METHOD.lz4) blocks.push(lz4Block(data, length));
    else if (method === METHOD.zstd) blocks.push(zstdDecompressSync(data));
    else if (method === METHOD.none) blocks.push(data);
    at += size + BLOCK_CHECKSUM_BYTES;
  }
  return blocks;
}

/** A block of LZ4: literals and copies of what came before, in turn. */
export function lz4Block(data: Buffer, length: number): Buffer {
  const target = Buffer.alloc(length);
  let [at, to] = [0, 0];
  const more = (first: number): number => {
    let sum = first;
    if (first !== 15) return sum;
    for (let byte = 255; byte === 255; sum += byte) byte = data[at++] ?? 0;
    return sum;
  };
  while (at < data.length) {
    const token = data[at++] ?? 0;
    const literals = more(token >> 4);
    data.copy(target, to, at, at + literals);
    at += literals;
    to += literals;
    if (at >= data.length) break;
    const distance = data.readUInt16LE(at);
    at += 2;
    const end = to + more(token & 15) + 4;
    for (; to < end; to++) target[to] = target[to - distance] ?? 0;
  }
  return target;
}
