import { basename } from 'node:path';
import type { Dice } from '../../../torture/dice.ts';
import type { FileOperations } from '../../../../services/event-log/embedded/segments/files.ts';

/** Nothing more happens on the disk: the process is dead. */
export class Death extends Error {}

interface SimulatedFile {
  /** What a process reads. */
  content: Buffer;
  /** What is on the disk for sure. */
  flushed: Buffer;
  /** What is done to the content since, and may or may not have reached the disk. */
  pending: FileChange[];
}

type FileChange = { readonly at: number; readonly bytes: Buffer } | { readonly length: number };
type NameChange = { readonly name: string; readonly file: SimulatedFile | undefined };

/** What happens to one of the operations that change the disk, counted from 1. */
export interface Fault {
  readonly operation: number;
  /** It fails, after half of it is done where it writes. Or the process dies before it. */
  readonly kind: 'EIO' | 'ENOSPC' | 'death';
}

/** Smaller than of a real disk, so that a small commit has several. */
const SECTOR_BYTES = 128;

/**
 * A disk with one folder, in memory. It forgets on a power cut what was not flushed, in part and in any order, and it can
 * be told which operation fails. After a flush that failed, a later one flushes nothing of what was written before.
 */
export class SimulatedDisk implements FileOperations {
  faults: readonly Fault[] = [];
  /** Operations that have changed the disk. */
  operations = 0;
  #names = new Map<string, SimulatedFile>();
  #flushedNames = new Map<string, SimulatedFile>();
  #pendingNames: NameChange[] = [];
  readonly #opened = new Map<number, SimulatedFile>();
  #lastDescriptor = 0;
  #isDead = false;

  /** The disk as another process finds it: what was not flushed is still in the memory of the system. */
  afterDeath(): SimulatedDisk {
    const disk = new SimulatedDisk();
    disk.#names = cloned(this.#names);
    disk.#flushedNames = new Map(disk.#names);
    return disk;
  }

  /** The disk as it is found after a power cut. @param dice Decide what had reached it. */
  afterPowerCut(dice: Dice): SimulatedDisk {
    const disk = new SimulatedDisk();
    const names = new Map(this.#flushedNames);
    for (const { name, file } of this.#pendingNames) if (dice.chance(0.5)) rename(names, name, file);
    const left = new Map([...names].map(([name, file]) => [name, remainsOf(file, dice)]));
    disk.#names = new Map([...left].map(([name, flushed]) => [name, { content: flushed, flushed, pending: [] }]));
    disk.#flushedNames = new Map(disk.#names);
    return disk;
  }

  /** The bytes of a file. */
  contentOf(name: string): Buffer {
    return Buffer.from(this.#existing(name).content);
  }

  /** Puts other bytes in place of a file's. */
  replace(name: string, content: Buffer): void {
    this.#names.set(name, { content, flushed: content, pending: [] });
  }

  makeFolder(): undefined {}

  names(): readonly string[] {
    return [...this.#names.keys()];
  }

  open(path: string, purpose: 'read' | 'write' | 'create'): number {
    this.#mustLive();
    const name = basename(path);
    if (purpose === 'create') {
      if (this.#names.has(name)) throw new Error(`EEXIST: ${name}`);
      this.#change();
      this.#setName(name, { content: Buffer.alloc(0), flushed: Buffer.alloc(0), pending: [] });
    }
    this.#opened.set(++this.#lastDescriptor, this.#existing(name));
    return this.#lastDescriptor;
  }

  close(descriptor: number): void {
    if (!this.#opened.delete(descriptor) && !this.#isDead) throw new Error('EBADF');
  }

  size(descriptor: number): number {
    return this.#file(descriptor).content.length;
  }

  read(descriptor: number, memory: Uint8Array, position: number): number {
    const bytes = this.#file(descriptor).content.subarray(position, position + memory.length);
    memory.set(bytes);
    return bytes.length;
  }

  write(descriptor: number, pieces: readonly Uint8Array[], position: number): void {
    const file = this.#file(descriptor);
    const bytes = Buffer.concat(pieces);
    this.#change(() => this.#write(file, bytes.subarray(0, bytes.length >>> 1), position));
    this.#write(file, bytes, position);
  }

  flush(descriptor: number): void {
    const file = this.#file(descriptor);
    this.#change((kind) => {
      if (kind !== 'death') file.pending = [];
    });
    for (const change of file.pending) file.flushed = changed(file.flushed, change);
    file.pending = [];
  }

  flushFolder(): void {
    this.#change();
    for (const { name, file } of this.#pendingNames) rename(this.#flushedNames, name, file);
    this.#pendingNames = [];
  }

  truncate(descriptor: number, length: number): void {
    const file = this.#file(descriptor);
    this.#change();
    file.content = changed(file.content, { length });
    file.pending.push({ length });
  }

  rename(from: string, to: string): void {
    this.#change();
    const file = this.#existing(basename(from));
    this.#setName(basename(to), file);
    this.#setName(basename(from), undefined);
  }

  remove(path: string): void {
    this.#change();
    if (this.#names.has(basename(path))) this.#setName(basename(path), undefined);
  }

  expectRoom(): void {}

  tryWriting(): void {
    this.#change();
  }

  /** Counts an operation, and lets it fail where it is to. @param failing What it has done by then. */
  #change(failing?: (kind: Fault['kind']) => void): void {
    this.#mustLive();
    this.operations++;
    const fault = this.faults.find(({ operation }) => operation === this.operations);
    if (fault === undefined) return;
    failing?.(fault.kind);
    if (fault.kind === 'death') {
      this.#isDead = true;
      throw new Death();
    }
    throw Object.assign(new Error(`${fault.kind}: simulated`), { code: fault.kind });
  }

  #mustLive(): void {
    if (this.#isDead) throw new Death();
  }

  #write(file: SimulatedFile, bytes: Buffer, at: number): void {
    file.content = changed(file.content, { at, bytes });
    file.pending.push({ at, bytes });
  }

  #setName(name: string, file: SimulatedFile | undefined): void {
    rename(this.#names, name, file);
    this.#pendingNames.push({ name, file });
  }

  #existing(name: string): SimulatedFile {
    const file = this.#names.get(name);
    if (file === undefined) throw Object.assign(new Error(`ENOENT: ${name}`), { code: 'ENOENT' });
    return file;
  }

  #file(descriptor: number): SimulatedFile {
    this.#mustLive();
    const file = this.#opened.get(descriptor);
    if (file === undefined) throw new Error('EBADF');
    return file;
  }
}

function rename(names: Map<string, SimulatedFile>, name: string, file: SimulatedFile | undefined): void {
  if (file === undefined) names.delete(name);
  else names.set(name, file);
}

function cloned(names: ReadonlyMap<string, SimulatedFile>): Map<string, SimulatedFile> {
  return new Map(
    [...names].map(([name, { content, flushed, pending }]) => [name, { content, flushed, pending: [...pending] }]),
  );
}

function changed(before: Buffer, change: FileChange): Buffer {
  if ('length' in change) {
    const after = Buffer.alloc(change.length);
    before.copy(after);
    return after;
  }
  const after = Buffer.alloc(Math.max(before.length, change.at + change.bytes.length));
  before.copy(after);
  change.bytes.copy(after, change.at);
  return after;
}

/** Some sectors of each change that was not flushed are on the disk. */
function remainsOf({ flushed, pending }: SimulatedFile, dice: Dice): Buffer {
  let remains = flushed;
  for (const change of pending) {
    if ('length' in change) {
      if (dice.chance(0.5)) remains = changed(remains, change);
      continue;
    }
    for (let at = 0; at < change.bytes.length; at += SECTOR_BYTES) {
      const bytes = change.bytes.subarray(at, at + SECTOR_BYTES);
      if (dice.chance(0.5)) remains = changed(remains, { at: change.at + at, bytes });
    }
  }
  return remains;
}
