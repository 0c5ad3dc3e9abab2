/**
 * `npm run bench [NAME …]`: every benchmark, or those named. Prints a table and writes it, with the machine's
 * description, to test/bench/results/. Figures of one run may be compared with each other; those of two runs on a
 * shared machine hardly.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Figures } from './figures.ts';
import { benchHttp } from './http.ts';
import { benchProjector, benchSink } from './readers.ts';
import { benchStart } from './start.ts';

const BENCHMARKS: Readonly<Record<string, (figures: Figures) => Promise<void>>> = {
  http: benchHttp,
  projector: benchProjector,
  sink: benchSink,
  start: benchStart,
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(BENCHMARKS);
const unknown = names.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  console.error(`No benchmark is called ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}.`);
  process.exit(2);
}
const figures = new Figures();
for (const name of names) await BENCHMARKS[name]?.(figures);

const folder = join(import.meta.dirname, 'results');
const file = join(folder, `${new Date().toISOString().replaceAll(':', '-')}.json`);
await mkdir(folder, { recursive: true });
await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`);
console.log(`\nwritten to ${file}`);
