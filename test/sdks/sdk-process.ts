import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Call } from './call.ts';

/** How a process that runs the calls of an SDK is started. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/** How a run of calls went: `ended` where the SDK ended its process, `stuck` where it did not finish. */
export type Ran = 'done' | 'ended' | 'stuck';

/**
 * A program that makes the calls of one SDK with one key. It is given `url` and `key` as its last two arguments, reads a
 * list of calls from each line of its input, makes them, flushes, and prints `@done`. Those for npm flush not where the
 * list is in the member `byTimer` of an object.
 */
export class SdkProcess {
  readonly #command: Command;
  readonly #target: readonly [url: string, key: string];
  #child: ChildProcess | undefined;
  #output = '';
  #settle: (ran: Ran) => void = () => undefined;
  #endedBetween = false;

  constructor(command: Command, url: string, key: string) {
    this.#command = command;
    this.#target = [url, key];
  }

  /** The end of what it printed, for a reader who wonders why it ended. */
  get output(): string {
    return this.#output.slice(-2_000);
  }

  /** Starts the program where it does not run. It may have ended since the run before: that counts as this one's. */
  async run(calls: readonly Call[] | { readonly byTimer: readonly Call[] }, withinMs: number): Promise<Ran> {
    const { promise, resolve } = Promise.withResolvers<Ran>();
    const timer = setTimeout(() => resolve('stuck'), withinMs);
    this.#settle = resolve;
    const endedBefore = this.#endedBetween;
    this.#endedBetween = false;
    const child = (this.#child ??= this.#start());
    child.stdin?.write(`${JSON.stringify(calls)}\n`);
    const ran = await promise;
    clearTimeout(timer);
    this.#settle = () => (this.#endedBetween = true);
    if (ran === 'stuck') await this.stop();
    return endedBefore ? 'ended' : ran;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }

  #start(): ChildProcess {
    const { file, args } = this.#command;
    const child = spawn(file, [...args, ...this.#target], { stdio: 'pipe' });
    // It may end while calls are written to it.
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => (this.#output += String(error)));
    child.on('close', () => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#settle('ended');
    });
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        if (line === '@done') this.#settle('done');
        else this.#output += `${line}\n`;
      });
    }
    return child;
  }
}
