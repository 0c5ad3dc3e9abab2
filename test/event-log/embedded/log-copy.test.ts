import { openEventLog, openLogCopy } from '../../../services/event-log/open.ts';
import { testLogCopy } from '../../contract/event-log/log-copy.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

testLogCopy('an embedded log', async () => {
  const url = `log:${await temporaryFolder()}/log`;
  return {
    openCopy: (options) => openLogCopy(url, options),
    openLog: (topics) => openEventLog(url, { topics }),
  };
});
