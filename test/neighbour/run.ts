/**
 * `npm run neighbour -- [--minutes 10] [--alone 1]`: how long another project's requests take while one is hostile, and
 * how long alone. The embedded service; on servers where the environment names some. Ends with 1 where a request was
 * refused.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ServiceProcess } from '../support/service/service.ts';
import { besideHostile, type Fared } from './neighbour.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, alone: { type: 'string', default: '1' } },
});
const [besideSeconds, aloneSeconds] = [Number(values.minutes) * 60, Number(values.alone) * 60];
if (!(besideSeconds > 0) || !(aloneSeconds > 0)) {
  process.stderr.write('--minutes and --alone are numbers of minutes\n');
  process.exit(2);
}

const SERVERS = ['EVENT_LOG_URL', 'PROFILES_URL', 'ANALYTICS_URL', 'SCHEMA_REGISTRY_URL'] as const;
const servers = Object.fromEntries(
  SERVERS.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
);

const DATA_DIR = await mkdtemp(join(tmpdir(), 'tidemark-neighbour-'));
const service = await ServiceProcess.start(DATA_DIR, servers);
try {
  const settings = { DATA_DIR, ...servers };
  const { alone, beside, hostile } = await besideHostile(service, settings, { aloneSeconds, besideSeconds });
  show('alone', alone);
  show('beside a hostile project', beside);
  const times = (what: keyof Fared): string => (beside[what].p99Ms / alone[what].p99Ms).toFixed(1);
  process.stdout.write(`p99: ${times('track')} times for a track, ${times('preview')} times for a preview\n`);
  process.stdout.write(`the hostile one was answered ${JSON.stringify(hostile)}\n`);
  if (beside.track.errors + beside.preview.errors > 0) process.exitCode = 1;
} finally {
  await service.stop();
  await rm(DATA_DIR, { recursive: true, force: true });
}

function show(when: string, { track, preview }: Fared): void {
  for (const [what, { p50Ms, p99Ms, longestMs, requestsPerSecond, errors }] of Object.entries({ track, preview })) {
    const rate = `${requestsPerSecond.toFixed(1)}/s`;
    const times = `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, longest ${longestMs.toFixed(1)} ms`;
    process.stdout.write(`${what} ${when}: ${rate}, ${times}, ${errors} refused or unanswered\n`);
  }
}
