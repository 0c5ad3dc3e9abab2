import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import type { Config } from './config.ts';
import { LineOutput } from './line-output.ts';

/** Prints lines. ("Log" alone always means the event log.) */
export type Logger = PinoLogger;

/** A logger with a destination that can be emptied before the process ends. */
export interface OpenedLogger {
  readonly logger: Logger;
  /** Writes a finished line, made by the logger of another thread. */
  line(text: string): void;
  /** Writes out what is buffered, for the end of the process. */
  flush(): void;
}

// Lines buffered while the reader of standard output stalls. Past this they are dropped, so that a stalled pipe costs lines
// and not requests: pino's default writes synchronously, and a full pipe would stall the whole process.
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

/** Logs to standard output, one JSON object a line, without ever waiting for its reader. */
export function openLogger(level: Config['logLevel']): OpenedLogger {
  const output = new LineOutput(1, { maxBufferedBytes: MAX_BUFFERED_BYTES });
  return {
    logger: createLogger(level, output),
    line: (text) => output.write(text),
    flush: () => output.flushSync(),
  };
}

/** A logger on any destination. Errors are printed with their code and cause; it is never passed personal data. */
export function createLogger(level: Config['logLevel'], destination: DestinationStream): Logger {
  return pino(
    { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: levelByName } },
    destination,
  );
}

function levelByName(label: string): { level: string } {
  return { level: label };
}
