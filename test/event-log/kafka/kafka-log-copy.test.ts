import { describe } from 'vitest';
import { openEventLog, openLogCopy } from '../../../services/event-log/open.ts';
import { testLogCopy } from '../../contract/event-log/log-copy.ts';
import { serverUrl } from '../../servers/server.ts';

const url = (await serverUrl('kafka')) ?? '';

describe.skipIf(url === '')('on a broker', () => {
  testLogCopy(
    'Kafka',
    async () => ({
      openCopy: (options) => openLogCopy(url, options),
      openLog: (topics) => openEventLog(url, { topics }),
    }),
    false,
  );
});
