/**
 * `npm run log-faults -- [--kills 1000] [--flips 1000] [--seed N]`: kills the writers of a log of segments, and changes
 * single bits of logs. Prints a line of totals for each; ends with 1 where a record is lost or wrong.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Dice } from '../torture/dice.ts';
import { flipBits } from './flips.ts';
import { killWriters } from './kills.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    flips: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const [kills, flips, seed] = [Number(values.kills), Number(values.flips), Number(values.seed)];
if (![kills, flips, seed].every((number) => Number.isSafeInteger(number) && number >= 0)) {
  process.stderr.write('--kills, --flips and --seed are whole numbers\n');
  process.exit(2);
}

const folder = await mkdtemp(join(tmpdir(), 'tidemark-log-faults-'));
const dice = new Dice(seed);
process.stdout.write(`seed ${seed}\n`);
const flipped = flipBits(join(folder, 'flips'), { flips, dice: dice.fork() });
process.stdout.write(
  `${flips} flips: ${flipped.acknowledged} records acknowledged, ${flipped.named} damaged and named, ` +
    `${flipped.unopened} refused a second opener, ${flipped.wrong.length} wrong\n`,
);
const killed = await killWriters(join(folder, 'kills'), { kills, dice: dice.fork(), after: showProgress });
const steps = Object.entries(killed.steps).map(([step, count]) => `${count} ${step}`);
process.stdout.write(
  `${killed.kills} kills (${steps.join(', ')}): ${killed.acknowledged} acknowledged, ` +
    `${killed.lost.length} lost, ${killed.wrong.length} wrong\n`,
);
const found = [...flipped.wrong, ...killed.lost.map((one) => `lost: ${one}`), ...killed.wrong];
for (const one of found) process.stdout.write(`  ${one}\n`);
if (found.length === 0) await rm(folder, { recursive: true, force: true });
else process.stdout.write(`what is left of the logs is in ${folder}\n`);
process.exit(found.length === 0 ? 0 : 1);

function showProgress(done: number): void {
  if (done % 50 === 0) process.stderr.write(`${done} of ${kills} kills\n`);
}
