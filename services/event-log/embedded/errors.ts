import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';

export function damaged(message: string, cause?: unknown): TidemarkError {
  return new TidemarkError('LOG_DAMAGED', message, { cause });
}

// LMDB detects some damage itself (lmdb.h).
const CODES: ReadonlyMap<number, ErrorCode> = new Map([
  [-30_797, 'LOG_DAMAGED'], // MDB_PAGE_NOTFOUND
  [-30_796, 'LOG_DAMAGED'], // MDB_CORRUPTED
  [-30_793, 'LOG_DAMAGED'], // MDB_INVALID
  [-30_794, 'LOG_FOREIGN'], // MDB_VERSION_MISMATCH
]);

/** An error of LMDB or of the file system as a TidemarkError. All but damage is retryable: a full disk shows as EIO. */
export function failureOf(error: unknown, doing: string): TidemarkError {
  if (error instanceof TidemarkError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? CODES.get(Number(error.code)) : undefined;
  return new TidemarkError(code ?? 'LOG_UNAVAILABLE', `the event log failed ${doing}: ${reason}`, { cause: error });
}
