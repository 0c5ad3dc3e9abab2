/**
 * Appends records of about 1,000 bytes until the log refuses, prints the acknowledged as `partition offset number`, then
 * the code of the refusal and whether it is retryable, then how many records the log holds, and ends. Argument: the log's URL.
 * With the argument `again` it then lifts its own limit of a file's size and appends 100 more, each until it is taken.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEventLog } from '../../../services/event-log/open.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { record } from '../event-log/event-log-records.ts';

const [url = '', again] = process.argv.slice(2);
const log = await openEventLog(url, { topics: ['t'] });
let next = 0;
while (next < 50_000 && (await append(next))) next++;
if (again === 'again') {
  execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited:unlimited']);
  for (const end = next + 100; next < end; next++) while (!(await append(next))) await sleep(20);
}
process.stdout.write(`${(await log.ends(['t'])).reduce((sum, { offset }) => sum + offset, 0n)}\n`);
await log.close();

/** False where the log refuses it. */
async function append(number: number): Promise<boolean> {
  try {
    const [appended] = await log.append([record('t', `key-${number}`, `${number}`.padStart(1_000, '0'))]);
    process.stdout.write(`${appended?.partition} ${appended?.offset} ${number}\n`);
    return true;
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    process.stdout.write(`${error.code} ${error.retryable}\n`);
    return false;
  }
}
