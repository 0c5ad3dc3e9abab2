import type { EventLog } from '../event-log/event-log.ts';
import type { ReadersHealth } from './stores.ts';

/** Looks at the parts now and then, so that whoever asks for readiness never waits for a part that hangs. */
export class HealthWatch {
  readonly #readers: Pick<ReadersHealth, 'health'>;
  readonly #log: Pick<EventLog, 'check'>;
  readonly #everyMs: number;
  #parts: Readonly<Record<string, string>> = { eventLog: 'starting' };
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(readers: Pick<ReadersHealth, 'health'>, log: Pick<EventLog, 'check'>, everyMs = 1_000) {
    this.#readers = readers;
    this.#log = log;
    this.#everyMs = everyMs;
  }

  /** Each part's state as last seen: `ready`, `away`, `failed`, or `busy` where it did not say in time. */
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
    // The last look has not come back: the parts behind it are at work on something long, or hang.
    this.#parts = this.#others('busy');
  }

  async #look(): Promise<void> {
    const [readers, log] = await Promise.allSettled([this.#readers.health(), this.#log.check()]);
    const eventLog = log.status === 'fulfilled' ? 'ready' : 'away';
    this.#parts = { ...(readers.status === 'fulfilled' ? readers.value : this.#others('away')), eventLog };
  }

  /** Every part but the log in this state. */
  #others(state: string): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(this.#parts).map(([part, before]) => [part, part === 'eventLog' ? before : state]),
    );
  }
}
