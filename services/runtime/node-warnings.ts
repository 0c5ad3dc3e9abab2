import type { Logger } from './logger.ts';

/** Prints Node's warnings of this thread with the logger, in place of text on standard error. */
export function logWarnings(logger: Pick<Logger, 'warn'>): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => logger.warn({ err: warning }, 'a warning of Node'));
}
