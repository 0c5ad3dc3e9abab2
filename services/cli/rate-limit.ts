import { InvalidArgumentError } from 'commander';

/** Wrapped, because commander (15.1) makes an empty string of a parsed `null`. */
export interface RateLimitOption {
  readonly limit: number | null;
}

/** The same for any other limit. */
export type LimitOption = RateLimitOption;

/** Reads a limit that a project may have for itself. */
export function parseLimit(text: string): LimitOption {
  if (text === 'none') return { limit: null };
  if (/^[1-9]\d{0,15}$/u.test(text)) return { limit: Number(text) };
  throw new InvalidArgumentError('It is a whole number from 1 up, or none.');
}

/** Reads `--rate-limit`. */
export function parseRateLimit(text: string): RateLimitOption {
  if (text === 'none') return { limit: null };
  if (/^[1-9]\d{0,14}$/u.test(text)) return { limit: Number(text) };
  throw new InvalidArgumentError('It is a whole number of requests a second from 1 up, or none.');
}
