/** From files to the import lane of the log. */
import { type FileHandle, rm } from 'node:fs/promises';
import type { Appended, NewRecord } from '../../event-log/event-log.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { retry } from '../../runtime/retry.ts';
import { isLeftOut } from '../../stores/erasures/erased-users.ts';
import { AppendPacer } from './append-pacer.ts';
import { begin, type Begun, importIdOf, type ImportTask } from './begin.ts';
import { checkTimes, Findings, NOT_KEPT } from './findings.ts';
import type { ImportHooks, ImportProgress, ImportResult, ImportTarget } from './import-result.ts';
import { identify, readInput, type ReadSoFar, skipTo } from './input.ts';
import { importedMessage, importedRecord, Portion, sums } from './imported-message.ts';
import { type ReadRecord, RecordReader } from './record-reader.ts';
import { BEGINNING } from './record.ts';
import { type Report, reportLine } from './report.ts';
import { filesOf, openSource, type SourceFile } from './source.ts';
import { type ImportState, writeState } from './state.ts';

const SAVE_EVERY_MS = 1_000;
/** Small, so that nobody waits long behind it. */
const APPEND_BYTES = 512 * 1024;
const OTHERS_TOGETHER = 1_000;
/** Looked at before any of them is imported, where lines have no time. */
const FIRST_RECORDS = 1_000;

const NO_RECORDS = 'The file is not empty, but holds no record: blank lines, or a header alone.';

export class FileImport {
  readonly #task: ImportTask;
  readonly #target: ImportTarget | undefined;
  readonly #hooks: ImportHooks;
  readonly #pacer: AppendPacer;
  readonly #files: readonly SourceFile[];
  readonly #report: Report;
  readonly #findings = new Findings();
  readonly #isFresh: boolean;
  #file: FileHandle;
  #read: ReadSoFar = { bytes: 0 };
  #reader: RecordReader;
  #state: ImportState;
  /** Whether the log or the report may hold something of this import. */
  #hasBegun: boolean;
  #hasBytes = false;
  #portion = new Portion();
  /** What is full, and waits. */
  #closed: Portion[] = [];
  #savedAtMs = performance.now();

  private constructor(
    task: ImportTask,
    files: readonly SourceFile[],
    target: ImportTarget | undefined,
    hooks: ImportHooks,
    begun: Begun,
  ) {
    this.#task = task;
    this.#files = files;
    this.#target = target;
    this.#hooks = hooks;
    this.#pacer = new AppendPacer({ rate: task.rate ?? undefined });
    this.#state = begun.state;
    this.#file = begun.file;
    this.#report = begun.report;
    this.#isFresh = begun.isFresh;
    this.#hasBegun = !begun.isFresh;
    this.#reader = new RecordReader({ ...task, isFurther: (begun.state.files?.done ?? 0) > 0 }, begun.state.csvHeader);
  }

  /**
   * Imports files one after the other, from where they were left where a state of them is found. Resolves when every record
   * is safe in the log or stands in the report, or once the signal aborts.
   *
   * @throws TidemarkError `COMMAND_INVALID`, `IMPORT_CHANGED`, `IMPORT_UNREADABLE`; `LOG_UNAVAILABLE` is waited for.
   */
  static async run(task: ImportTask, target: ImportTarget | undefined, hooks: ImportHooks): Promise<ImportResult> {
    const own = [task.reportPath, task.statePath];
    const files = (await filesOf(task.sources)).filter(({ path }) => !own.includes(path));
    const begun = await begin(task, files, target === undefined);
    const running = new FileImport(task, files, target, hooks, begun);
    const resumedAtLine = running.#progress().lines;
    try {
      if (!begun.state.isDone) await running.#run();
      const isDone = running.#state.isDone;
      const { refusals, warnings } = running.#findings;
      return { ...running.#progress(), resumedAtLine, isDone, refusals, warnings };
    } finally {
      await begun.report.close();
      await running.#file.close();
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
    for (;;) {
      if (!(await this.#takeFile(signal))) return false;
      const next = this.#files[(this.#state.files?.done ?? 0) + 1];
      if (next === undefined) break;
      await this.#goOnTo(next);
    }
    const { counts } = this.#state;
    if (counts.imported + counts.refused + (counts.dropped ?? 0) === 0 && this.#hasBytes)
      throw new TidemarkError('COMMAND_INVALID', NO_RECORDS);
    return true;
  }

  async #takeFile(signal: AbortSignal): Promise<boolean> {
    const { place } = this.#state;
    const { encoding } = this.#task;
    const chunks = skipTo(place, readInput(this.#file, { read: this.#read, encoding, signal }));
    try {
      for await (const records of this.#reader.read(chunks, place)) {
        this.#checkHeader();
        for (const record of records) {
          if (signal.aborted) return false;
          await this.#take(record);
        }
      }
      this.#checkHeader();
    } catch (error) {
      throw this.#namingFile(error);
    }
    await this.#flush();
    this.#findings.endFile(this.#reader);
    this.#hasBytes ||= !this.#reader.isEmpty;
    return true;
  }

  /** Says which of several files cannot be read. */
  #namingFile(error: unknown): unknown {
    if (this.#files.length < 2 || !(error instanceof TidemarkError)) return error;
    return new TidemarkError(error.code, `${this.#fileName}: ${error.message}`, { cause: error });
  }

  get #fileName(): string {
    return this.#files[this.#state.files?.done ?? 0]?.name ?? '';
  }

  async #goOnTo(next: SourceFile): Promise<void> {
    const { files, place } = this.#state;
    if (files === undefined) return;
    await this.#file.close();
    this.#file = await openSource(next);
    const file = await identify(this.#file);
    const done = files.done + 1;
    const { csvHeader: _, ...rest } = this.#state;
    this.#state = {
      ...rest,
      file,
      files: { ...files, done, lines: files.lines + place.line, bytes: files.bytes + this.#state.file.bytes },
      importId: importIdOf(this.#task.import_id, this.#files, done, file),
      place: BEGINNING,
    };
    this.#read = { bytes: 0 };
    this.#reader = new RecordReader({ ...this.#task, isFurther: true });
  }

  #checkHeader(): void {
    const lack = this.#reader.table?.lack;
    if (lack !== undefined) throw new TidemarkError('COMMAND_INVALID', lack);
  }

  async #take(record: ReadRecord): Promise<void> {
    const portion = this.#portion;
    const { raw, judged } = record;
    portion.last = record;
    if (!judged.ok) {
      portion.refused += 1;
      const named = this.#findings.add(record, this.#fileName, this.#reader);
      portion.report += reportLine(raw, named, this.#files.length > 1 ? this.#fileName : undefined);
    } else {
      const message = importedMessage(this.#task, judged.draft, raw, this.#state);
      if (isLeftOut(this.#hooks.forgotten(), message)) portion.dropped += 1;
      else {
        const { eventsFrom = message.timestamp } = this.#task;
        const isGone = message.type === 'track' && message.timestamp < eventsFrom;
        this.#findings.add(record, this.#fileName, this.#reader, isGone ? [NOT_KEPT] : []);
        portion.add(importedRecord(message, this.#target?.codec), judged.draft.timestamp === null);
      }
    }
    const isFull = portion.records.length >= this.#pacer.records || portion.bytes >= APPEND_BYTES;
    if (isFull || portion.refused + portion.dropped >= OTHERS_TOGETHER) await this.#close();
  }

  /** The first portions wait for one another where lines have no time: none is imported before these were looked at. */
  async #close(): Promise<void> {
    this.#closed.push(this.#portion);
    this.#portion = new Portion();
    const [records, bytes, untimed] = sums(this.#closed);
    const areLookedAt = untimed > 0 && !this.#hasBegun && !this.#task.untimed;
    if (!areLookedAt || records >= FIRST_RECORDS || bytes >= APPEND_BYTES) await this.#flush();
  }

  #checkTimes(portions: readonly Portion[]): void {
    const [records, , untimed] = sums(portions);
    if (this.#target === undefined || this.#task.untimed || untimed === 0) return;
    const named = Object.entries(this.#task.map).flatMap(([source, to]) => (to === 'timestamp' ? [source] : []));
    const isAny = untimed < records || named.some((source) => !this.#reader.unused.has(source));
    checkTimes((this.#state.counts.untimed ?? 0) + untimed, isAny ? [] : named);
  }

  async #flush(): Promise<void> {
    const portions = [...this.#closed, this.#portion];
    this.#checkTimes(portions);
    [this.#closed, this.#portion] = [[], new Portion()];
    for (const each of portions) await this.#import(each);
  }

  async #import({ records, refused, dropped, untimed, report, last }: Portion): Promise<void> {
    if (last === undefined) return;
    this.#hooks.signal.throwIfAborted();
    this.#hasBegun = true;
    if (this.#target !== undefined && records.length > 0) await this.#append(this.#target, records);
    await this.#report.add(report);
    const { counts, csvHeader = this.#reader.table?.names } = this.#state;
    this.#state = {
      ...this.#state,
      ...(csvHeader === undefined ? {} : { csvHeader }),
      place: last.raw.end,
      counts: {
        imported: counts.imported + records.length,
        refused: counts.refused + refused,
        untimed: (counts.untimed ?? 0) + untimed,
        dropped: (counts.dropped ?? 0) + dropped,
      },
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
    const { counts, place, isDone, files, file } = this.#state;
    // What is not compressed is read ahead of what was imported.
    const read = isDone ? file.bytes : Math.min(this.#read.bytes, place.offset);
    const bytes = this.#files.reduce((sum, each) => sum + each.bytes, 0);
    return { ...counts, lines: (files?.lines ?? 0) + place.line, bytesRead: (files?.bytes ?? 0) + read, bytes };
  }
}

/** Our clock gives the times of arrival: one that is wrong must not go on. */
function checkClock([first]: readonly Appended[], sentAtMs: number, maxSkewMs: number): void {
  if (first === undefined) return;
  const skewMs = Math.max(0, sentAtMs - first.appendedAtMs, first.appendedAtMs - Date.now());
  if (skewMs <= maxSkewMs) return;
  throw new TidemarkError('CONFIG_INVALID', `The clock of this machine is ${skewMs} ms off the event log's.`);
}
