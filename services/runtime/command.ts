/** What an operator has Tidemark do, as carried out by the process that has the stores open. */
import { type ErrorCode, TidemarkError } from './errors.ts';

/** What a job was given: JSON of a request. */
export type CommandArguments = Readonly<Record<string, unknown>>;

/** How far a command has come: plain JSON. A command may add members, which its own subcommand shows. */
export interface Progress {
  readonly done: number;
  /** Absent while it is not known. */
  readonly total?: number;
  /** What is counted: `messages`. */
  readonly unit?: string;
  readonly [more: string]: unknown;
}

/** A command's connection to its caller. */
export interface CommandCall {
  /** Tells the caller how far the command has come. May be called at any rate: a slow caller gets only the latest. */
  readonly report: (progress: Progress) => void;
  /** Aborts when the caller disconnects or cancels, and when the process stops. */
  readonly signal: AbortSignal;
  /** The job that carries out the command, where one does. */
  readonly job?: CommandJob;
}

export interface CommandJob {
  readonly id: string;
  /** What is kept as the job's result, where that is less than what the caller is sent. */
  readonly keep: (result: unknown) => void;
}

/** Work that takes a while. Its result is sent to the caller as JSON. */
export type Work = (call: CommandCall) => Promise<unknown>;

/** The error of an argument that a command cannot use. */
export function commandInvalid(message: string): TidemarkError {
  return new TidemarkError('COMMAND_INVALID', message);
}

/** Why a command failed. An error without a code is not a TidemarkError. */
export interface CommandFailure {
  readonly code?: ErrorCode;
  readonly message: string;
}

/**
 * What is known of a command under way: how far it has come, null as a mere sign of life; at last its result, as JSON
 * text, or why it failed.
 */
export type CommandEvent =
  { readonly progress: Progress | null } | { readonly result: string } | { readonly failure: CommandFailure };
