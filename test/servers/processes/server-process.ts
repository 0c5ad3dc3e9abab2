import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { reapWithUs } from './reaped.ts';

const START_WITHIN_MS = 180_000;
const STOP_WITHIN_MS = 20_000;

/** What a test may do to a server. */
export interface ServerControls {
  /** Starts it where it does not run, without waiting. */
  readonly launch: () => void;
  readonly isRunning: () => boolean;
  /** Again, on the same folder and port. Resolves once it answers. */
  readonly start: () => Promise<void>;
  /** Lets it end by itself. */
  readonly stop: () => Promise<void>;
  /** SIGKILL. */
  readonly kill: () => Promise<void>;
  /** Frozen, yet its connections stay open: the way of a machine that swaps. */
  readonly pause: () => void;
  readonly resume: () => void;
}

export interface ServerProgram {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The user that runs it, for a server that refuses root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The file that its output goes to; its end is shown where it does not start. */
  readonly log: string;
  readonly stopSignal: NodeJS.Signals;
  /** What its log ends with where what a killed one left behind is still ending: it is started again then. */
  readonly heldUpBy?: RegExp;
  /** Resolves once it answers a client; rejects while it does not. */
  answers(): Promise<void>;
}

export class ServerProcess implements ServerControls {
  readonly #program: ServerProgram;
  #child: ChildProcess | undefined;

  constructor(program: ServerProgram) {
    this.#program = program;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves once the server answers; where it does not, it is gone again. */
  async start(): Promise<void> {
    await startTogether([this]);
  }

  /** Starts without waiting: brokers of one cluster answer only once enough of them are there. */
  launch(): void {
    if (this.isRunning()) return;
    const { command, args, cwd, env, user, log, stopSignal } = this.#program;
    const output = openSync(log, 'a');
    this.#child = spawn(command, args, { cwd, env: env ?? process.env, stdio: ['ignore', output, output], ...user });
    closeSync(output);
    this.#child.once('error', () => undefined);
    reapWithUs(this.#child, stopSignal);
  }

  async ready(): Promise<void> {
    const deadline = Date.now() + START_WITHIN_MS;
    for (;;) {
      const why = await this.#program.answers().then(
        () => undefined,
        (error: unknown) => String(error),
      );
      if (why === undefined) return;
      if (!this.isRunning()) await this.#launchAgain();
      if (Date.now() > deadline) throw await this.#failure(`does not answer: ${why}`);
      await wait(100);
    }
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end(this.#program.stopSignal);
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  isRunning(): boolean {
    const child = this.#child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning()) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    child.kill('SIGCONT');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
    await exited;
    clearTimeout(timer);
  }

  async #launchAgain(): Promise<void> {
    const { heldUpBy } = this.#program;
    if (heldUpBy?.test((await this.#logged()).slice(-500)) !== true)
      throw await this.#failure('ended while it started');
    this.launch();
  }

  async #failure(what: string): Promise<Error> {
    return new Error(`${this.#program.name} ${what}\n${(await this.#logged()).slice(-2_000)}`);
  }

  async #logged(): Promise<string> {
    return readFile(this.#program.log, 'utf8').catch(() => '');
  }
}

/** Starts servers of which none answers without the others. */
export async function startTogether(servers: readonly ServerProcess[]): Promise<void> {
  for (const server of servers) server.launch();
  try {
    await Promise.all(servers.map((server) => server.ready()));
  } catch (error) {
    await Promise.all(servers.map((server) => server.kill()));
    throw error;
  }
}

/** The controls of `server` alone, for an object that says more about it. */
export function controlsOf(server: ServerProcess): ServerControls {
  return {
    launch: () => server.launch(),
    isRunning: () => server.isRunning(),
    start: () => server.start(),
    stop: () => server.stop(),
    kill: () => server.kill(),
    pause: () => server.pause(),
    resume: () => server.resume(),
  };
}

/** Runs a tool to its end. @throws Error with its output where it fails. */
export async function runTool(
  command: string,
  args: readonly string[],
  options: { cwd?: string; user?: { uid: number; gid: number } } = {},
): Promise<string> {
  const { user, ...rest } = options;
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...rest, ...user });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${output.slice(-2_000)}`);
  return output;
}
