import { readableChanges, readableUntil } from '../../questions/saved/readable-history.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Config } from '../../runtime/config.ts';
import { isServer } from '../../runtime/embedded.ts';
import type { Logger } from '../../runtime/logger.ts';
import { WebhookAddresses } from '../../webhooks/addresses.ts';
import { SqlEndpointClaims } from '../../webhooks/sql-endpoint-claims.ts';
import { SqlEndpointStore } from '../../webhooks/sql-endpoint-store.ts';
import { WebhookDeliverer } from '../../webhooks/webhook-deliverer.ts';
import type { SharedStores } from '../stores.ts';
import { KafkaChangeTopic } from './kafka-change-topic.ts';

/** Sends to the endpoints of webhooks what they do not have. @param codec Opened when it is needed first. */
export function webhookDelivererOf(
  config: Config,
  logger: Logger,
  shared: SharedStores,
  codec: () => Promise<Codec>,
): WebhookDeliverer {
  const { database, saved } = shared;
  return new WebhookDeliverer({
    ...shared,
    history: {
      until: (...of) => readableUntil(shared, ...of),
      changes: (...asked) => readableChanges(shared, ...asked),
      epochs: () => saved.liveEpochs(),
    },
    claims: new SqlEndpointClaims(database),
    endpoints: new SqlEndpointStore(database),
    addresses: new WebhookAddresses(config.webhookAllow),
    ...(isServer(config.eventLogUrl) && { topic: new KafkaChangeTopic(config, logger, codec) }),
    logger,
  });
}
