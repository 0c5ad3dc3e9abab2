/** Writes the given number of lines of 100 characters to standard output, waits, writes one more, and ends. */
import { setTimeout as delay } from 'node:timers/promises';
import { LineOutput } from '../../../services/runtime/line-output.ts';

const [lines = '0', waitMs = '0'] = process.argv.slice(2);
const output = new LineOutput(1, { maxBufferedBytes: 1024 * 1024, flushWithinMs: 200 });
for (let line = 0; line < Number(lines); line++) output.write(`${String(line).padEnd(99)}\n`);
await delay(Number(waitMs));
output.write('last\n');
output.flushSync();
process.exit(0);
