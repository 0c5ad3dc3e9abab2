import { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import { testEventLog } from '../../contract/event-log/event-log.ts';
import { EMBEDDED_SCHEMES } from '../../support/event-log/embedded-logs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

for (const scheme of EMBEDDED_SCHEMES) {
  testEventLog(
    `${scheme}:`,
    async (options) => EmbeddedEventLog.open({ scheme, folder: await temporaryFolder(), ...options }),
    { denseOffsets: true, atomicAppends: true, oneMemberHoldsAll: true },
  );
}
