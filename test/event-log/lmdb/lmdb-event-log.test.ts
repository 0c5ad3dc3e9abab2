import { LmdbEventLog } from '../../../services/event-log/lmdb/lmdb-event-log.ts';
import { testEventLog } from '../../contract/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

testEventLog('lmdb', async (options) => LmdbEventLog.open({ folder: await temporaryFolder(), ...options }), {
  denseOffsets: true,
  atomicAppends: true,
  oneMemberHoldsAll: true,
});
