import { TidemarkError } from '../runtime/errors.ts';
import type { EventLog, EventLogOptions } from './event-log.ts';

/**
 * Opens the event log that a URL names: `log:FOLDER` is an embedded one, `kafka://HOST:PORT` a cluster (kafka/url.ts).
 *
 * @throws TidemarkError `CONFIG_INVALID` where the URL does not name a known kind of log, or the embedded log has another
 *   number of partitions; `LOG_FOREIGN`, `LOG_DAMAGED`, `LOG_UNAVAILABLE`, `LOG_MISCONFIGURED`, `SERVER_DENIED`,
 *   `SERVER_TOO_OLD` as the adapter finds.
 */
export async function openEventLog(url: string, options: EventLogOptions): Promise<EventLog> {
  const colon = url.indexOf(':');
  const scheme = url.slice(0, Math.max(0, colon));
  const rest = url.slice(colon + 1);
  checkOptions(options);
  switch (scheme) {
    case 'log': {
      if (rest === '') throw new TidemarkError('CONFIG_INVALID', 'the event log log: names no folder');
      const { EmbeddedEventLog } = await import('./embedded/embedded-event-log.ts');
      return EmbeddedEventLog.open({ folder: rest, ...options });
    }
    case 'kafka': {
      const { KafkaEventLog } = await import('./kafka/kafka-event-log.ts');
      return KafkaEventLog.open({ url, ...options });
    }
    default:
      throw new TidemarkError(
        'CONFIG_INVALID',
        `no event log is known for ${JSON.stringify(scheme)}: (known: log:, kafka:)`,
      );
  }
}

/**
 * Makes what the threads of this process share of an embedded log. To be called before a thread is started
 * that opens the log.
 */
export async function shareEventLog(url: string): Promise<void> {
  if (!url.startsWith('log:')) return;
  const { shareLog } = await import('./segments/shared-log.ts');
  shareLog(url.slice('log:'.length));
}

/** The prefix of the log's topics where several installations share it; '' for none. */
export async function topicPrefixOf(url: string): Promise<string> {
  if (!url.startsWith('kafka:')) return '';
  const { parseKafkaUrl } = await import('./kafka/url.ts');
  return parseKafkaUrl(url).topicPrefix;
}

function checkOptions({ topics, partitions }: EventLogOptions): void {
  const counted = partitions === undefined || (Number.isSafeInteger(partitions) && partitions >= 1);
  if (!counted) throw new TidemarkError('CONFIG_INVALID', `${partitions} is not a valid number of partitions`);
  if (topics.length === 0 || new Set(topics).size < topics.length) {
    throw new TidemarkError('CONFIG_INVALID', 'the topics of the event log must be given, each once');
  }
}
