/** Reads as the member of a group and prints how many partitions it holds whenever that changes. Arguments: folder, leaseMs. */
import { LmdbEventLog } from '../../services/event-log/lmdb/lmdb-event-log.ts';

const [folder = '', leaseMs = ''] = process.argv.slice(2);
const log = await LmdbEventLog.open({ folder, topics: ['t'], leaseMs: Number(leaseMs) });
const reader = await log.openReader({ group: 'g', topics: ['t'], start: () => Promise.resolve([]) });
let held = -1;

for (;;) {
  await reader.poll({ maxRecords: 100, maxBytes: 1_000_000, maxWaitMs: 20 });
  if (reader.assigned().length === held) continue;
  held = reader.assigned().length;
  process.stdout.write(`holds ${held}\n`);
}
