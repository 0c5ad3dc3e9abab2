/** Endpoints whose messages are written to a topic on Kafka instead of being posted. */
import { type AudienceChange, AUDIENCE_CHANGE_TOPIC } from '../messages/message.ts';
import { isRetryable, TidemarkError } from '../runtime/errors.ts';
import { untilAborted } from '../runtime/pause.ts';
import type { WebhookType } from './endpoint-store.ts';
import type { Attempt } from './send.ts';

/** The URL of such an endpoint. There is one topic, which all projects share. */
export const TOPIC_URL = `kafka:${AUDIENCE_CHANGE_TOPIC}`;

/** What is written to the topic. */
export const TOPIC_TYPES: readonly WebhookType[] = ['audience.changed', 'user.forgotten'];

/** The topic, of an installation whose log is on Kafka. It is opened when it is needed first. */
export interface ChangeTopic {
  /** Creates it where it is missing. @throws TidemarkError What keeps it from being written. */
  open(): Promise<void>;
  /**
   * Writes these, those of a user in their order. Resolves once every replica in sync has them. Where it rejects, some may
   * be there all the same.
   *
   * @throws TidemarkError as `open`; RangeError for a record that is larger than the topic takes.
   */
  append(changes: readonly AudienceChange[]): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

export function isTopicUrl(url: string): boolean {
  return url === TOPIC_URL;
}

/** The endpoint stays as it is: an installation may have moved from Kafka and move back. */
export function noKafka(): TidemarkError {
  return new TidemarkError(
    'KAFKA_MISSING',
    `The event log of this installation is not on Kafka: ${TOPIC_URL} is of no use.`,
  );
}

// The cluster is the installation's own, and each attempt waits for it: no reason to be as patient as with others' servers.
const RETRY_MS = 30_000;

/** Writes a message to the topic. Never rejects. @param topic Undefined where the log is not on Kafka. */
export async function appendToTopic(
  topic: ChangeTopic | undefined,
  changes: () => readonly AudienceChange[],
  signal: AbortSignal,
): Promise<Attempt> {
  const outcome = await appended(topic, changes, signal).then(
    (count) => ({ error: null, answer: count === 1 ? '1 record' : `${count} records`, retryAfterMs: null }),
    (error: unknown) => ({
      error: failureText(error),
      answer: '',
      retryAfterMs: isRetryable(error) ? RETRY_MS : null,
    }),
  );
  return { status: null, ...outcome };
}

async function appended(
  topic: ChangeTopic | undefined,
  changes: () => readonly AudienceChange[],
  signal: AbortSignal,
): Promise<number> {
  if (topic === undefined) throw noKafka();
  const records = changes();
  // An append cannot be ended. What it wrote is written again under the same ids.
  await untilAborted(topic.append(records), signal);
  return records.length;
}

function failureText(error: unknown): string {
  if (error instanceof TidemarkError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
