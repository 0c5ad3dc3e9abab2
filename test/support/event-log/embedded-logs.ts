import { onTestFinished } from 'vitest';
import { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';

/** What stores an embedded log, by the scheme of its URL. */
export const EMBEDDED_SCHEMES = ['lmdb', 'log'] as const;
export type EmbeddedScheme = (typeof EMBEDDED_SCHEMES)[number];

/** An embedded log, closed when the test ends. */
export async function openEmbedded(
  scheme: EmbeddedScheme,
  folder: string,
  topics: readonly string[] = ['t'],
  partitions?: number,
): Promise<EmbeddedEventLog> {
  const log = await EmbeddedEventLog.open({ scheme, folder, topics, partitions });
  onTestFinished(() => log.close());
  return log;
}
