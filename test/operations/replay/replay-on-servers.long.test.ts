import { describe } from 'vitest';
import { canRunOnServers, onServers } from '../../support/service/server-settings.ts';
import { testReplay } from './replay-tests.ts';

describe.skipIf(!(await canRunOnServers()))('on servers', () => {
  testReplay('Kafka, Postgres and ClickHouse', () => onServers());
});
