/**
 * Preloaded into a program (`node --import`): it dies, as by kill -9, in the middle of its work on files. KILL_AT says where
 * it begins to count the operations that change the disk, KILL_AFTER at which of them it dies, from 1. A write is half
 * done by then.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { FRAME_HEADER_BYTES, FRAME_KIND, MAGIC_BYTES } from '../../../services/event-log/embedded/segments/frame.ts';

/** At the end of a segment, at an erasure, at the removal of a segment. */
export type KillPoint = 'seal' | 'erase' | 'cut';

type Operation =
  'mkdirSync' | 'openSync' | 'writevSync' | 'fdatasyncSync' | 'fsyncSync' | 'ftruncateSync' | 'renameSync' | 'rmSync';
type Call = (...args: unknown[]) => unknown;

const KIND_AT = 16;
const [point, killAfter] = [process.env['KILL_AT'] as KillPoint, Number(process.env['KILL_AFTER'])];
let counted = 0;

/** Whether the counting begins with this operation. */
const BEGINS: Readonly<Record<KillPoint, (name: Operation, args: readonly unknown[]) => boolean>> = {
  seal: (name, [, pieces]) => name === 'writevSync' && isIndex((pieces as readonly Buffer[])[0]),
  erase: (name, [path]) => name === 'openSync' && String(path).endsWith('redo.new'),
  cut: (name, [path]) => name === 'rmSync' && String(path).endsWith('.log'),
};

const operations = fs as unknown as Record<Operation, Call>;
for (const name of [
  'mkdirSync',
  'writevSync',
  'fdatasyncSync',
  'fsyncSync',
  'ftruncateSync',
  'renameSync',
  'rmSync',
] as const) {
  replace(name, () => true);
}
replace('openSync', ([, flags]) => flags === 'wx+');
syncBuiltinESMExports();

function replace(name: Operation, changesDisk: (args: readonly unknown[]) => boolean): void {
  const real = operations[name];
  operations[name] = (...args) => {
    if (changesDisk(args) && isLast(name, args)) {
      if (name === 'writevSync') writeHalf(real, args as [number, readonly Buffer[], number]);
      process.kill(process.pid, 'SIGKILL');
    }
    return real(...args);
  };
}

function isLast(name: Operation, args: readonly unknown[]): boolean {
  if (counted === 0 && !BEGINS[point](name, args)) return false;
  return ++counted === killAfter;
}

function isIndex(head: Buffer | undefined): boolean {
  if (head === undefined || head.length < FRAME_HEADER_BYTES || head.indexOf(MAGIC_BYTES) !== 0) return false;
  return head.readUInt32LE(KIND_AT) === FRAME_KIND.index;
}

function writeHalf(write: Call, [descriptor, pieces, position]: [number, readonly Buffer[], number]): void {
  const bytes = Buffer.concat(pieces);
  write(descriptor, [bytes.subarray(0, bytes.length >>> 1)], position);
}
