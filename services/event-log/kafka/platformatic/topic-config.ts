import { TOPIC_RESOURCE } from '../request.ts';
import type { KafkaSettings } from '../url.ts';
import { callApi, expectNoError, platformaticFault } from './answers.ts';
import { APIS } from './apis.ts';
import { closePool, openPool } from './client.ts';
import { brokerOf, connectionOptionsOf } from './options.ts';

const SET_CONFIG = 0 as const;

/** Sets one setting of these topics; the others stay. kafkajs can only set all of them. @throws KafkaFault */
export async function setTopicConfig(
  settings: KafkaSettings,
  topics: readonly string[],
  name: string,
  value: string,
): Promise<void> {
  const seeds = settings.brokers.map(brokerOf);
  const pool = openPool(settings.clientId, connectionOptionsOf(settings, seeds));
  const configs = [{ name, value, configOperation: SET_CONFIG }];
  const resources = topics.map((resourceName) => ({ resourceType: TOPIC_RESOURCE, resourceName, configs }) as const);
  try {
    const connection = await pool.getFirstAvailable(seeds).catch((error: unknown) => {
      throw platformaticFault(error);
    });
    const { responses } = await callApi(connection, APIS.incrementalAlterConfigs, resources, false);
    for (const { errorCode, resourceName } of responses) expectNoError(errorCode, `setting ${name} of ${resourceName}`);
  } finally {
    await closePool(pool);
  }
}
