import { onTestFinished } from 'vitest';
import { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';

/** An embedded log, closed when the test ends. */
export async function openEmbedded(
  folder: string,
  topics: readonly string[] = ['t'],
  partitions?: number,
): Promise<EmbeddedEventLog> {
  const log = await EmbeddedEventLog.open({ folder, topics, partitions });
  onTestFinished(() => log.close());
  return log;
}
