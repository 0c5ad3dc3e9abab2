/** Load from a separate process: wrk where the machine has it, else autocannon (from npm); at a fixed rate `paced-load.ts`. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HEADERS, type Shape } from './bodies.ts';
import type { PacedReport } from './paced-load.ts';

const run = promisify(execFile);

export interface Load {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
}

/** Requests evenly spaced. */
export interface PacedLoad extends Load {
  /** Requests a second over all connections. */
  readonly rate: number;
  /** Before what is measured, without a pause between: until both sides are compiled, they fall behind. */
  readonly warmUpSeconds: number;
  /** One after the other in place of the body and the path; as JSON 128 KiB at most. */
  readonly inTurn?: readonly { readonly path: string; readonly body: string }[];
}

export interface Answered {
  readonly tool: string;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were not 2xx, and connections that failed. */
  readonly errors: number;
}

/** As many requests as the server answers. */
export async function generateLoad(load: Load): Promise<Answered> {
  return (await hasWrk()) ? withWrk(load) : withAutocannon(load);
}

export function loadShape(
  { path, body, connections }: Shape,
  { url }: { readonly url: string },
  seconds: number,
): Promise<Answered> {
  return generateLoad({ url: url + path, body, headers: HEADERS, connections, seconds });
}

let wrk: Promise<boolean> | undefined;

function hasWrk(): Promise<boolean> {
  wrk ??= run('sh', ['-c', 'command -v wrk']).then(
    () => true,
    () => false,
  );
  return wrk;
}

async function withWrk({ url, body, headers, connections, seconds }: Load): Promise<Answered> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-load-'));
  const script = join(folder, 'post.lua');
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers[${lua(name)}] = ${lua(value)}`);
  await writeFile(script, ['wrk.method = "POST"', `wrk.body = ${lua(body)}`, ...lines].join('\n'));
  try {
    const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script, url];
    return readWrk((await run('wrk', options)).stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function lua(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function readWrk(output: string): Answered {
  const number = (pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? 0);
  const latency = (percentile: number): number => {
    const match = new RegExp(`${percentile}%\\s+([\\d.]+)(us|ms|s)`).exec(output);
    return Number(match?.[1]) * { us: 0.001, ms: 1, s: 1000 }[(match?.[2] ?? 'ms') as 'us' | 'ms' | 's'];
  };
  const socket = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output)?.slice(1) ?? [];
  return {
    tool: 'wrk',
    requestsPerSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p50Ms: latency(50),
    p99Ms: latency(99),
    errors: socket.reduce((sum, count) => sum + Number(count), number(/Non-2xx or 3xx responses: (\d+)/)),
  };
}

interface AutocannonReport {
  readonly requests: { readonly average: number };
  readonly latency: { readonly p50: number; readonly p99: number };
  readonly errors: number;
  readonly non2xx: number;
}

async function withAutocannon({ url, body, headers, connections, seconds }: Load): Promise<Answered> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const options = ['-j', '-n', '-m', 'POST', '-c', String(connections), '-d', String(seconds), '-b', body, ...given];
  const autocannon = join(import.meta.dirname, '../../node_modules/autocannon/autocannon.js');
  const { stdout } = await run(process.execPath, [autocannon, ...options, url], { maxBuffer: 2 ** 24 });
  const report = JSON.parse(stdout) as AutocannonReport;
  return {
    tool: 'autocannon',
    requestsPerSecond: report.requests.average,
    p50Ms: report.latency.p50,
    p99Ms: report.latency.p99,
    errors: report.errors + report.non2xx,
  };
}

// V8's helper threads, that collect garbage and compile, would take the processor from the server that is measured: in
// milliseconds at a time, which are its p99.
const QUIET = ['--single-threaded', '--max-semi-space-size=64'];

export async function generatePacedLoad(load: PacedLoad): Promise<Answered & { readonly longestMs: number }> {
  const script = join(import.meta.dirname, 'paced-load.ts');
  const { stdout } = await run(process.execPath, [...QUIET, script, JSON.stringify(load)]);
  const { answered, errors, p50Us, p99Us, longestUs } = JSON.parse(stdout) as PacedReport;
  return {
    tool: 'paced',
    requestsPerSecond: answered / load.seconds,
    p50Ms: p50Us / 1000,
    p99Ms: p99Us / 1000,
    longestMs: longestUs / 1000,
    errors,
  };
}
