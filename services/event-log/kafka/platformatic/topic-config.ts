import { setTimeout as sleep } from 'node:timers/promises';
import { faultOf, KAFKA } from '../faults.ts';
import { TOPIC_RESOURCE } from '../wire.ts';
import { TIMESTAMP_TYPE } from '../topics.ts';
import type { KafkaSettings } from '../url.ts';
import type { KafkaWire } from '../wire.ts';
import { callApi, expectNoError, platformaticFault } from './answers.ts';
import { APIS } from './apis.ts';
import { closePool, openPool } from './client.ts';
import { brokerOf, connectionOptionsOf } from './options.ts';

const SET_CONFIG = 0 as const;
const POLL_CONFIG_MS = 100;
const CONFIG_WITHIN_MS = 10_000;
/** A broker uses a setting shortly after it tells that it has it. */
const SETTLED_MS = 1_000;

export interface ConfiguredTopics {
  readonly wire: Pick<KafkaWire, 'configs'>;
  readonly settings: KafkaSettings;
}

/**
 * Sets whose time the records of these topics have, unless they have it. Resolves once brokers use it.
 *
 * @throws KafkaFault
 */
export async function setTimestamps(
  { wire, settings }: ConfiguredTopics,
  topics: readonly string[],
  value: string,
): Promise<void> {
  const areSet = async (): Promise<boolean> => {
    const configs = await wire.configs(topics);
    return topics.every((topic) => configs.get(topic)?.get(TIMESTAMP_TYPE) === value);
  };
  if (await areSet()) return;
  await setTopicConfig(settings, topics, TIMESTAMP_TYPE, value);
  const deadlineMs = performance.now() + CONFIG_WITHIN_MS;
  while (!(await areSet())) {
    if (performance.now() > deadlineMs) throw faultOf(KAFKA.REQUEST_TIMED_OUT, `setting ${TIMESTAMP_TYPE}`);
    await sleep(POLL_CONFIG_MS);
  }
  await sleep(SETTLED_MS);
}

/** Sets one setting of these topics; the others stay. kafkajs can only set all of them. @throws KafkaFault */
async function setTopicConfig(
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
