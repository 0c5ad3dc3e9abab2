import { describe } from 'vitest';
import { KafkaEventLog } from '../../../services/event-log/kafka/kafka-event-log.ts';
import { testEventLog } from '../../contract/event-log/event-log.ts';
import { serverUrl } from '../../servers/server.ts';

const url = await serverUrl('kafka');

describe.skipIf(url === undefined).each(['kafkajs', 'platformatic'])('on a broker', (client) => {
  testEventLog(`Kafka by ${client}`, (options) => KafkaEventLog.open({ url: `${url}?client=${client}`, ...options }), {
    denseOffsets: true,
    atomicAppends: false,
    oneMemberHoldsAll: false,
    cutsExactly: true,
  });
});
