/** How options and arguments are read that several subcommands have. */
import { InvalidArgumentError } from 'commander';

/** Reads a whole number from 1 up. @param wanted The error that the user sees. */
export function positiveInteger(maxDigits: number, wanted: string): (text: string) => number {
  const form = new RegExp(`^[1-9]\\d{0,${maxDigits - 1}}$`, 'u');
  return (text) => {
    if (form.test(text)) return Number(text);
    throw new InvalidArgumentError(wanted);
  };
}

/** Wrapped in an object, because commander (15.1) turns a parsed `null` into an empty string. */
export interface LimitOption {
  readonly limit: number | null;
}

/** Reads a whole number from 1 up, or `none`, which is null. */
export function limitOrNone(maxDigits: number, wanted: string): (text: string) => LimitOption {
  const number = positiveInteger(maxDigits, wanted);
  return (text) => ({ limit: text === 'none' ? null : number(text) });
}
