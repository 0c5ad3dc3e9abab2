import { TidemarkError } from '../../../runtime/errors.ts';

export function damaged(message: string, cause?: unknown): TidemarkError {
  return new TidemarkError('LOG_DAMAGED', message, { cause });
}

/** Any other error is one of the file system, and retryable: the disk is full, or does not answer. */
export function failureOf(error: unknown, doing: string): TidemarkError {
  if (error instanceof TidemarkError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new TidemarkError('LOG_UNAVAILABLE', `the event log failed ${doing}: ${reason}`, { cause: error });
}
