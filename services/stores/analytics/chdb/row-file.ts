import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';

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
    const file = await open(path, 'wx+', 0o600);
    try {
      await unlink(path);
      let size = 0;
      for await (const chunk of chunks) {
        const bytes = chunk as Uint8Array;
        // At its place, so that the descriptor stays at the beginning: where `/dev/fd` duplicates it, chDB reads from there.
        for (let done = 0; done < bytes.length;) {
          const { bytesWritten } = await file.write(bytes, done, bytes.length - done, size + done);
          done += bytesWritten;
        }
        size += bytes.length;
      }
      return new RowFile(file, size);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get path(): string {
    return `/dev/fd/${this.#file.fd}`;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file.close();
  }
}
