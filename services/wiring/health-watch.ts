import type { EventLog } from '../event-log/event-log.ts';
import type { ReaderPart, ReadersHealth } from './stores.ts';

/** Looks at the parts now and then, so that whoever asks for readiness never waits for a part that hangs. */
export class HealthWatch {
  readonly #readers: Pick<ReadersHealth, 'health'>;
  readonly #log: Pick<EventLog, 'check'>;
  readonly #everyMs: number;
  #parts: Readonly<Record<ReaderPart | 'eventLog', string>> = {
    eventLog: 'starting',
    profiles: 'starting',
    analytics: 'starting',
    projector: 'starting',
    sink: 'starting',
  };
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(readers: Pick<ReadersHealth, 'health'>, log: Pick<EventLog, 'check'>, everyMs = 1_000) {
    this.#readers = readers;
    this.#log = log;
    this.#everyMs = everyMs;
  }

  /** Each part's state as last seen: `ready`, `away`, `failed`, or `busy` where it did not say in time. */
  get parts(): Readonly<Record<ReaderPart | 'eventLog', string>> {
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
    const { eventLog } = this.#parts;
    this.#parts = { eventLog, profiles: 'busy', analytics: 'busy', projector: 'busy', sink: 'busy' };
  }

  async #look(): Promise<void> {
    const [readers, log] = await Promise.allSettled([this.#readers.health(), this.#log.check()]);
    const eventLog = log.status === 'fulfilled' ? 'ready' : 'away';
    const away = { profiles: 'away', analytics: 'away', projector: 'away', sink: 'away' };
    this.#parts = { eventLog, ...(readers.status === 'fulfilled' ? readers.value : away) };
  }
}
