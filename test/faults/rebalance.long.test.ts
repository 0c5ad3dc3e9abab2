import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serverUrl } from '../servers/server.ts';
import { sharedDatabase } from '../support/stores/database.ts';
import { until } from '../support/event-log/event-log.ts';
import { KAFKA_CLIENT } from '../support/event-log/kafka-client.ts';
import { ProjectorScene } from './projector-scene.ts';
import { ProxiedKafka } from './kafka/proxied-kafka.ts';

const database = sharedDatabase();
// Where one Kafka can be had, more can.
const canRun = (await serverUrl('kafka')) !== undefined;

let kafka: ProxiedKafka;

beforeAll(async () => {
  kafka = await ProxiedKafka.start(1);
});
beforeEach(() => database().script('delete from reader_positions; delete from applied'));
afterEach(() => kafka.heal());
afterAll(() => kafka?.stop());

describe.skipIf(!canRun).each([KAFKA_CLIENT])('two projectors of one group by %s', (client) => {
  const open = () => ProjectorScene.open(`${kafka.url(client)}&topic_prefix=${randomUUID()}.`, database());

  test(
    'projectors apply every message once where partitions move in the middle of a batch',
    { timeout: 90_000 },
    async () => {
      const scene = await open();
      await scene.append(1_000);
      const slow = await scene.project('held');
      await until(() => slow.waiting > 0);

      const heir = await scene.project();
      await until(() => heir.written.length > 0);
      slow.release();
      await scene.append(1_000);
      await scene.caughtUp();

      expect(slow.refused).toBeGreaterThan(0);
      expect(await scene.wrong()).toEqual({ steps: [], users: [] });
    },
  );

  test('projectors apply every message once where one was cut off and comes back', { timeout: 90_000 }, async () => {
    const scene = await open();
    await scene.append(1_000);
    const zombie = await scene.project('held');
    await until(() => zombie.waiting > 0);

    kafka.brokers[0]?.proxy.freeze();
    const heir = await scene.project();
    await until(() => heir.written.length > 0);
    kafka.brokers[0]?.proxy.thaw();
    zombie.release();
    await until(() => zombie.refused > 0);
    await scene.append(1_000);
    await scene.caughtUp();

    expect(await scene.wrong()).toEqual({ steps: [], users: [] });
  });
});
