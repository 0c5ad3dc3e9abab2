/** Files that were uploaded to be imported: each in a folder of its own, which goes away after some days. */
import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Answer } from '../../../../schemas/operations.ts';
import { formatMs } from '../../../messages/timestamp.ts';
import { isFileId, uploadPath } from '../../../operations/import/import-request.ts';
import { ifMissing } from '../../../operations/import/source.ts';
import { lackOfRoom, STORE_RESERVE_BYTES } from '../../../runtime/free-space.ts';

export type UploadedFile = Answer<'GET /v1/admin/imports/files/{id}'>;

export interface UploadOptions {
  readonly maxBytes: number;
  /** How long a file stays that nobody uses. */
  readonly keptMs: number;
  /** How long the refused lines of an import stay that nobody resumes. */
  readonly reportsKeptMs: number;
  /** Whether the disk has room for this number of bytes. */
  readonly hasRoom: (folder: string, bytes: number) => boolean;
}

const DAY_MS = 86_400_000;
const SWEEP_EVERY_MS = 3_600_000;
const CHECK_EVERY_BYTES = 16 * 2 ** 20;

const OPTIONS: UploadOptions = {
  maxBytes: 64 * 2 ** 30,
  keptMs: 7 * DAY_MS,
  // As long as its job is known.
  reportsKeptMs: 30 * DAY_MS,
  hasRoom: (folder, bytes) => lackOfRoom(folder, STORE_RESERVE_BYTES + bytes) === undefined,
};

/** Why bytes are not kept. `cut-off`: the sender left; what has arrived stays. */
export type NotKept = 'no-such-file' | 'wrong-offset' | 'too-large' | 'no-room' | 'cut-off';

export class UploadedFiles {
  readonly folder: string;
  readonly #options: UploadOptions;
  readonly #sweeping: NodeJS.Timeout;

  /** @param folder The folder of all imports; made with the first file. */
  constructor(folder: string, options: Partial<UploadOptions> = {}) {
    this.folder = folder;
    this.#options = { ...OPTIONS, ...options };
    this.#sweeping = setInterval(() => void this.sweep(), SWEEP_EVERY_MS).unref();
  }

  get maxBytes(): number {
    return this.#options.maxBytes;
  }

  /** @param length Bytes to come; NaN where that is not known. */
  async create(name: string, body: Readable, length: number): Promise<UploadedFile | NotKept> {
    await this.sweep();
    const refusal = this.#refusalOf(length);
    if (refusal !== undefined) return refusal;
    const id = `file_${randomBytes(10).toString('hex')}`;
    await mkdir(join(this.folder, id), { recursive: true, mode: 0o700 });
    await writeFile(this.#namePath(id), name, { mode: 0o600 });
    await writeFile(uploadPath(this.folder, id), '', { mode: 0o600 });
    const failed = await this.#write(id, 0, body);
    // Its sender does not know the id.
    if (failed !== undefined) await this.remove(id);
    return failed ?? (await this.find(id)) ?? 'no-such-file';
  }

  /** Continues a file. What stands behind the offset is replaced; without one the body goes behind all of it. */
  async append(id: string, given: number | undefined, body: Readable, length: number): Promise<UploadedFile | NotKept> {
    const found = await this.find(id);
    if (found === undefined) return 'no-such-file';
    const offset = given ?? found.bytes;
    if (offset > found.bytes) return 'wrong-offset';
    const failed = this.#refusalOf(offset + (length || 0)) ?? (await this.#write(id, offset, body));
    return failed ?? (await this.find(id)) ?? 'no-such-file';
  }

  async find(id: string): Promise<UploadedFile | undefined> {
    if (!isFileId(id)) return undefined;
    const parts = Promise.all([readFile(this.#namePath(id), 'utf8'), stat(uploadPath(this.folder, id))]);
    const found = await parts.catch(ifMissing);
    if (found === undefined) return undefined;
    const [name, { size, mtimeMs }] = found;
    return { id, name, bytes: size, expires_at: formatMs(mtimeMs + this.#options.keptMs) };
  }

  /** It is used: the time that it stays begins anew. */
  async touch(id: string): Promise<void> {
    const now = new Date();
    await utimes(uploadPath(this.folder, id), now, now).catch(() => undefined);
  }

  /** @param id As `isFileId` has it. */
  async remove(id: string): Promise<void> {
    await rm(join(this.folder, id), { recursive: true, force: true });
  }

  /** Removes what nobody has used for long. */
  async sweep(nowMs = Date.now()): Promise<void> {
    const { keptMs, reportsKeptMs } = this.#options;
    for (const name of await readdir(this.folder).catch(() => [])) {
      const isUpload = isFileId(name);
      const stats: Stats | undefined = await stat(
        isUpload ? uploadPath(this.folder, name) : join(this.folder, name),
      ).catch(() => undefined);
      if (stats === undefined || nowMs - stats.mtimeMs < (isUpload ? keptMs : reportsKeptMs)) continue;
      await rm(join(this.folder, name), { recursive: true, force: true });
    }
  }

  close(): void {
    clearInterval(this.#sweeping);
  }

  #namePath(id: string): string {
    return join(this.folder, id, 'name');
  }

  #refusalOf(bytes: number): NotKept | undefined {
    if (bytes > this.#options.maxBytes) return 'too-large';
    return this.#options.hasRoom(this.folder, bytes || 0) ? undefined : 'no-room';
  }

  async #write(id: string, offset: number, body: Readable): Promise<NotKept | undefined> {
    // Appends: a write that a full disk cuts short goes on where it ended, or fails.
    await using file = await open(uploadPath(this.folder, id), constants.O_WRONLY | constants.O_APPEND);
    await file.truncate(offset);
    let [at, checkedAt] = [offset, offset];
    try {
      // The answer to what is refused needs the connection.
      for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (at + chunk.length > this.#options.maxBytes) return 'too-large';
        if (at - checkedAt >= CHECK_EVERY_BYTES) {
          if (!this.#options.hasRoom(this.folder, chunk.length)) return 'no-room';
          checkedAt = at;
        }
        await file.appendFile(chunk);
        at += chunk.length;
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EDQUOT') return 'no-room';
      if (body.destroyed) return 'cut-off';
      throw error;
    }
    return undefined;
  }
}
