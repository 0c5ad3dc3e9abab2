/**
 * Puts numbers into the spool of a folder, several appends at once, until it is killed or the spool refuses them; prints
 * each that is acknowledged, and then the refusal with the spool's state.
 */
import { lockFolder } from '../../../services/runtime/folder-lock.ts';
import type { TidemarkError } from '../../../services/runtime/errors.ts';
import { Spool } from '../../../services/event-log/spool/spool.ts';

const [folder = '', first = '0', segmentBytes = '50000'] = process.argv.slice(2);
lockFolder(folder);
const spool = await Spool.open({ folder, maxBytes: 2 ** 30, segmentBytes: Number(segmentBytes) });
const padding = 'x'.repeat(300);
let next = Number(first);
for (;;) {
  const now = Array.from({ length: 16 }, () => next++);
  const writes = await Promise.allSettled(
    now.map(async (number) => {
      const key = Buffer.from(padding);
      await spool.append([{ topic: 't', key, value: Buffer.from(String(number)) }]);
      process.stdout.write(`${number}\n`);
    }),
  );
  const failed = writes.find((write) => write.status === 'rejected');
  if (failed === undefined) continue;
  process.stdout.write(`${(failed.reason as TidemarkError).code} ${spool.state}\n`);
  process.exit();
}
