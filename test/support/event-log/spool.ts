import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { NewRecord } from '../../../services/event-log/event-log.ts';
import { lockFolder } from '../../../services/runtime/folder-lock.ts';
import { Spool, type SpoolOptions } from '../../../services/event-log/spool/spool.ts';

export function spooled(key: string, value: string): NewRecord {
  return { topic: 'tidemark.track', key: Buffer.from(key), value: Buffer.from(value) };
}

export function valuesOf(records: readonly Pick<NewRecord, 'value'>[]): string[] {
  return records.map(({ value }) => Buffer.from(value).toString());
}

/** Records of three keys in turn; their values count on from `from`. */
export function numbered(from: number, count: number): NewRecord[] {
  return Array.from({ length: count }, (_, i) => spooled(`key ${(from + i) % 3}`, String(from + i)));
}

/** As its process opens it; closed and let go when the test ends. */
export async function openSpool(folder: string, options: Partial<SpoolOptions> = {}): Promise<Spool> {
  const lock = lockFolder(folder);
  const spool = await Spool.open({ folder, maxBytes: 2 ** 20, ...options });
  onTestFinished(async () => {
    await spool.close();
    lock.release();
  });
  return spool;
}

/** The paths of the segments in a spool's folder, oldest first. */
export async function segmentsIn(folder: string): Promise<string[]> {
  const log = join(folder, 'log');
  const names = await readdir(log).catch(() => []);
  return names
    .filter((name) => name.endsWith('.log'))
    .toSorted()
    .map((name) => join(log, name));
}

/** The values that wait, oldest first. Takes them out. */
export async function takeAll(spool: Spool): Promise<string[]> {
  const values: string[] = [];
  for (let piece = await spool.read(); piece !== undefined; piece = await spool.read()) {
    values.push(...valuesOf(piece.records));
    await spool.forwarded(piece, { keep: false });
  }
  return values;
}

/** The values of each key in the order of their first coming: what readers make of a log, who drop repeats. */
export function firstsOf(records: readonly NewRecord[]): Readonly<Record<string, readonly string[]>> {
  const seen = new Map<string, Set<string>>();
  for (const { key, value } of records) {
    const name = Buffer.from(key).toString();
    seen.set(name, (seen.get(name) ?? new Set()).add(Buffer.from(value).toString()));
  }
  return Object.fromEntries([...seen].map(([name, values]) => [name, [...values]]));
}
