/**
 * `npm run bench [NAME …]`: every benchmark, or those named. Prints a table and writes it, with the machine's
 * description, to test/bench/results/. Node has the flags of the role that `BENCH_ROLE` names, or of `all`. Figures of
 * one run may be compared with each other; those of two runs on a shared machine hardly.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Figures } from './figures.ts';
import { EMBEDDED, type Form, withServers } from './forms.ts';
import { benchMcp } from './beside/mcp.ts';
import { benchFlags } from './beside/flags.ts';
import { benchErasure } from './erasure.ts';
import { benchHttp } from './http.ts';
import { benchImport } from './import.ts';
import { benchIngestRole } from './ingest-role.ts';
import { benchLive } from './live/bench.ts';
import { benchMembers } from './members.ts';
import { benchReaderProcesses } from './reader-processes.ts';
import { benchProjector, benchSink } from './readers.ts';
import { benchReplay } from './replay.ts';
import { benchSpool } from './spool.ts';
import { benchStart } from './start.ts';

const BENCHMARKS: Readonly<Record<string, (figures: Figures, form: Form) => Promise<void>>> = {
  http: benchHttp,
  projector: benchProjector,
  sink: benchSink,
  start: benchStart,
  import: benchImport,
  replay: benchReplay,
  members: benchMembers,
  live: benchLive,
  erasure: benchErasure,
  flags: benchFlags,
  mcp: benchMcp,
};
/** The same on Kafka, Postgres and ClickHouse, started for it. */
const ON_SERVERS: typeof BENCHMARKS = {
  'servers-http': benchHttp,
  'servers-ingest': benchIngestRole,
  'servers-projector': benchProjector,
  'servers-sink': benchSink,
  'servers-readers': benchReaderProcesses,
  'servers-spool': benchSpool,
  'servers-import': benchImport,
  'servers-replay': benchReplay,
  'servers-members': benchMembers,
  'servers-live': benchLive,
  'servers-erasure': benchErasure,
  'servers-flags': benchFlags,
  'servers-mcp': benchMcp,
};
/** The same on two shards of ClickHouse. */
const ON_SHARDS: typeof BENCHMARKS = { 'shards-live': benchLive };
const ALL = Object.keys({ ...BENCHMARKS, ...ON_SERVERS, ...ON_SHARDS });

const names = process.argv.length > 2 ? process.argv.slice(2) : ALL;
const unknown = names.filter((name) => !ALL.includes(name));
if (unknown.length > 0) {
  console.error(`No benchmark is called ${unknown.join(', ')}; there are ${ALL.join(', ')}.`);
  process.exit(2);
}
const figures = new Figures();
for (const name of names) await BENCHMARKS[name]?.(figures, EMBEDDED);
for (const [benchmarks, shards] of [
  [ON_SERVERS, 1],
  [ON_SHARDS, 2],
] as const) {
  const named = names.flatMap((name) => benchmarks[name] ?? []);
  const runAll = async (form: Form): Promise<void> => {
    for (const bench of named) await bench(figures, form);
  };
  if (named.length > 0) await withServers(runAll, shards);
}

const folder = join(import.meta.dirname, 'results');
const file = join(folder, `${new Date().toISOString().replaceAll(':', '-')}.json`);
await mkdir(folder, { recursive: true, mode: 0o700 });
await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`);
console.log(`\nwritten to ${file}`);
