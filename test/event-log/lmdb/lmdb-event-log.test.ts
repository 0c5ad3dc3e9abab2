import { LmdbEventLog } from '../../../services/event-log/lmdb/lmdb-event-log.ts';
import { testEventLog } from '../../contract/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// No lease runs out in here: whoever leaves must say so.
const leaseMs = 3_600_000;

testEventLog('lmdb', async (options) => LmdbEventLog.open({ folder: await temporaryFolder(), leaseMs, ...options }), {
  denseOffsets: true,
  atomicAppends: true,
  oneMemberHoldsAll: true,
});
