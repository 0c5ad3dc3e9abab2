/**
 * `npm run flood -- [--minutes 3] [--only ingest]`: each part with more work than it can do and a slow store behind it, for
 * N minutes each. Prints what it held in memory; ends with 1 where something was lost or answered wrongly.
 */
import { parseArgs } from 'node:util';
import { FLOODS, type Flooded, type FloodName, Floods } from './floods.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '3' }, only: { type: 'string' } } });
const minutes = Number(values.minutes);
const names = values.only === undefined ? FLOODS : FLOODS.filter((name: FloodName) => name === values.only);
if (!(minutes > 0) || names.length === 0) {
  process.stderr.write(`--minutes is a number, --only one of ${FLOODS.join(', ')}\n`);
  process.exit(2);
}

const floods = await Floods.start();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void floods.close().then(() => process.exit(130)));
}
try {
  for (const name of names) show(await floods.run(name, minutes * 60_000));
} finally {
  await floods.close();
}
process.exit();

function show({ name, startMiB, peakMiB, middleMiB, lastMiB, answers, offeredMiB, wrong, recoveredMs }: Flooded): void {
  const memory = `${startMiB} MiB at start, ${middleMiB} in the middle third, ${lastMiB} in the last, peak ${peakMiB}`;
  const answered = Object.entries(answers).map(([status, count]) => `${count} × ${status}`);
  const offered = Number.isNaN(offeredMiB) ? '' : `; ${offeredMiB} MiB offered`;
  process.stdout.write(`${name}: ${memory}; ${answered.join(', ')}${offered}; recovered in ${recoveredMs} ms\n`);
  for (const one of wrong) process.stdout.write(`  wrong: ${one}\n`);
  if (wrong.length > 0) process.exitCode = 1;
}
