import { describe } from 'vitest';
import { openEventLog, openRestoredLog } from '../../../services/event-log/open.ts';
import { testRestoredLog } from '../../contract/event-log/restored-log.ts';
import { serverUrl } from '../../servers/server.ts';

const url = (await serverUrl('kafka')) ?? '';

describe.skipIf(url === '')('on a broker', () => {
  testRestoredLog(
    'Kafka',
    async () => ({
      openRestored: (topics) => openRestoredLog(url, topics),
      openLog: (topics) => openEventLog(url, { topics }),
    }),
    false,
  );
});
