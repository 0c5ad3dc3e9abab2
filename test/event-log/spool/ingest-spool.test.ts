import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Registry } from 'prom-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lockFolder } from '../../../services/runtime/folder-lock.ts';
import { lockIfFree } from '../../../services/event-log/spool/folders.ts';
import { IngestSpool, type IngestSpoolOptions } from '../../../services/event-log/spool/ingest-spool.ts';
import { Spool } from '../../../services/event-log/spool/spool.ts';
import { until } from '../../support/event-log/event-log.ts';
import { FaultyLog } from '../../support/event-log/faulty-log.ts';
import { numbered, segmentsIn, spooled, valuesOf } from '../../support/event-log/spool.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Door {
  readonly log: FaultyLog;
  readonly spool: IngestSpool;
  readonly registry: Registry;
  readonly said: { readonly level: string; readonly message: string }[];
}

/** What an ingest process has of the spool. */
async function open(dir: string, options: Partial<IngestSpoolOptions> = {}): Promise<Door> {
  const log = new FaultyLog();
  const registry = new Registry();
  const said: Door['said'] = [];
  const say =
    (level: string) =>
    (...args: unknown[]): void =>
      void said.push({ level, message: String(args.at(-1)) });
  const logger = { info: say('info'), warn: say('warn'), error: say('error') };
  const spool = await IngestSpool.open({
    dir,
    maxBytes: 2 ** 20,
    log,
    registry,
    logger,
    recoverEveryMs: 20,
    ...options,
  });
  onTestFinished(() => spool.close());
  return { log, spool, registry, said };
}

/** As a process that was killed leaves its folder: until then it has it, unless somebody else does here. */
async function leave(
  dir: string,
  folder: string,
  records: readonly (readonly ReturnType<typeof spooled>[])[],
): Promise<string> {
  const path = join(dir, folder);
  await mkdir(path, { recursive: true });
  const lock = lockIfFree(path);
  const left = await Spool.open({ folder: path, maxBytes: 2 ** 20, segmentBytes: 1 });
  for (const some of records) await left.append(some);
  await left.close();
  lock?.release();
  return path;
}

/** The names of what was kept aside in a folder. */
async function keptIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.kept')).toSorted();
}

describe('the spool of a process', () => {
  test('each process has a folder of its own', async () => {
    const dir = join(await temporaryFolder(), 'spool');
    const doors = [await open(dir), await open(dir), await open(dir)];
    for (const { log } of doors) log.unreachable = true;

    for (const [i, { spool }] of doors.entries()) await spool.log.append(numbered(i, 1));

    for (const folder of ['1', '2', '3']) expect(await segmentsIn(join(dir, folder))).toHaveLength(1);
    for (const { log } of doors) log.unreachable = false;
    await until(() => doors.every(({ spool }) => spool.state === 'empty'));
    expect(doors.map(({ log }) => valuesOf(log.records))).toEqual([['0'], ['1'], ['2']]);
  });

  test('a process takes over the folder of the one before it, and continues where that ended', async () => {
    const dir = await temporaryFolder();
    const before = await open(dir);
    before.log.unreachable = true;
    await before.spool.log.append(numbered(0, 2));
    await before.spool.close();

    const { log, spool } = await open(dir);
    await spool.log.append(numbered(2, 1));
    await until(() => spool.state === 'empty');

    expect(valuesOf(log.records)).toEqual(['0', '1', '2']);
  });

  test('the spools of ended processes are forwarded as soon as their folders are unlocked', async () => {
    const dir = await temporaryFolder();
    const { log, spool } = await open(dir);
    const lock = lockFolder(join(dir, '7'));
    const path = await leave(dir, '7', [numbered(0, 3), numbered(3, 2)]);
    const other = await leave(dir, '9', [numbered(5, 1)]);
    await until(() => log.records.length === 1);
    expect(await segmentsIn(path)).toHaveLength(2);

    lock.release();
    await until(() => log.records.length === 6);

    await until(async () => (await segmentsIn(path)).length + (await segmentsIn(other)).length === 0);
    expect(valuesOf(log.records)).toEqual(['5', '0', '1', '2', '3', '4']);
    expect(spool.state).toBe('empty');
  });

  test('a folder with other files is logged once, and tried again', async () => {
    const dir = await temporaryFolder();
    const lock = lockFolder(join(dir, '7'));
    const path = await leave(dir, '7', [numbered(1, 1)]);
    await writeFile(join(path, 'notes.txt'), 'mine');
    lock.release();
    const { log, said } = await open(dir);
    await leave(dir, '8', [numbered(0, 1)]);
    await until(() => said.some(({ level }) => level === 'error'));
    await until(() => log.records.length === 1);

    await rm(join(path, 'notes.txt'));
    await until(() => log.records.length === 2);

    expect(valuesOf(log.records)).toEqual(['0', '1']);
    expect(said.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  test('a damaged segment is kept aside and logged, and the messages that are whole are forwarded', async () => {
    const dir = await temporaryFolder();
    const path = await leave(dir, '1', [numbered(0, 3), numbered(3, 1), numbered(4, 2)]);
    const [, file = ''] = await segmentsIn(path);
    const bytes = await readFile(file);
    bytes[bytes.indexOf('tidemark.track')]! ^= 1;
    await writeFile(file, bytes);

    const { log, spool, said, registry } = await open(dir);
    await until(() => spool.state === 'empty');

    expect(valuesOf(log.records)).toEqual(['0', '1', '2', '4', '5']);
    expect(await keptIn(path)).toContain(`${basename(file)}.kept`);
    expect(await readFile(join(path, `${basename(file)}.kept`))).toEqual(bytes);
    expect(said.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(await registry.metrics()).toMatch(/^tidemark_spool_kept_aside_total 1$/m);
  });

  test('damage of all that waits is logged and kept aside, and the spool takes messages again', async () => {
    const dir = await temporaryFolder();
    const path = await leave(dir, '1', [numbered(0, 1), numbered(1, 1)]);
    for (const file of await segmentsIn(path)) {
      const bytes = await readFile(file);
      bytes[bytes.indexOf('tidemark.track')]! ^= 1;
      await writeFile(file, bytes);
    }

    const { log, spool, said } = await open(dir);
    await until(() => spool.state === 'empty');
    log.unreachable = true;

    expect(await spool.log.append(numbered(2, 1))).toBeNull();
    expect([log.records, (await keptIn(path)).length]).toEqual([[], 2]);
    expect(said.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  test('a spool whose end is lost is left as it is and logged, and another folder is taken', async () => {
    const dir = await temporaryFolder();
    const path = await leave(dir, '1', [numbered(0, 1), numbered(1, 1)]);
    await rm((await segmentsIn(path))[1]!);
    const left = await segmentsIn(path);

    const { log, spool, said } = await open(dir);
    log.unreachable = true;
    await spool.log.append(numbered(2, 1));

    expect([left.length, await segmentsIn(path)]).toEqual([1, left]);
    expect(await segmentsIn(join(dir, '2'))).toHaveLength(1);
    expect(said.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  test('a missing segment is logged, and forwarding continues', async () => {
    const dir = await temporaryFolder();
    const { log, spool, said } = await open(dir, { segmentBytes: 1 });
    log.unreachable = true;
    for (let i = 2; i < 5; i++) await spool.log.append(numbered(i, 1));
    await rm((await segmentsIn(join(dir, '1')))[1]!);

    log.unreachable = false;
    await until(() => spool.state === 'empty');

    expect(valuesOf(log.records)).toEqual(['2', '4']);
    expect(said.some(({ level }) => level === 'error')).toBe(true);
    log.unreachable = true;
    expect(await spool.log.append(numbered(5, 1))).toBeNull();
  });

  test('a message that the log does not accept is kept aside, and the others are forwarded', async () => {
    const dir = await temporaryFolder();
    await leave(dir, '1', [numbered(0, 5)]);
    const log = new (class extends FaultyLog {
      override append(records: Parameters<FaultyLog['append']>[0]): ReturnType<FaultyLog['append']> {
        if (valuesOf(records).includes('2')) return Promise.reject(new RangeError('too large, as ordered'));
        return super.append(records);
      }
    })();

    const { spool, said } = await open(dir, { log });
    await until(() => spool.state === 'empty');

    expect(valuesOf(log.records)).toEqual(['0', '1', '3', '4']);
    expect(await keptIn(join(dir, '1'))).toHaveLength(1);
    expect(said.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  test.each(['notes.txt', '1/notes.txt'])('a folder with %s is refused', async (name) => {
    const dir = await temporaryFolder();
    await mkdir(join(dir, '1'));
    await writeFile(join(dir, name), 'mine');

    await expect(open(dir)).rejects.toMatchObject({ code: 'SPOOL_FOREIGN' });
    expect(await readFile(join(dir, name), 'utf8')).toBe('mine');
    // And nobody keeps the folder.
    lockFolder(join(dir, '1')).release();
  });

  test.each(['1', '2'])('messages of version 0.2 in folder %s are refused, and left as they are', async (name) => {
    const dir = await temporaryFolder();
    const segment = join(dir, name, '0000000000000001.spool');
    await mkdir(join(dir, name));
    await writeFile(segment, 'messages');

    await expect(open(dir)).rejects.toMatchObject({
      code: 'SPOOL_FOREIGN',
      message: expect.stringContaining('start version 0.3.0 once on it, then this version'),
    });

    expect(await readFile(segment, 'utf8')).toBe('messages');
    lockFolder(join(dir, name)).release();
  });

  test('a spool whose folder cannot be created is refused', async () => {
    const dir = join(await temporaryFolder(), 'file');
    await writeFile(dir, '');

    await expect(open(dir)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('metrics show how much waits, for how long, and what was forwarded', async () => {
    const { log, spool, registry } = await open(await temporaryFolder(), { maxBytes: 2_000 });
    log.unreachable = true;
    await spool.log.append(numbered(0, 2));
    await spool.log.append([spooled('k', 'x'.repeat(2_000))]).catch(() => undefined);

    const figures = async (): Promise<Record<string, number>> => {
      const metrics = await registry.getMetricsAsJSON();
      return Object.fromEntries(metrics.map(({ name, values }) => [name, values[0]?.value ?? NaN]));
    };
    // The age of what was spooled in this very millisecond is 0.
    await expect.poll(async () => (await figures())['tidemark_spool_oldest_seconds']).toBeGreaterThan(0);
    const waiting = await figures();
    log.unreachable = false;
    await until(() => spool.state === 'empty');

    expect(waiting).toMatchObject({
      tidemark_spool_messages: 2,
      tidemark_spool_spooled_total: 2,
      tidemark_spool_forwarded_total: 0,
      tidemark_spool_full_total: 1,
    });
    expect(waiting['tidemark_spool_bytes']).toBeGreaterThan(50);
    expect(await figures()).toMatchObject({
      tidemark_spool_messages: 0,
      tidemark_spool_oldest_seconds: 0,
      tidemark_spool_forwarded_total: 2,
    });
  });
});
