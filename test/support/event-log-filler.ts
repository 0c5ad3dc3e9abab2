/**
 * Appends records of about 1,000 bytes until the log refuses, prints the acknowledged as `partition offset number`, then
 * the code of the refusal and whether it is retryable, then how many records the log holds, and ends. Argument: folder.
 */
import { openEventLog } from '../../services/event-log/open.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';
import { record } from './event-log-records.ts';

const log = await openEventLog(`lmdb:${process.argv[2]}`, { topics: ['t'] });
try {
  for (let i = 0; i < 50_000; i++) {
    const [appended] = await log.append([record('t', `key-${i}`, `${i}`.padStart(1_000, '0'))]);
    process.stdout.write(`${appended?.partition} ${appended?.offset} ${i}\n`);
  }
} catch (error) {
  if (!(error instanceof TidemarkError)) throw error;
  process.stdout.write(`${error.code} ${error.retryable}\n`);
}
const ends = await log.ends(['t']);
process.stdout.write(`${ends.reduce((sum, { offset }) => sum + offset, 0n)}\n`);
await log.close();
