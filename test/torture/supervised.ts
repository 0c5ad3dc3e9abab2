import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reapWithUs } from '../servers/processes/reaped.ts';

const ROOT = join(import.meta.dirname, '../..');
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
const START_AGAIN_MS = 300;

export interface SupervisedOptions {
  readonly name: string;
  /** '' for all. */
  readonly role: string;
  readonly port: number;
  /** Beside PORT. */
  readonly environment: Readonly<Record<string, string>>;
  /** For its output and its clock. */
  readonly folder: string;
}

/** An end that nobody asked for. */
export interface Death {
  readonly name: string;
  readonly how: string;
  readonly output: readonly string[];
}

/** A process of the service as a supervisor keeps it: where it ends by itself, it is started again. */
export class Supervised {
  readonly name: string;
  readonly url: string;
  /** Ends that nobody asked for. */
  readonly deaths: Death[] = [];
  /** Graceful stops that did not end with 0. */
  readonly forced: Death[] = [];
  readonly #options: SupervisedOptions;
  readonly #log: string;
  readonly #clock: string;
  #child: ChildProcess | undefined;
  /** Whether the end that comes was asked for. */
  #ending = false;
  #wanted = false;

  constructor(options: SupervisedOptions) {
    this.#options = options;
    this.name = options.name;
    this.url = `http://127.0.0.1:${options.port}`;
    this.#log = join(options.folder, `${options.name}.log`);
    this.#clock = join(options.folder, `${options.name}.clock`);
    this.setClock(0);
  }

  get pid(): number | undefined {
    return this.#running() ? this.#child?.pid : undefined;
  }

  launch(): void {
    this.#wanted = true;
    if (this.#running()) return;
    this.#ending = false;
    const { role, port, environment } = this.#options;
    const output = openSync(this.#log, 'a');
    const preload = `--import=${join(import.meta.dirname, 'clock-preload.ts')}`;
    const child = spawn('sh', ['-c', `${MANIFEST.scripts.start} ${role}`], {
      cwd: ROOT,
      env: {
        PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
        ...environment,
        PORT: String(port),
        NODE_OPTIONS: preload,
        CLOCK_FILE: this.#clock,
      },
      stdio: ['ignore', output, output],
      // A session of its own: its readers, which make way for everybody else, make way for nobody outside of it.
      detached: true,
    });
    closeSync(output);
    this.#child = child;
    reapWithUs(child, 'SIGKILL');
    child.once('exit', (code, signal) => void this.#ended(child, `${code ?? signal}`));
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** One of the processes that it made, where it made some: of ingest, those that listen. */
  killChild(): boolean {
    const children = childrenOf(this.pid);
    const [first] = children;
    return first !== undefined && send(first, 'SIGKILL');
  }

  /** By SIGTERM: it must end with 0 by itself. Resolves with whether it did. */
  async stop(): Promise<boolean> {
    if (!this.#running()) return true;
    const code = await this.#end('SIGTERM');
    if (code !== 0) this.forced.push(await this.#death(String(code)));
    return code === 0;
  }

  pause(): void {
    this.#signal('SIGSTOP');
  }

  resume(): void {
    this.#signal('SIGCONT');
  }

  setClock(offsetMs: number): void {
    writeFileSync(this.#clock, String(offsetMs));
  }

  async isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(2_000) });
      await response.body?.cancel();
      return response.status === 200;
    } catch {
      return false;
    }
  }

  #running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  #signal(signal: NodeJS.Signals): void {
    for (const pid of [this.pid, ...childrenOf(this.pid)]) if (pid !== undefined) send(pid, signal);
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    this.#wanted = false;
    const child = this.#child;
    if (child === undefined || !this.#running()) return null;
    this.#ending = true;
    const ended = once(child, 'exit');
    this.#signal('SIGCONT');
    child.kill(signal);
    await ended;
    return child.exitCode;
  }

  async #ended(child: ChildProcess, how: string): Promise<void> {
    if (this.#ending || child !== this.#child) return;
    this.deaths.push(await this.#death(how));
    await sleep(START_AGAIN_MS);
    if (this.#wanted) this.launch();
  }

  async #death(how: string): Promise<Death> {
    const output = (await readFile(this.#log, 'utf8').catch(() => '')).trimEnd().split('\n');
    return { name: this.name, how, output: output.slice(-6).map((line) => line.slice(0, 1_500)) };
  }
}

/** Returns whether the process was still there. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Linux alone tells. */
function childrenOf(pid: number | undefined): number[] {
  if (pid === undefined) return [];
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return listed === '' ? [] : listed.split(' ').map(Number);
  } catch {
    return [];
  }
}
