/** What a subcommand has to do with the world: its settings, where it prints, and when it must end. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output: what was asked for, and nothing else. */
  readonly out: (text: string) => void;
  /** Standard error: what a person should know besides. */
  readonly err: (text: string) => void;
  /** Standard error where it is a terminal, for what moves. */
  readonly terminal?: NodeJS.WritableStream | undefined;
  /** Lets every other process go first, from now on, but for threads begun before. */
  readonly letOthersGoFirst?: (() => void) | undefined;
  /** Asks the person at the keyboard, where there is one; false where they do not say yes. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
  /** Aborts, by `Interrupted`, when the person at the keyboard wants no more. */
  readonly signal?: AbortSignal | undefined;
}

/** A signal of the operating system has ended the command. */
export class Interrupted extends Error {
  /** As a shell says it: 128 and the signal's number. */
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('interrupted');
    this.name = 'Interrupted';
    this.exitCode = exitCode;
  }
}

/** The command has done what it could, and its exit code says what that came to. */
export class ExitCode extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.name = 'ExitCode';
    this.exitCode = exitCode;
  }
}
