import { openEventLog, openRestoredLog } from '../../../services/event-log/open.ts';
import { testRestoredLog } from '../../contract/event-log/restored-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

testRestoredLog(
  'an embedded log',
  async () => {
    const url = `log:${await temporaryFolder()}/log`;
    return {
      openRestored: (topics) => openRestoredLog(url, topics),
      openLog: (topics) => openEventLog(url, { topics }),
    };
  },
  true,
);
