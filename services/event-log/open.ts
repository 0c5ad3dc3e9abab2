import { TidemarkError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { EventLog, EventLogOptions, LogCopy } from './event-log.ts';

/**
 * Opens the event log that a URL names: `log:FOLDER` is an embedded one, `kafka://HOST:PORT` a cluster (kafka/url.ts).
 *
 * @throws TidemarkError `CONFIG_INVALID` where the URL does not name a known kind of log, or the embedded log has another
 *   number of partitions; `LOG_FOREIGN`, `LOG_DAMAGED`, `LOG_UNAVAILABLE`, `LOG_MISCONFIGURED`, `SERVER_DENIED`,
 *   `SERVER_TOO_OLD` as the adapter finds.
 */
export async function openEventLog(url: string, options: EventLogOptions): Promise<EventLog> {
  const { scheme, rest } = schemeOf(url);
  checkOptions(options);
  switch (scheme) {
    case 'log': {
      const { EmbeddedEventLog } = await import('./embedded/embedded-event-log.ts');
      return EmbeddedEventLog.open({ folder: rest, ...options });
    }
    case 'kafka': {
      const { KafkaEventLog } = await import('./kafka/kafka-event-log.ts');
      return KafkaEventLog.open({ url, ...options });
    }
    default:
      throw unknownScheme(scheme);
  }
}

export interface ExpiringTopicOptions {
  readonly topic: string;
  /** Topics of the log, whose number of partitions it gets where it is created and `partitions` is left out. */
  readonly alike: readonly string[];
  readonly partitions?: number | undefined;
  readonly migration?: EventLogOptions['migration'] | undefined;
  /** Told where the topic exists and is set otherwise, which stays. */
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Opens a topic in the cluster of the log that is no part of it: others read it, and its records are gone after eight days.
 * It is created where it is missing.
 *
 * @throws TidemarkError `CONFIG_INVALID` where the log is not on Kafka; else as `openEventLog`.
 */
export async function openExpiringTopic(
  url: string,
  { topic, alike, partitions, migration, logger }: ExpiringTopicOptions,
): Promise<Pick<EventLog, 'append' | 'close'>> {
  const { scheme } = schemeOf(url);
  if (scheme !== 'kafka') throw new TidemarkError('CONFIG_INVALID', `the event log ${scheme}: has no other topics`);
  const { KafkaEventLog } = await import('./kafka/kafka-event-log.ts');
  const { EXPIRING_SETTINGS: settings } = await import('./kafka/topics.ts');
  const onProblems = (problems: readonly string[]): void =>
    logger.warn({ problems }, 'a topic of changes is not set as it would be created');
  return KafkaEventLog.open({ url, topics: [topic], partitions, migration, unlike: { settings, alike, onProblems } });
}

/**
 * Opens the log that a URL names to fill it, and creates it and its topics where they are absent. It is for the caller to
 * see that the log holds nothing else.
 *
 * @throws TidemarkError as `openEventLog`.
 */
export async function openLogCopy(url: string, options: EventLogOptions): Promise<LogCopy> {
  const { scheme, rest } = schemeOf(url);
  switch (scheme) {
    case 'log': {
      const { EmbeddedEventLog } = await import('./embedded/embedded-event-log.ts');
      return EmbeddedEventLog.open({ folder: rest, ...options });
    }
    case 'kafka': {
      const { KafkaLogCopy } = await import('./kafka/kafka-log-copy.ts');
      return KafkaLogCopy.open(url, options);
    }
    default:
      throw unknownScheme(scheme);
  }
}

/** The URL of a log of the same cluster whose topics have another prefix; undefined where the log is another. */
export function urlWithPrefix(url: string, prefix: string): string | undefined {
  if (!url.startsWith('kafka:')) return undefined;
  const [server = '', query] = url.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set('topic_prefix', prefix);
  return `${server}?${parameters.toString()}`;
}

function schemeOf(url: string): { readonly scheme: string; readonly rest: string } {
  const colon = url.indexOf(':');
  const [scheme, rest] = [url.slice(0, Math.max(0, colon)), url.slice(colon + 1)];
  if (url === 'log:') throw new TidemarkError('CONFIG_INVALID', 'the event log log: names no folder');
  return { scheme, rest };
}

function unknownScheme(scheme: string): TidemarkError {
  const message = `no event log is known for ${JSON.stringify(scheme)}: (known: log:, kafka:)`;
  return new TidemarkError('CONFIG_INVALID', message);
}

/**
 * Makes what the threads of this process share of an embedded log. To be called before a thread is started
 * that opens the log.
 */
export async function shareEventLog(url: string): Promise<void> {
  if (!url.startsWith('log:')) return;
  const { shareLog } = await import('./embedded/segments/shared-log.ts');
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
