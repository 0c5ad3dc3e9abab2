import type { EventLog } from '../event-log/event-log.ts';
import { hasCode } from '../runtime/errors.ts';
import type { ReadersHealth } from './stores.ts';

/** Looks at the parts once a second, so that an answer of `/readyz` never waits for a part that hangs. */
export class HealthWatch {
  readonly #readers: Pick<ReadersHealth, 'health'>;
  readonly #log: Pick<EventLog, 'check'> | undefined;
  readonly #everyMs: number;
  #parts: Readonly<Record<string, string>> = { eventLog: 'starting' };
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  /** @param log Left out where the process has none. */
  constructor(readers: Pick<ReadersHealth, 'health'>, log?: Pick<EventLog, 'check'>, everyMs = 1_000) {
    this.#readers = readers;
    this.#log = log;
    this.#everyMs = everyMs;
  }

  /**
   * Each part's state as last seen: that of `ReadersHealth.health`, `busy` where the last look has not ended within the
   * interval, `away` where it failed; of the event log `starting`, `ready`, `away`, or `replaced`
   * where it lacks what the readers have read.
   */
  get parts(): Readonly<Record<string, string>> {
    return this.#parts;
  }

  /** Resolves after the first look. */
  async start(): Promise<void> {
    this.#timer ??= setInterval(() => this.#lookAgain(), this.#everyMs).unref();
    await this.#look();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #lookAgain(): void {
    if (this.#looking === undefined) {
      this.#looking = this.#look().finally(() => (this.#looking = undefined));
      return;
    }
    // The last look has not ended: the parts are doing long work, or hang.
    this.#parts = this.#others('busy');
  }

  async #look(): Promise<void> {
    const [readers, log] = await Promise.allSettled([this.#readers.health(), this.#log?.check()]);
    const eventLog = log.status === 'fulfilled' ? 'ready' : hasCode(log.reason, 'LOG_REPLACED') ? 'replaced' : 'away';
    const others = readers.status === 'fulfilled' ? readers.value : this.#others('away');
    this.#parts = { ...others, ...(this.#log && { eventLog }) };
  }

  /** Every part but the event log, in this state. */
  #others(state: string): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(this.#parts).map(([part, before]) => [part, part === 'eventLog' ? before : state]),
    );
  }
}
