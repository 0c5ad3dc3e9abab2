import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One direction of a connection: passes frames on in order, each delayed, or none while frozen. */
export class Lane {
  readonly #to: Socket;
  readonly #delayMs: () => number;
  #tail: Promise<void> = Promise.resolve();
  #ice: PromiseWithResolvers<void> | undefined;
  #over = false;

  constructor(to: Socket, delayMs: () => number) {
    this.#to = to;
    this.#delayMs = delayMs;
  }

  /** Calls `then` before the next frame has its turn. */
  send(frame: Buffer, then?: () => void): void {
    const dueAt = performance.now() + this.#delayMs();
    this.#tail = this.#tail.then(() => this.#pass(frame, dueAt)).then(then);
  }

  /** Sends this, calls `then` once the system has it, and drops whatever comes after. */
  last(bytes: Buffer, then: () => void): void {
    const dueAt = performance.now() + this.#delayMs();
    this.#tail = this.#tail.then(async () => {
      await this.#pass(bytes, dueAt);
      this.#over = true;
      // The system takes the bytes before it closes: they arrive.
      this.#to.write('', () => then());
    });
  }

  freeze(): void {
    this.#ice ??= Promise.withResolvers();
  }

  thaw(): void {
    this.#ice?.resolve();
    this.#ice = undefined;
  }

  async #pass(frame: Buffer, dueAt: number): Promise<void> {
    const waitMs = dueAt - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    await this.#ice?.promise;
    if (!this.#over && this.#to.writable) this.#to.write(frame);
  }
}
