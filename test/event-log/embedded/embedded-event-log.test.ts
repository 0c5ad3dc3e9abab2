import { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import { testEventLog } from '../../contract/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

testEventLog('lmdb', async (options) => EmbeddedEventLog.open({ scheme: 'lmdb', folder: await temporaryFolder(), ...options }), {
  denseOffsets: true,
  atomicAppends: true,
  oneMemberHoldsAll: true,
});
