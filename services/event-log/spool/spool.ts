import { copyFile, link, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Limits } from '../embedded/segments/chunk.ts';
import type { LogRecord, NewRecord } from '../event-log.ts';
import { FORWARDED, LOG, spoolNames } from './folders.ts';
import { loadSpoolLogs, type SpoolLog, type SpoolLogs, spooledRecord, storedRecord } from './open.ts';

export interface SpoolOptions {
  /** Locked by the caller while the spool is open. */
  readonly folder: string;
  /** When this much is on disk, appends are refused. */
  readonly maxBytes: number;
  /** A segment of the log of this size is complete. */
  readonly segmentBytes?: number;
}

/** `full` and `failed`: no append is possible now. */
export type SpoolState = 'empty' | 'waiting' | 'full' | 'failed';

/** Messages that have waited longest. */
export interface Piece {
  readonly records: readonly NewRecord[];
  /** The name of the segment that has them. */
  readonly segment: string;
  /** Messages before or among them that are lost, at most. */
  readonly lost: number;
  /** The offset behind them. */
  readonly end: number;
}

const SEGMENT_BYTES = 4 * 2 ** 20;
/** It comes after the names of all segments. */
const LAST_NAME = 'z';
/** What the event loop can process without delaying requests. */
const FORWARD_LIMITS: Limits = { records: 2_000, bytes: 2 ** 20, atLeastOne: true, end: Infinity };

/**
 * Records on local disk that wait for the event log, first in, first out, in a log of segments of their own. Concurrent
 * appends share one flush. A segment is removed only after it was forwarded. After a crash in between it is forwarded again,
 * so that a record may be in the event log twice but is never lost.
 */
export class Spool {
  readonly #options: Required<SpoolOptions>;
  readonly #logs: SpoolLogs;
  #log: SpoolLog | undefined;
  /** The offset of the first record that was not forwarded, and the end of the log. */
  #next = 0;
  #end = 0;
  #pendingMessages = 0;
  #pendingBytes = 0;
  #fault: 'full' | 'failed' | undefined;
  #lastFailure: unknown;
  #closing: Promise<void> | undefined;
  /** Messages spooled since it was opened. */
  spooled = 0;
  /** Requests refused because it was full, since it was opened. */
  refusals = 0;
  /** Failed writes since it was opened. */
  failures = 0;

  private constructor(options: SpoolOptions, logs: SpoolLogs) {
    this.#options = { segmentBytes: SEGMENT_BYTES, ...options };
    this.#logs = logs;
  }

  /**
   * Opens it with what the folder holds.
   *
   * @throws TidemarkError `SPOOL_FOREIGN`; `LOG_DAMAGED` where the end of what waits is lost; `LOG_UNAVAILABLE`.
   */
  static async open(options: SpoolOptions): Promise<Spool> {
    const names = await spoolNames(options.folder);
    const spool = new Spool(options, await loadSpoolLogs());
    await rm(spool.#path(FORWARDED), { recursive: true, force: true });
    if (names.includes(LOG)) spool.#open();
    return spool;
  }

  get isEmpty(): boolean {
    return this.messages === 0;
  }

  get state(): SpoolState {
    return this.#fault ?? (this.isEmpty ? 'empty' : 'waiting');
  }

  /** Messages that wait here. */
  get messages(): number {
    return this.#end - this.#next + this.#pendingMessages;
  }

  /** On disk, and being written. */
  get bytes(): number {
    return (this.#log?.store.bytes ?? 0) + this.#pendingBytes;
  }

  /** When the oldest waiting record was appended: milliseconds since 1970. */
  get oldestAtMs(): number | undefined {
    try {
      return this.#next === this.#end ? undefined : this.#readLog({ ...FORWARD_LIMITS, records: 1 }).firstAtMs;
    } catch {
      // Whoever forwards it reports that.
      return undefined;
    }
  }

  /**
   * Resolves, in the order given, once the records would survive a crash. If it rejects, some of them may still be stored.
   *
   * @throws TidemarkError `LOG_UNAVAILABLE` where it is full or the disk fails; `STOPPING`.
   */
  async append(records: readonly NewRecord[]): Promise<void> {
    if (this.#closing !== undefined) throw new TidemarkError('STOPPING', 'the spool is closed');
    const stored = records.map(storedRecord);
    const bytes = stored.reduce((sum, record) => sum + this.#logs.bytesOf(record), 0);
    if (this.bytes + bytes > this.#options.maxBytes) {
      this.refusals++;
      this.#fault = 'full';
      throw this.#unavailable('is full');
    }
    this.#pendingMessages += records.length;
    this.#pendingBytes += bytes;
    try {
      const appended = await this.#open().appends.append(stored);
      this.#end = Math.max(this.#end, Number(appended.at(-1)?.offset ?? -1n) + 1);
      this.spooled += records.length;
      if (this.#fault === 'failed') this.#fault = undefined;
    } catch (cause) {
      // All appends of a write reject with one error.
      if (cause !== this.#lastFailure) this.failures++;
      this.#lastFailure = cause;
      this.#fault = 'failed';
      throw this.#unavailable('cannot be written', cause);
    } finally {
      this.#pendingMessages -= records.length;
      this.#pendingBytes -= bytes;
    }
  }

  /** Resolves if a record can be stored now. @throws TidemarkError `LOG_UNAVAILABLE`. */
  async check(): Promise<void> {
    if (this.#fault === 'full') throw this.#unavailable('is full');
    if (this.#fault === undefined) return;
    try {
      await this.#open().writer.ask({ kind: 'check' });
      this.#fault = undefined;
    } catch (cause) {
      throw this.#unavailable('cannot be written', cause);
    }
  }

  /** What has waited longest; undefined where nothing waits. It stays until `forwarded`. */
  async read(): Promise<Piece | undefined> {
    while (this.#next === this.#end && this.#pendingMessages > 0) await delay(1);
    return this.#next === this.#end ? undefined : this.#readLog(FORWARD_LIMITS);
  }

  /**
   * Forgets a piece. The segments of which all was forwarded are then removed: nobody waits for that.
   *
   * @param keep Its segment is kept aside, so that a person can examine it.
   */
  async forwarded({ segment, end }: Piece, { keep }: { readonly keep: boolean }): Promise<void> {
    if (keep) await this.#keepAside(segment);
    this.#next = end;
    this.#end = Math.max(this.#end, end);
    if (this.isEmpty || this.bytes > this.#options.segmentBytes) void this.#cut(end);
  }

  /** What waits stays on disk. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#log === undefined) return;
    const { store, writer, appends } = this.#log;
    await appends.idle();
    await writer.close();
    await store.close();
    if (this.isEmpty) await this.#remove().catch(() => undefined);
  }

  /** Removes the log as a whole, so that no part of it is ever opened. */
  async #remove(): Promise<void> {
    await rename(this.#path(LOG), this.#path(FORWARDED));
    await rm(this.#path(FORWARDED), { recursive: true, force: true });
  }

  /** The log, which is created when something is to wait for the first time. Blocks. */
  #open(): SpoolLog {
    if (this.#log === undefined) {
      this.#log = this.#logs.open(this.#path(LOG), this.#options.segmentBytes);
      this.#end = this.#log.store.ends()[0] as number;
      this.#next = firstOffsetOf(this.#log);
    }
    return this.#log;
  }

  #readLog(limits: Limits): Piece & { readonly firstAtMs: number | undefined } {
    const { store } = this.#open();
    const records: LogRecord[] = [];
    const read = store.withLatest(() => store.readWhole(store.layout.partitionAt(0), this.#next, limits, records));
    // Where nothing whole follows, all that is left is lost.
    const { next: end, segment, lost } = read ?? { next: this.#end, segment: LAST_NAME, lost: this.#end - this.#next };
    return { records: records.map(spooledRecord), segment, lost, end, firstAtMs: records[0]?.appendedAtMs };
  }

  /** Removes the segments that lie before an offset. Never rejects. */
  async #cut(offset: number): Promise<void> {
    const { bytes } = this;
    try {
      await this.#log?.writer.ask({ kind: 'cut', below: Float64Array.of(offset) });
      if (this.#fault === 'full' && this.bytes < bytes) this.#fault = undefined;
    } catch {
      // They go with the next ones, at the latest with the whole log.
    }
  }

  /** Keeps aside the segments up to one: what is lost may have been in any of them. */
  async #keepAside(segment: string): Promise<void> {
    for (const name of await readdir(this.#path(LOG))) {
      const [from, to] = [join(this.#path(LOG), name), this.#path(`${name}.kept`)];
      if (!name.endsWith('.log') || name > segment) continue;
      // Some file systems have no second names.
      await link(from, to).catch(() => copyFile(from, to));
    }
  }

  #path(name: string): string {
    return join(this.#options.folder, name);
  }

  #unavailable(why: string, cause?: unknown): TidemarkError {
    return new TidemarkError('LOG_UNAVAILABLE', `the spool in ${this.#options.folder} ${why}`, { cause });
  }
}

/** The offset of the first record. Where the beginning is damaged, the first one that can be read is looked for. */
function firstOffsetOf({ store }: SpoolLog): number {
  try {
    return store.beginnings()[0] as number;
  } catch {
    return 0;
  }
}
