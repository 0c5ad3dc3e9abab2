import { Heartbeat } from '../../operations/status/heartbeat.ts';
import { readableChanges, readableUntil } from '../../questions/saved/readable-history.ts';
import type { Codec } from '../../messages/codec.ts';
import type { Config } from '../../runtime/config.ts';
import { isServer } from '../../runtime/embedded.ts';
import type { Logger } from '../../runtime/logger.ts';
import { WebhookAddresses } from '../../webhooks/addresses.ts';
import { SqlEndpointClaims } from '../../webhooks/sql-endpoint-claims.ts';
import { SqlEndpointStore } from '../../webhooks/sql-endpoint-store.ts';
import { WebhookDeliverer } from '../../webhooks/webhook-deliverer.ts';
import { HealthWatch } from '../health-watch.ts';
import { openStores, WITHOUT_LOG } from '../lazy-stores.ts';
import type { ProcessParts } from '../process-parts.ts';
import { statesOf } from '../readers/readers.ts';
import type { Running } from '../role.ts';
import { type SharedStores, sharedStoresOn } from '../stores.ts';
import { KafkaChangeTopic } from './kafka-change-topic.ts';

/**
 * Sends to the endpoints of webhooks what they do not have.
 *
 * @param codec Opened when it is needed first. Left out in the role `webhooks`, which sends to URLs alone.
 */
export function webhookDelivererOf(
  config: Config,
  logger: Logger,
  shared: SharedStores,
  codec?: () => Promise<Codec>,
): WebhookDeliverer {
  const { database, saved } = shared;
  return new WebhookDeliverer({
    ...shared,
    history: {
      until: (...of) => readableUntil(shared, ...of),
      changes: (...asked) => readableChanges(shared, ...asked),
      epochs: () => saved.liveEpochs(),
    },
    claims: new SqlEndpointClaims(database, codec === undefined ? 'webhooks' : 'others'),
    endpoints: new SqlEndpointStore(database),
    addresses: new WebhookAddresses(config.webhookAllow),
    ...(codec && isServer(config.eventLogUrl) && { topic: new KafkaChangeTopic(config, logger, codec) }),
    logger,
  });
}

/** The role `webhooks`: opens neither the log nor the registry. By its heartbeat the other processes leave URLs to it. */
export async function startWebhooks(
  parts: ProcessParts,
  config: Config,
  logger: Logger,
): Promise<Pick<Running, 'ended'> & { readonly health: HealthWatch }> {
  const stores = await openStores(parts, config, logger, WITHOUT_LOG);
  const shared = sharedStoresOn(config, stores);
  const states = () => statesOf(stores.database, stores.analytics);
  const observe = async () => ({ parts: await states(), counters: {} });
  const health = new HealthWatch({ health: states });
  await parts.start(
    health,
    new Heartbeat({ role: 'webhooks', part: 'webhooks', processes: shared.processes, observe, logger }),
  );
  // This is what ends what is read for webhooks.
  await parts.start(webhookDelivererOf(config, logger, shared), { stop: () => stores.analytics.close() });
  return { ended: new Promise<never>(() => undefined), health };
}
