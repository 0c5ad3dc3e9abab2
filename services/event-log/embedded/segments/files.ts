/**
 * What the segments ask of the disk. All of it blocks. A test puts faults in between, or another disk in its place
 * (test/event-log/embedded/segments/simulated-disk.ts).
 */
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writevSync,
} from 'node:fs';
import { expectRoom, tryWriting } from '../../../runtime/free-space.ts';

export interface FileOperations {
  /** Makes a folder that only its owner may enter, and those above it, unless it exists. Returns the first that was made. */
  makeFolder(folder: string): string | undefined;
  /** The names in a folder, in any order. */
  names(folder: string): readonly string[];
  /** Opens a file: to read it; to write it too; or a new one, to write it. Returns its descriptor. */
  open(path: string, purpose: 'read' | 'write' | 'create'): number;
  close(descriptor: number): void;
  size(descriptor: number): number;
  /** Fills the memory from this position of the file on. Returns the number of bytes there: fewer only at the end. */
  read(descriptor: number, memory: Uint8Array, position: number): number;
  /** Writes all of them, one after the other, from this position on. @throws Error where the disk took only a part. */
  write(descriptor: number, pieces: readonly Uint8Array[], position: number): void;
  /** Returns once what was written is on the disk (`fdatasync`). */
  flush(descriptor: number): void;
  /** The same for the names of a folder, so that after a power cut a file that was created has its name. */
  flushFolder(folder: string): void;
  truncate(descriptor: number, length: number): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** @throws TidemarkError `LOG_UNAVAILABLE` where less than these bytes and the reserve are free. */
  expectRoom(folder: string, bytes: number): void;
  /** Writes this number of bytes into a new file and removes it. @throws Error where the disk does not take them. */
  tryWriting(path: string, bytes: number): void;
}

const FLAGS = { read: 'r', write: 'r+', create: 'wx+' } as const;

export const NODE_FILES: FileOperations = {
  makeFolder: (folder) => mkdirSync(folder, { recursive: true, mode: 0o700 }),
  names: (folder) => readdirSync(folder),
  open: (path, purpose) => openSync(path, FLAGS[purpose], 0o600),
  close: closeSync,
  size: (descriptor) => fstatSync(descriptor).size,
  read: (descriptor, memory, position) => {
    for (let read = 0; ;) {
      const more = readSync(descriptor, memory, read, memory.length - read, position + read);
      read += more;
      if (more === 0 || read === memory.length) return read;
    }
  },
  write: (descriptor, pieces, position) => {
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    const written = writevSync(descriptor, pieces, position);
    if (written < bytes) throw new Error(`the disk took ${written} of ${bytes} bytes`);
  },
  flush: fdatasyncSync,
  flushFolder: (folder) => {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  },
  truncate: ftruncateSync,
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
  expectRoom: (folder, bytes) => expectRoom(folder, 'LOG_UNAVAILABLE', bytes),
  tryWriting,
};
