import { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import { testEventLog } from '../../contract/event-log/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

testEventLog('log:', async (options) => EmbeddedEventLog.open({ folder: await temporaryFolder(), ...options }), {
  denseOffsets: true,
  atomicAppends: true,
  oneMemberHoldsAll: true,
});
