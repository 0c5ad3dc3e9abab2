import { openExpiringTopic } from '../../event-log/open.ts';
import type { Codec } from '../../messages/codec.ts';
import { type AudienceChange, AUDIENCE_CHANGE_TOPIC, TOPICS } from '../../messages/message.ts';
import { partitionKeyOf } from '../../messages/user-key.ts';
import type { Config } from '../../runtime/config.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { ChangeTopic } from '../../webhooks/topic.ts';

type LogConfig = Pick<Config, 'eventLogUrl' | 'eventLogPartitions' | 'migrate'>;
type OpenedTopic = Awaited<ReturnType<typeof openExpiringTopic>>;

/** The topic in the cluster of the log, by connections of its own. Records have the key and the framing of messages. */
export class KafkaChangeTopic implements ChangeTopic {
  readonly #config: LogConfig;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #codec: () => Promise<Codec>;
  #opening: Promise<OpenedTopic> | undefined;
  #isClosed = false;

  constructor(config: LogConfig, logger: Pick<Logger, 'warn'>, codec: () => Promise<Codec>) {
    this.#config = config;
    this.#logger = logger;
    this.#codec = codec;
  }

  async open(): Promise<void> {
    await this.#opened();
  }

  async append(changes: readonly AudienceChange[]): Promise<void> {
    const [topic, codec] = await Promise.all([this.#opened(), this.#codec()]);
    await topic.append(
      changes.map((change) => ({
        topic: AUDIENCE_CHANGE_TOPIC,
        key: partitionKeyOf(change),
        value: codec.encodeAudienceChange(change),
      })),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const topic = await this.#opening?.catch(() => undefined);
    await topic?.close();
  }

  /** Once; again where it has failed. */
  #opened(): Promise<OpenedTopic> {
    if (this.#isClosed) return Promise.reject(new TidemarkError('STOPPING', 'the topic of changes is closed'));
    if (this.#opening !== undefined) return this.#opening;
    const { eventLogUrl, eventLogPartitions: partitions, migrate } = this.#config;
    const options = {
      topic: AUDIENCE_CHANGE_TOPIC,
      alike: TOPICS,
      partitions,
      migration: { isOn: migrate },
      logger: this.#logger,
    };
    this.#opening = openExpiringTopic(eventLogUrl, options);
    this.#opening.catch(() => (this.#opening = undefined));
    return this.#opening;
  }
}
