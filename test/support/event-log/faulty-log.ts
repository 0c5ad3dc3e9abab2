import type {
  Appended,
  AppendEncoded,
  EventLog,
  NewRecord,
  RecordEncoder,
} from '../../../services/event-log/event-log.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';

/** What ingest uses of the event log, in memory, with faults to order. One partition a topic unless told otherwise. */
export class FaultyLog implements Pick<EventLog, 'append' | 'check' | 'openEncoder'> {
  readonly records: NewRecord[] = [];
  /** Jobs that it encoded and appended. */
  encoded = 0;
  /** While set, appends and checks reject. */
  unreachable = false;
  /** While set, only checks reject. */
  isProbeRefused = false;
  /** Added to our clock: what the log's clock shows. */
  clockOffsetMs = 0;
  readonly #ends = new Map<string, bigint>();
  readonly #partitionOf: (record: NewRecord) => number;
  #gate: { readonly opened: Promise<void>; readonly open: () => void } | undefined;
  #waiting = 0;

  constructor(partitionOf: (record: NewRecord) => number = () => 0) {
    this.#partitionOf = partitionOf;
  }

  /** Appends that wait at the gate. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Appends wait from now on, until `release`. */
  hold(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = { opened: promise, open: resolve };
  }

  release(): void {
    this.#gate?.open();
    this.#gate = undefined;
  }

  async append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    this.#waiting++;
    await this.#gate?.opened;
    this.#waiting--;
    await this.#reach();
    this.records.push(...records);
    return records.map((record) => this.#place(record));
  }

  /** Encodes at once, in this thread. */
  async openEncoder(module: URL): Promise<AppendEncoded> {
    const { encodeRecords } = (await import(module.href)) as { readonly encodeRecords: RecordEncoder };
    return async (job) => {
      const bytes = Buffer.alloc(job.length);
      job.write(bytes, 0);
      const { records, result } = encodeRecords(structuredClone(job.shared), bytes);
      if (records.length === 0) return { result: result([]), appendedAtMs: Date.now(), commitMs: 0 };
      this.encoded++;
      const appended = await this.append(records);
      return { result: result(appended), appendedAtMs: appended[0]!.appendedAtMs, commitMs: 0 };
    };
  }

  check(): Promise<void> {
    if (this.isProbeRefused) return Promise.reject(new TidemarkError('LOG_UNAVAILABLE', 'unreachable, as ordered'));
    return this.#reach();
  }

  #reach(): Promise<void> {
    if (this.unreachable) return Promise.reject(new TidemarkError('LOG_UNAVAILABLE', 'unreachable, as ordered'));
    return Promise.resolve();
  }

  #place(record: NewRecord): Appended {
    const partition = this.#partitionOf(record);
    const name = `${record.topic}/${partition}`;
    const offset = this.#ends.get(name) ?? 0n;
    this.#ends.set(name, offset + 1n);
    return { topic: record.topic, partition, offset, appendedAtMs: Date.now() + this.clockOffsetMs };
  }
}
