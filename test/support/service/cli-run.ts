import { onTestFinished } from 'vitest';
import { type CliContext, Interrupted } from '../../../services/cli/context.ts';
import { runCli } from '../../../services/cli/run-cli.ts';
import { eventually } from '../eventually.ts';

/** A command of the command line in this process. It is interrupted when the test ends. */
export class CliRun {
  out = '';
  err = '';
  readonly code: Promise<number>;
  readonly #interruption = new AbortController();

  constructor(argv: readonly string[], context: Partial<CliContext> = {}) {
    this.code = runCli(argv, {
      env: {},
      out: (text) => void (this.out += text),
      err: (text) => void (this.err += text),
      signal: this.#interruption.signal,
      ...context,
    });
    onTestFinished(() => this.interrupt());
  }

  get lines(): readonly string[] {
    return this.out.split('\n').slice(0, -1);
  }

  /** As Ctrl-C does. */
  interrupt(): void {
    this.#interruption.abort(new Interrupted(130));
  }

  /** Resolves once this holds. */
  async until(condition: (run: this) => boolean): Promise<void> {
    await eventually(() => {
      if (!condition(this)) throw new Error(`printed: ${this.out}${this.err}`);
    });
  }
}
