import { hostname } from 'node:os';
import type { Logger } from '../../runtime/logger.ts';
import { Looking } from '../../runtime/looking.ts';
import { programVersion } from '../../runtime/version.ts';
import type { ProcessStore } from '../../stores/service-state/process-store.ts';

/** What a process knows of itself. */
export interface Observation {
  readonly parts: Readonly<Record<string, string>>;
  /** Counters of messages since the process began; see `ProcessReport.rates`. */
  readonly counters: Readonly<Record<string, number>>;
}

export interface HeartbeatParts {
  readonly role: string;
  /** What of the process reports, where several threads do: `http`, `readers`. */
  readonly part: string;
  readonly processes: Pick<ProcessStore, 'report' | 'remove'>;
  readonly observe: () => Observation | Promise<Observation>;
  readonly logger: Pick<Logger, 'debug'>;
  readonly everyMs?: number;
}

const BEAT_EVERY_MS = 5_000;
const RATES_OVER_MS = 60_000;

/** Reports every five seconds what this process does. */
export class Heartbeat {
  readonly #parts: HeartbeatParts;
  readonly #id: string;
  readonly #startedAtMs = Date.now();
  readonly #rates = new Rates();
  readonly #looking: Looking;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
    const { everyMs = BEAT_EVERY_MS, logger } = parts;
    const cannot = 'the state of the process cannot be reported';
    this.#looking = new Looking({ look: () => this.#beat(), everyMs, cannot, logger, level: 'debug' });
    this.#id = `${hostname()}-${process.pid}-${parts.part}-${this.#startedAtMs.toString(36)}`;
  }

  /** Where the store is unavailable, the next beat tries again. */
  start(): void {
    this.#looking.start();
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    await this.#looking.stop();
    await this.#parts.processes.remove(this.#id).catch(() => undefined);
  }

  async #beat(): Promise<void> {
    const { role, processes, observe } = this.#parts;
    const { parts, counters } = await observe();
    const rates = this.#rates.of(counters, performance.now());
    const report = { id: this.#id, role, version: programVersion(), startedAtMs: this.#startedAtMs, parts, rates };
    await processes.report(report);
  }
}

interface CounterSample {
  readonly atMs: number;
  readonly counters: Observation['counters'];
}

/** Rates of counters over the last minute, or since the first sample. */
export class Rates {
  readonly #samples: CounterSample[] = [];

  /** In units a second; 0 at the first sample. */
  of(counters: Observation['counters'], nowMs: number): Readonly<Record<string, number>> {
    const samples = this.#samples;
    samples.push({ atMs: nowMs, counters });
    // The oldest that is a minute old stays, so that the rates are of a whole minute.
    while (samples[1] !== undefined && nowMs - samples[1].atMs >= RATES_OVER_MS) samples.shift();
    const first = samples[0] ?? { atMs: nowMs, counters };
    const seconds = (nowMs - first.atMs) / 1_000;
    return Object.fromEntries(
      Object.entries(counters).map(([name, count]) => {
        return [name, seconds > 0 ? (count - (first.counters[name] ?? 0)) / seconds : 0];
      }),
    );
  }
}
