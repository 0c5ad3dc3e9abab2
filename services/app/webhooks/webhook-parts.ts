/** The endpoints of webhooks, and what sends to them. */
import { readableChanges, readableUntil } from '../../questions/saved/readable-history.ts';
import { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Config } from '../../runtime/config.ts';
import { isServer } from '../../runtime/embedded.ts';
import type { Logger } from '../../runtime/logger.ts';
import { liveStores } from '../../stores/generations/live-stores.ts';
import { WebhookAddresses } from '../../webhooks/addresses.ts';
import { noteDifference } from '../../webhooks/notices.ts';
import { SqlEndpointClaims } from '../../webhooks/sql-endpoint-claims.ts';
import { SqlEndpointStore } from '../../webhooks/sql-endpoint-store.ts';
import { WebhookDeliverer } from '../../webhooks/webhook-deliverer.ts';
import { queryLimitsOf } from '../audiences/audience-parts.ts';
import type { DatabaseAndAnalytics } from '../open-stores.ts';
import { KafkaChangeTopic } from './kafka-change-topic.ts';

export interface Webhooks {
  readonly endpoints: SqlEndpointStore;
  /** Sends to the endpoints what they do not have. */
  readonly deliverer: WebhookDeliverer;
  readonly tellDifference: typeof noteDifference;
}

/** Where endpoints may lead to. */
export function endpointTargetsOf({ webhookAllow, eventLogUrl }: Config) {
  return { addresses: new WebhookAddresses(webhookAllow), isOnKafka: isServer(eventLogUrl) };
}

/** @param codec Opened when it is needed first. */
export function webhooksOf(
  config: Config,
  logger: Logger,
  { database, analytics }: DatabaseAndAnalytics,
  codec: () => Promise<Codec>,
): Webhooks {
  const saved = new SqlAudienceStore(database, config.maxProjectAudiences);
  const stores = liveStores(database, analytics);
  const readable = { saved, analytics: stores.analytics };
  const endpoints = new SqlEndpointStore(database);
  const deliverer = new WebhookDeliverer({
    ...stores,
    history: {
      until: (...of) => readableUntil(readable, ...of),
      changes: (...asked) => readableChanges(readable, ...asked),
      epochs: () => saved.liveEpochs(),
    },
    claims: new SqlEndpointClaims(database),
    endpoints,
    addresses: new WebhookAddresses(config.webhookAllow),
    ...(isServer(config.eventLogUrl) && { topic: new KafkaChangeTopic(config, logger, codec) }),
    limits: queryLimitsOf(config),
    logger,
  });
  return { endpoints, deliverer, tellDifference: noteDifference };
}
