import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { noSpace } from './part-guard.ts';

/**
 * Rows in a file that has no name any more, so that nothing is left behind by a process that is killed: chDB reads it by
 * the number of its descriptor. It seldom reaches the disk, which is written to after some seconds.
 *
 * chDB takes an insert from a file in two thirds of the time that chdb's `session.insert` takes for the same text, and
 * takes binary formats from nowhere else (chdb 3.4).
 */
export class RowFile implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly size: number;

  private constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.size = size;
  }

  static async write(folder: string, chunks: AsyncIterable<unknown>): Promise<RowFile> {
    const path = `${folder}/${randomUUID()}.rows`;
    await using opened = new AsyncDisposableStack();
    const file = opened.use(await open(path, 'wx+', 0o600));
    await unlink(path);
    const pieces: Uint8Array[] = [];
    for await (const chunk of chunks) pieces.push(chunk as Uint8Array);
    const size = pieces.reduce((sum, { length }) => sum + length, 0);
    // All of them by one call: each call waits for its turn of a busy thread. At the beginning of the file, so that the
    // descriptor stays there: where `/dev/fd` duplicates it, chDB reads from there.
    const { bytesWritten } = await file.writev(pieces, 0);
    if (bytesWritten < size) throw noSpace('not all rows could be written to a file');
    opened.move();
    return new RowFile(file, size);
  }

  get path(): string {
    return `/dev/fd/${this.#file.fd}`;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file.close();
  }
}
