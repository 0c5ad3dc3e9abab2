/** A load on the event log that remembers what was acknowledged and where it went. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Appended, EventLog, NewRecord } from '../../services/event-log/event-log.ts';
import { isRetryable } from '../../services/runtime/errors.ts';

/** A record of this load: the value tells which, so that a repeat is known as one. */
export interface Numbered {
  readonly key: string;
  readonly seq: number;
}

export interface Acknowledged extends Numbered {
  readonly at: Appended;
}

export interface AppendsOptions {
  readonly log: Pick<EventLog, 'append'>;
  readonly topic: string;
  /** Each appends alone: one append after the other, repeated as it is until it is acknowledged. */
  readonly writers: number;
  /** One append holds the next record of every key of its writer. */
  readonly keysAWriter: number;
}

/** Before the same append again: short, so that a fault meets many of them. */
const PAUSE_MS = 20;

const PADDING = 'x'.repeat(200);

export class RememberingAppends {
  readonly acknowledged: Acknowledged[] = [];
  /** Appends that rejected; each was made again. */
  rejections = 0;
  /** Errors of appends that the port does not allow: none of ours, or none that waiting cures. */
  readonly wrongErrors: unknown[] = [];
  readonly #options: AppendsOptions;
  /** When each writer's last acknowledged append was begun. */
  readonly #begunAt: number[];
  #running: Promise<unknown> | undefined;
  #stopped = false;

  constructor(options: AppendsOptions) {
    this.#options = options;
    this.#begunAt = Array.from({ length: options.writers }, () => 0);
  }

  start(): void {
    const { writers } = this.#options;
    this.#running = Promise.all(Array.from({ length: writers }, (_, writer) => this.#write(writer)));
  }

  /** Resolves once every append that was begun is acknowledged. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Whether every writer has had an acknowledgement for an append begun after `sinceMs` (`performance.now`). */
  acknowledgedSince(sinceMs: number): boolean {
    return this.#begunAt.every((begunAt) => begunAt > sinceMs);
  }

  async #write(writer: number): Promise<void> {
    for (let seq = 0; !this.#stopped; seq++) {
      const numbered = this.#keys(writer).map((key) => ({ key, seq }));
      const records = numbered.map((one) => recordOf(this.#options.topic, one));
      const { at, begunAt } = await this.#appendUntilAcknowledged(records);
      this.#begunAt[writer] = begunAt;
      numbered.forEach((one, index) => this.acknowledged.push({ ...one, at: at[index] as Appended }));
    }
  }

  async #appendUntilAcknowledged(records: readonly NewRecord[]) {
    for (;;) {
      const begunAt = performance.now();
      try {
        return { at: await this.#options.log.append(records), begunAt };
      } catch (error) {
        this.rejections++;
        if (!isRetryable(error)) this.wrongErrors.push(error);
        await sleep(PAUSE_MS);
      }
    }
  }

  #keys(writer: number): readonly string[] {
    return Array.from({ length: this.#options.keysAWriter }, (_, index) => `writer ${writer}, key ${index}`);
  }
}

export function recordOf(topic: string, { key, seq }: Numbered): NewRecord {
  return { topic, key: Buffer.from(key), value: Buffer.from(JSON.stringify({ key, seq, PADDING })) };
}

/** What `recordOf` wrote. */
export function numberedOf(value: Uint8Array): Numbered {
  const { key, seq } = JSON.parse(Buffer.from(value).toString()) as Numbered;
  return { key, seq };
}
