/** The whole service as a child process, as an operator runs it: for flow tests, kill tests and benchmarks. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { reapWithUs } from '../../servers/processes/reaped.ts';
import { placeAnalytics, placeCluster } from '../stores/new-stores.ts';

export const WRITE_KEY = 'write-key-of-the-tests-0123456789abcdef';
/** Also with the scope `audiences`, as every first read key. */
export const READ_KEY = 'read-key-of-the-tests-0123456789abcdef';
export const ADMIN_KEY = 'admin-key-of-the-tests-0123456789abcdef';

const ROOT = join(import.meta.dirname, '../../..');
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
/** What `npm start` runs; it replaces the shell, so that the child is the service itself. */
const START = MANIFEST.scripts.start;

export class ServiceProcess {
  readonly url: string;
  readonly dataDir: string;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #output: string[];

  private constructor(child: ChildProcess, url: string, dataDir: string, output: string[]) {
    this.#child = child;
    this.url = url;
    this.dataDir = dataDir;
    this.pid = child.pid ?? 0;
    this.#output = output;
  }

  /**
   * Resolves once the service says that it is ready; rejects with its output if it ends before.
   *
   * @param role `ingest`, `projector`, `sink`; none is all of them.
   * @param before What the shell runs before it.
   */
  static async start(
    dataDir: string,
    settings: Record<string, string> = {},
    role = '',
    before = '',
  ): Promise<ServiceProcess> {
    if (!('PROFILES_URL' in settings)) await placeCluster(join(dataDir, 'profiles'));
    if (!('ANALYTICS_URL' in settings)) await placeAnalytics(join(dataDir, 'analytics'));
    const child = spawn('sh', ['-c', `${before}${START} ${role}`], {
      cwd: ROOT,
      env: {
        PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
        PORT: '0',
        DATA_DIR: dataDir,
        INITIAL_WRITE_KEY: WRITE_KEY,
        INITIAL_READ_KEY: READ_KEY,
        INITIAL_ADMIN_KEY: ADMIN_KEY,
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // A hook that runs out of time has nothing yet that it could stop.
    reapWithUs(child, 'SIGKILL');
    const output: string[] = [];
    const url = await readyUrl(child, output);
    return new ServiceProcess(child, url, dataDir, output);
  }

  /** Every line it printed so far, standard error included. */
  get output(): readonly string[] {
    return this.#output;
  }

  /** POSTs JSON with the write key (GETs with the read key where there is no body). */
  request(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        api_key: body === undefined || path.includes('/audiences/') ? READ_KEY : WRITE_KEY,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** The JSON of an answer that must be 2xx: to a POST where there is a body, and with the read key, unless told. */
  async ask<T = object>(
    path: string,
    body?: object,
    { key = READ_KEY, method = body === undefined ? 'GET' : 'POST' }: { key?: string; method?: string } = {},
  ): Promise<T> {
    const headers = { api_key: key, 'content-type': 'application/json' };
    const response = await fetch(this.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} is answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  }

  /** Resolves with the exit code once the signal has ended it: null where the signal itself did. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const exit = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exit;
    return this.#child.exitCode;
  }
}

function readyUrl(child: ChildProcess, output: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const seen = (line: string): void => {
      output.push(line);
      if (!line.startsWith('{')) return;
      const { msg, address } = JSON.parse(line) as { msg?: string; address?: string };
      if (msg === 'ready' && address !== undefined) resolve(address);
    };
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', seen);
    }
    child.on('error', reject);
    child.on('close', (code) => reject(new Error(`the service ended with ${code}:\n${output.join('\n')}`)));
  });
}
