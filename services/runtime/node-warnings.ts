import type { Logger } from './logger.ts';

/** Has the warnings of Node in this thread as lines of the log, in place of text on standard error. */
export function logWarnings(logger: Pick<Logger, 'warn'>): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => logger.warn({ err: warning }, 'a warning of Node'));
}
