import { addAbortListener } from 'node:events';
import { TidemarkError } from '../../runtime/errors.ts';
import { withoutBlank } from '../blank.ts';
import type { PartitionRecords, ScanOptions, ScanRange } from '../event-log.ts';
import { boundsOf } from './bounds.ts';
import { failureOf, lasts } from './faults.ts';
import { Fetches, isAtEnd } from './fetches.ts';
import type { Leaders } from './leaders.ts';
import type { FetchStart } from '../start.ts';
import type { KafkaWire } from './wire.ts';
import { nameOf } from '../partition.ts';

export interface KafkaScanOptions extends Pick<ScanOptions, 'withBlank'> {
  readonly wire: Pick<KafkaWire, 'fetch' | 'offsets'>;
  readonly leaders: Leaders;
  readonly maxRecords: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** A scan gives up after this long without a fault and without a record before the end. */
  readonly silenceMs?: number;
}

/** How long to wait for partitions that have no leader, as a reader of a group does. */
const BEGIN_WITHIN_MS = 10_000;
const SILENCE_MS = 30_000;
const SILENCE_CHECK_MS = 1_000;

/** Reads ranges without a group, by the same fetches as a reader of a group. */
export class KafkaScan {
  readonly #options: KafkaScanOptions;
  #changed = Promise.withResolvers<void>();

  constructor(options: KafkaScanOptions) {
    this.#options = options;
    addAbortListener(options.signal, () => this.#changed.resolve());
  }

  /** @throws the signal's reason; TidemarkError as `EventLog.scan`. */
  async *read(ranges: readonly ScanRange[]): AsyncGenerator<PartitionRecords> {
    const { wire, leaders, signal } = this.#options;
    let fetches: Fetches | undefined;
    try {
      signal.throwIfAborted();
      const entries = await Promise.race([this.#entriesOf(ranges), this.#aborted()]);
      fetches = new Fetches({ wire, leaders }, entries, () => this.#changed.resolve());
      yield* this.#drain(fetches);
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error, 'to scan');
    } finally {
      fetches?.stop();
    }
  }

  async #entriesOf(ranges: readonly ScanRange[]): Promise<readonly FetchStart[]> {
    const bounds = await boundsOf(this.#options.wire, this.#options.leaders, ranges, BEGIN_WITHIN_MS);
    const found = new Map(bounds.map((one) => [nameOf(one), one]));
    return ranges.flatMap(({ topic, partition, from, to }) => {
      const { earliest = 0n, latest = 0n } = found.get(nameOf({ topic, partition })) ?? {};
      const entry = { topic, partition, from: from > earliest ? from : earliest, to: to < latest ? to : latest };
      return entry.from < entry.to ? [entry] : [];
    });
  }

  async #aborted(): Promise<never> {
    await this.#changed.promise;
    throw this.#options.signal.reason;
  }

  async *#drain(fetches: Fetches): AsyncGenerator<PartitionRecords> {
    const { signal } = this.#options;
    let receivedAtMs = performance.now();
    while (!fetches.buffers.every((buffer) => isAtEnd(buffer) && buffer.records.length === 0)) {
      this.#changed = Promise.withResolvers();
      const found = fetches.take(this.#options);
      fetches.pump();
      for (const { topic, partition, records: read } of found) {
        signal.throwIfAborted();
        const records = this.#options.withBlank === true ? read : withoutBlank(read);
        if (records.length > 0) yield { topic, partition, records };
      }
      if (found.length > 0) receivedAtMs = performance.now();
      else await this.#wait(fetches, receivedAtMs);
    }
  }

  /** Waits for records. Throws why, if none will arrive. */
  async #wait(fetches: Fetches, receivedAtMs: number): Promise<void> {
    const { signal, silenceMs = SILENCE_MS } = this.#options;
    if (fetches.failure !== undefined) throw failureOf(fetches.failure, 'to scan');
    if (fetches.trouble !== undefined && lasts(fetches.trouble)) throw failureOf(fetches.trouble.fault, 'to scan');
    if (performance.now() - receivedAtMs > silenceMs) {
      throw new TidemarkError(
        'LOG_UNAVAILABLE',
        `Kafka has sent no record for ${silenceMs} ms, before the end of the scan`,
      );
    }
    const timer = setTimeout(() => this.#changed.resolve(), Math.min(SILENCE_CHECK_MS, silenceMs));
    await this.#changed.promise;
    clearTimeout(timer);
    signal.throwIfAborted();
  }
}
