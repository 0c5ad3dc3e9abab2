import { TidemarkError } from './errors.ts';

/** A command of the command line, as the process that has the stores open carries it out. */

/** What a command was given: JSON from the control socket or the command line, not yet checked. */
export type CommandArguments = Readonly<Record<string, unknown>>;

/** How far a command has come: plain JSON. What a command adds besides is for its own subcommand to show. */
export interface Progress {
  readonly done: number;
  /** Left out while it is not known. */
  readonly total?: number;
  /** What is counted: `messages`. */
  readonly unit?: string;
  readonly [more: string]: unknown;
}

/** What a command has to do with its caller. */
export interface CommandCall {
  /** Tells the caller how far it has come, at whatever rate: a caller that reads slowly hears of the latest only. */
  readonly report: (progress: Progress) => void;
  /** Aborts when the caller goes away or gives up, and when the process stops. */
  readonly signal: AbortSignal;
}

/** What it resolves with goes to the caller as JSON. Arguments that it does not name are ignored. */
export type Command<Result = unknown> = (args: CommandArguments, call: CommandCall) => Promise<Result>;

/** The error of an argument that a command cannot use. */
export function commandInvalid(message: string): TidemarkError {
  return new TidemarkError('COMMAND_INVALID', message);
}
