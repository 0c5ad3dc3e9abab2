import type { SinkOptions } from '../consumers/sink/copy.ts';
import { isServer } from './role.ts';

/** How big a sink's inserts may be and how often they come; what is left out is as `SinkOptions` has it. */
type Inserts = Pick<SinkOptions, 'maxRows' | 'maxChars' | 'insertEveryMs'>;

const BIG: Inserts = { maxRows: 100_000, maxChars: 48 * 1024 * 1024 };

/** Fewer and bigger than of live messages: history can wait, and big parts are what ClickHouse likes. */
export const IMPORT_INSERTS: Inserts = { ...BIG, insertEveryMs: 10_000 };

/**
 * Of live messages, once there are more than a second's worth. A server's parts may be bigger than an import's, a quarter
 * more rows a second for it; where all is in one process its memory counts.
 */
export function liveInserts(analyticsUrl: string): Inserts {
  return isServer(analyticsUrl) ? { ...BIG, maxRows: 150_000 } : {};
}
