import type { CommandEvent, CommandFailure, Progress, Work } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';

/** The end of a command. */
export type CommandEnd = Exclude<CommandEvent, { readonly progress: unknown }>;

export interface CommandHooks {
  /** Called with what it failed with where that is not a TidemarkError. */
  readonly onError: (error: unknown) => void;
  /** Awaited before the end is told. */
  readonly onEnd?: (end: CommandEnd) => Promise<void>;
}

const SIGN_OF_LIFE_MS = 1_000;

/**
 * A command under way, as an iterator of what there is to tell of it. Only the latest progress is kept for a
 * reader that is slow, and a reader waits no longer than a second for a member. Ending the iteration aborts the command.
 */
export class CommandRun implements AsyncIterableIterator<CommandEvent> {
  /** Resolves with how the command ended. */
  readonly end: Promise<CommandEnd>;
  readonly #aborting = new AbortController();
  readonly #signOfLifeMs: number;
  #latest: Progress | undefined;
  #ended: CommandEnd | undefined;
  #isDone = false;
  #wake: () => void = () => undefined;

  constructor(work: Work, hooks: CommandHooks, signOfLifeMs = SIGN_OF_LIFE_MS) {
    this.#signOfLifeMs = signOfLifeMs;
    this.end = this.#run(work, hooks);
  }

  /** Why the command was aborted, where it was. */
  get abortReason(): unknown {
    return this.#aborting.signal.reason as unknown;
  }

  /** What was last reported. */
  get latest(): Progress | undefined {
    return this.#lastReported;
  }

  #lastReported: Progress | undefined;

  abort(reason: TidemarkError): void {
    this.#aborting.abort(reason);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<CommandEvent>> {
    if (this.#isDone) return { done: true, value: undefined };
    if (this.#latest === undefined && this.#ended === undefined) await this.#change();
    if (this.#latest !== undefined) {
      const progress = this.#latest;
      this.#latest = undefined;
      return { done: false, value: { progress } };
    }
    if (this.#ended === undefined) return { done: false, value: { progress: null } };
    this.#isDone = true;
    return { done: false, value: this.#ended };
  }

  async return(): Promise<IteratorResult<CommandEvent>> {
    this.#isDone = true;
    this.abort(new TidemarkError('STOPPING', 'The caller of the command went away.'));
    return { done: true, value: undefined };
  }

  async #run(work: Work, { onError, onEnd }: CommandHooks): Promise<CommandEnd> {
    const report = (progress: Progress): void => {
      this.#latest = this.#lastReported = progress;
      this.#wake();
    };
    const { signal } = this.#aborting;
    let end: CommandEnd;
    try {
      end = { result: JSON.stringify((await work({ report, signal })) ?? null) };
    } catch (error) {
      if (!(error instanceof TidemarkError || signal.aborted)) onError(error);
      end = { failure: commandFailure(error) };
    }
    await onEnd?.(end);
    this.#ended = end;
    this.#wake();
    return end;
  }

  /** Resolves with the next change, or after the time of a sign of life. */
  async #change(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#signOfLifeMs);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
  }
}

function commandFailure(error: unknown): CommandFailure {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof TidemarkError ? { code: error.code, message } : { message };
}
