import type { ServiceClient } from './client/service-client.ts';

/** The surroundings of a subcommand: its settings, where it prints, and when it must end. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints to standard output: the result, and nothing else. */
  readonly out: (text: string) => void;
  /** Prints to standard error: everything else that a person should know. */
  readonly err: (text: string) => void;
  /** Standard error where it is a terminal, for progress bars. */
  readonly terminal?: NodeJS.WritableStream | undefined;
  /** Characters of a line of standard output where that is a terminal. */
  readonly columns?: number | undefined;
  /** Asks the person at the keyboard, where there is one; true only if they answer yes. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
  /** The service that the options of the command name; undefined for the one on this machine. */
  readonly service?: { readonly url?: string; readonly key?: string; readonly project?: string } | undefined;
  /** The service that answers already, for what is asked of it in between. */
  readonly client?: ServiceClient | undefined;
  /** Aborts, with `Interrupted` as its reason, when the user interrupts the command. */
  readonly signal?: AbortSignal | undefined;
}

/** The command has finished with this exit code, which reports its result. */
export class ExitCode extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.name = 'ExitCode';
    this.exitCode = exitCode;
  }
}

/** A signal of the operating system has ended the command. As shells have it, its exit code is 128 plus its number. */
export class Interrupted extends ExitCode {}
