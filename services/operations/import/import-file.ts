/** From a file to the import lane of the log. */
import { type FileHandle, rm } from 'node:fs/promises';
import type { Appended, EventLog, NewRecord } from '../../event-log/event-log.ts';
import { arrivalOf, encoded, type MessageRecord, stamped } from '../../messages/arrival.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Draft } from '../../messages/draft.ts';
import { importTopicOf } from '../../messages/message.ts';
import { importedMessageId } from '../../messages/message-id.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { retry } from '../../runtime/retry.ts';
import { AppendPacer } from './append-pacer.ts';
import { begin, type Begun, type ImportTask } from './begin.ts';
import { readInput, type ReadSoFar, skipTo } from './input.ts';
import { type ReadRecord, RecordReader } from './read-records.ts';
import type { RawRecord } from './record.ts';
import { type Report, reportLine } from './report.ts';
import { openSource } from './source.ts';
import { type Counts, type ImportState, writeState } from './state.ts';

/** What an import writes to; none where it only looks. */
export interface ImportTarget {
  readonly log: Pick<EventLog, 'append'>;
  readonly codec: Pick<Codec, 'encode'>;
  readonly maxClockSkewMs: number;
}

export interface ImportProgress extends Counts {
  /** Bytes of the file as it is, compressed or not. */
  readonly bytesRead: number;
  readonly bytes: number;
  /** Lines of the file that are done. */
  readonly lines: number;
}

export interface ImportHooks {
  readonly onProgress: (progress: ImportProgress) => void;
  readonly onTrouble: (error: unknown) => void;
  /** Ends it after the append under way: what was done is kept. */
  readonly signal: AbortSignal;
}

export interface ImportResult extends ImportProgress {
  /** Where it went on: the line that was done last, 0 where it began anew. */
  readonly resumedAtLine: number;
  readonly isDone: boolean;
}

const SAVE_EVERY_MS = 1_000;
/** Small, so that nobody waits long behind it. */
const APPEND_BYTES = 512 * 1024;
const REFUSED_TOGETHER = 1_000;

const NO_RECORDS = 'The file is not empty, but holds no record: blank lines, or a header alone.';

/** What is to be appended, and reported, next. */
class Portion {
  readonly records: NewRecord[] = [];
  bytes = 0;
  refused = 0;
  report = '';
  last: ReadRecord | undefined;
}

export class FileImport {
  readonly #task: ImportTask;
  readonly #target: ImportTarget | undefined;
  readonly #hooks: ImportHooks;
  readonly #pacer: AppendPacer;
  readonly #read: ReadSoFar = { bytes: 0 };
  readonly #reader: RecordReader;
  readonly #file: FileHandle;
  readonly #report: Report;
  readonly #isFresh: boolean;
  #state: ImportState;
  /** Whether the log or the report may hold something of this import. */
  #hasBegun: boolean;
  #portion = new Portion();
  #savedAtMs = performance.now();

  private constructor(task: ImportTask, target: ImportTarget | undefined, hooks: ImportHooks, begun: Begun) {
    this.#task = task;
    this.#target = target;
    this.#hooks = hooks;
    this.#pacer = new AppendPacer({ rate: task.rate });
    this.#state = begun.state;
    this.#file = begun.file;
    this.#report = begun.report;
    this.#isFresh = begun.isFresh;
    this.#hasBegun = !begun.isFresh;
    this.#reader = new RecordReader(task, begun.state.csvHeader);
  }

  /**
   * Imports a file, from where it was left where a state of it is found. Resolves when every record is safe in the log or
   * stands in the report, or once the signal aborts.
   *
   * @throws TidemarkError `COMMAND_INVALID`, `IMPORT_CHANGED`, `IMPORT_UNREADABLE`; `LOG_UNAVAILABLE` is waited for.
   */
  static async run(task: ImportTask, target: ImportTarget | undefined, hooks: ImportHooks): Promise<ImportResult> {
    const { path, within } = task;
    await using file = await openSource({ path, within });
    const begun = await begin(task, file, target === undefined);
    const { state, report } = begun;
    try {
      const resumedAtLine = state.place.line;
      if (state.isDone) return { ...progressOf(state, state.file.bytes), resumedAtLine, isDone: true };
      const running = new FileImport(task, target, hooks, begun);
      await running.#run();
      return { ...running.#progress(), resumedAtLine, isDone: running.#state.isDone };
    } finally {
      await report.close();
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#hooks;
    try {
      const isDone = await this.#takeAll(signal);
      this.#state = { ...this.#state, isDone };
    } catch (error) {
      if (!this.#hasBegun && !signal.aborted) await this.#forget();
      else await this.#save();
      if (!signal.aborted) throw error;
      return;
    }
    await this.#save();
  }

  /** False where the signal has ended it. */
  async #takeAll(signal: AbortSignal): Promise<boolean> {
    const { place } = this.#state;
    const chunks = skipTo(place, readInput(this.#file, this.#read, signal));
    for await (const records of this.#reader.read(chunks, place)) {
      this.#checkHeader();
      for (const record of records) {
        if (signal.aborted) return false;
        await this.#take(record);
      }
    }
    this.#checkHeader();
    await this.#flush();
    const { counts } = this.#state;
    if (counts.imported + counts.refused === 0 && !this.#reader.isEmpty)
      throw new TidemarkError('COMMAND_INVALID', NO_RECORDS);
    return true;
  }

  #checkHeader(): void {
    const { lack } = this.#reader;
    if (lack !== undefined) throw new TidemarkError('COMMAND_INVALID', lack);
  }

  async #take(record: ReadRecord): Promise<void> {
    const portion = this.#portion;
    const { raw, judged } = record;
    portion.last = record;
    if (!judged.ok) {
      portion.refused += 1;
      portion.report += reportLine(raw, judged.problems);
    } else {
      const made = this.#recordOf(judged.draft, raw);
      portion.records.push(made);
      portion.bytes += made.value.byteLength;
    }
    const isFull = portion.records.length >= this.#pacer.records || portion.bytes >= APPEND_BYTES;
    if (isFull || portion.refused >= REFUSED_TOGETHER) await this.#flush();
  }

  /**
   * A pure function of file and state: a line read again after a kill makes the same message, whose repeat changes nothing.
   * Lines arrive a microsecond apart, from the import's beginning on, so that they keep their order.
   */
  #recordOf(draft: Draft, { line, bytes }: RawRecord): MessageRecord {
    const { projectId } = this.#task;
    const { importId, begunAtMicros, processBits } = this.#state;
    const message = stamped(arrivalOf(projectId, draft, 'import'), {
      projectId,
      messageId: draft.messageId ?? importedMessageId(projectId, importId, line, bytes),
      // Whoever chose it: a repeat can come.
      messageIdGiven: true,
      receivedAt: BigInt(begunAtMicros + line),
      processBits,
    });
    return encoded(message, this.#target?.codec ?? NO_CODEC, importTopicOf(message));
  }

  async #flush(): Promise<void> {
    const { records, refused, report, last } = this.#portion;
    if (last === undefined) return;
    this.#portion = new Portion();
    this.#hasBegun = true;
    if (this.#target !== undefined && records.length > 0) await this.#append(this.#target, records);
    await this.#report.add(report);
    const { counts, csvHeader = this.#reader.header } = this.#state;
    this.#state = {
      ...this.#state,
      ...(csvHeader === undefined ? {} : { csvHeader }),
      place: last.raw.end,
      counts: { imported: counts.imported + records.length, refused: counts.refused + refused },
      reportBytes: this.#report.bytes,
    };
    this.#hooks.onProgress(this.#progress());
    if (performance.now() - this.#savedAtMs >= SAVE_EVERY_MS) await this.#save();
  }

  async #append(target: ImportTarget, records: readonly NewRecord[]): Promise<void> {
    const { signal, onTrouble } = this.#hooks;
    await this.#pacer.rest();
    let begunAtMs = performance.now();
    const sentAtMs = Date.now();
    const appended = await retry(
      () => {
        begunAtMs = performance.now();
        return target.log.append(records);
      },
      { signal, onTrouble },
    );
    this.#pacer.observe(records.length, performance.now() - begunAtMs);
    if (this.#isFresh && this.#state.counts.imported === 0) checkClock(appended, sentAtMs, target.maxClockSkewMs);
  }

  async #save(): Promise<void> {
    this.#savedAtMs = performance.now();
    const { statePath } = this.#task;
    if (statePath === undefined || this.#target === undefined) return;
    await this.#report.flush();
    await writeState(statePath, this.#state);
  }

  /** There is nothing to go on from: a state of an import before is that of one which was to begin anew. */
  async #forget(): Promise<void> {
    const { statePath } = this.#task;
    if (statePath !== undefined && this.#target !== undefined) await rm(statePath, { force: true });
  }

  #progress(): ImportProgress {
    return progressOf(this.#state, this.#read.bytes);
  }
}

function progressOf({ file, counts, place, isDone }: ImportState, read: number): ImportProgress {
  // What is not compressed is read ahead of what was imported.
  const bytesRead = isDone ? read : Math.min(read, place.offset);
  return { ...counts, lines: place.line, bytesRead, bytes: file.bytes };
}

const NO_CODEC: Pick<Codec, 'encode'> = { encode: () => new Uint8Array() };

/** Our clock gives the times of arrival: one that is wrong must not go on. */
function checkClock([first]: readonly Appended[], sentAtMs: number, maxSkewMs: number): void {
  if (first === undefined) return;
  const skewMs = Math.max(0, sentAtMs - first.appendedAtMs, first.appendedAtMs - Date.now());
  if (skewMs <= maxSkewMs) return;
  throw new TidemarkError('CONFIG_INVALID', `The clock of this machine is ${skewMs} ms off the event log's.`);
}
