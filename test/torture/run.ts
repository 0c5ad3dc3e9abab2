/**
 * `npm run torture -- [--minutes 10] [--seed N] [--form embedded|servers] [--kills K] [--no-replays] [--no-live]
 * [--no-forgetting] [--no-restore]`: load and random faults for N minutes, then
 * the comparison. Prints a summary, writes a report to test/torture/results/, and ends with 1 where anything is wrong.
 */
import { randomInt } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { embeddedScene } from './embedded-scene.ts';
import { serversScene } from './servers-scene.ts';
import { summaryOf } from './check/summary.ts';
import { torture } from './torture.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    form: { type: 'string', default: 'embedded' },
    kills: { type: 'string' },
    brokers: { type: 'string', default: '3' },
    replays: { type: 'boolean', default: true },
    live: { type: 'boolean', default: true },
    forgetting: { type: 'boolean', default: true },
    restore: { type: 'boolean', default: true },
    keep: { type: 'boolean', default: false },
  },
  allowNegative: true,
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const kills = Number(values.kills ?? Math.ceil(minutes * 6));
if (!(minutes > 0) || !Number.isSafeInteger(seed) || !Number.isSafeInteger(kills))
  fail('--minutes, --seed and --kills are numbers');
if (!['embedded', 'servers'].includes(values.form)) fail('--form is embedded or servers');

say(`seed ${seed}: run again with --form ${values.form} --minutes ${minutes} --seed ${seed} --kills ${kills}`);
const scene =
  values.form === 'embedded' ? await embeddedScene() : await serversScene({ brokers: Number(values.brokers) });
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void scene.close().then(() => process.exit(130)));
}
try {
  const options = {
    seed,
    forMs: minutes * 60_000,
    kills,
    others: Math.ceil(minutes * 14),
    lanes: 12,
    pauseMs: 60,
    quietSpeed: 0.05,
    // Where a start takes long, all of it takes half as long again and what the readers then need, not twice as long.
    maxWaitMs: minutes * 30_000,
    answered: 1,
    replays: values.replays,
    live: values.live,
    forgetting: values.forgetting,
    restoredForMs: values.restore ? minutes * 15_000 : 0,
    say,
  };
  const { report } = await torture(scene, options);
  const folder = join(import.meta.dirname, 'results');
  const file = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${values.form}-${seed}.json`);
  await mkdir(folder, { recursive: true });
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${summaryOf(report)}\nwritten to ${file}\n`);
  const all = [report.findings, report.restored?.findings];
  process.exitCode = all.every((findings) => (findings?.count() ?? 0) === 0) ? 0 : 1;
} finally {
  if (values.keep) say('the stores are left: end with Ctrl-C');
  else await scene.close();
}
if (!values.keep) process.exit();

function fail(problem: string): never {
  say(problem);
  process.exit(2);
}

function say(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}
