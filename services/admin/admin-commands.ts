import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command, CommandArguments, CommandEvent, Progress } from '../runtime/command.ts';
import { TidemarkError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { type CommandEnd, type CommandHooks, CommandRun } from './command-run.ts';
import { type Job, type JobFilter, isFinished, type NewJob, type JobEnd, type JobStore } from './jobs/job.ts';

/**
 * What operators have done, as HTTP calls it. Everything in it can be called from another thread: methods are
 * asynchronous, arguments and results can be cloned.
 */
export interface AdminPort {
  /**
   * Carries out a command, and tells how far it is. Ending the iteration aborts the command.
   *
   * @throws TidemarkError `COMMAND_INVALID` where there is no such command; `STOPPING`.
   */
  follow(name: string, args: CommandArguments): Promise<AsyncIterable<CommandEvent>>;
  /** Starts a job. @throws TidemarkError as `follow`; `TOO_MANY_QUESTIONS`; what the store throws. */
  startJob(job: NewJob): Promise<Job>;
  /**
   * Continues a job that failed, was cancelled or interrupted; undefined where no such job is to be continued.
   *
   * @throws TidemarkError as `startJob`.
   */
  resumeJob(id: string): Promise<Job | undefined>;
  /** Events of a job that this process runs or ran. Ending the iteration cancels the job. */
  followJob(id: string): Promise<AsyncIterable<CommandEvent>>;
  listJobs(limit: number, filter: JobFilter): Promise<readonly Job[]>;
  findJob(id: string): Promise<Job | undefined>;
  /** Undefined where there is no such job. Does not wait for its end. */
  cancelJob(id: string): Promise<Job | undefined>;
}

export interface AdminCommandsParts {
  /** The command of this name; undefined where no command has it. */
  readonly find: (name: string) => Command | undefined;
  readonly jobs: JobStore;
  readonly logger: Pick<Logger, 'warn'>;
  readonly options?: Partial<AdminCommandsOptions>;
}

export interface AdminCommandsOptions {
  readonly signOfLifeMs: number;
  readonly heartbeatMs: number;
  /** How long `stop` waits for commands under way. */
  readonly stopWithinMs: number;
  /** Jobs that run at once; the others wait. */
  readonly atOnce: number;
  /** Jobs that wait. */
  readonly waiting: number;
}

const OPTIONS: AdminCommandsOptions = {
  signOfLifeMs: 1_000,
  heartbeatMs: 1_000,
  stopWithinMs: 5_000,
  atOnce: 8,
  waiting: 64,
};

const CANCELLED = new TidemarkError('STOPPING', 'The job was cancelled.');
const STOPPING = new TidemarkError('STOPPING', 'The service is stopping.');

/** Carries out commands, in the process and thread that has the stores open. */
export class AdminCommands implements AdminPort {
  readonly #find: AdminCommandsParts['find'];
  readonly #jobs: JobStore;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #options: AdminCommandsOptions;
  readonly #owner = randomUUID();
  readonly #runs = new Set<CommandRun>();
  readonly #active = new Map<string, ActiveJob>();
  #beating: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor({ find, jobs, logger, options }: AdminCommandsParts) {
    this.#find = find;
    this.#jobs = jobs;
    this.#logger = logger;
    this.#options = { ...OPTIONS, ...options };
  }

  async follow(name: string, args: CommandArguments): Promise<AsyncIterable<CommandEvent>> {
    return this.#run(name, this.#command(name), args);
  }

  async startJob(job: NewJob): Promise<Job> {
    const command = this.#commandOfJob(job.kind);
    return this.#activate(await this.#jobs.add(job, this.#owner), command);
  }

  async resumeJob(id: string): Promise<Job | undefined> {
    const found = await this.#jobs.find(id);
    if (found === undefined) return undefined;
    const command = this.#commandOfJob(found.kind);
    const job = await this.#jobs.restart(id, this.#owner);
    return job && this.#activate(job, command);
  }

  #activate(made: Job, command: Command): Job {
    const active = new ActiveJob(made);
    this.#active.set(made.id, active);
    this.#beating ??= setInterval(() => void this.#beat(), this.#options.heartbeatMs).unref();
    // Its own command waits for its turn, so that who follows it sees that it waits.
    const waits: Command = async (args, call) => {
      await active.turn(call.signal);
      const keep = (result: unknown): void => void (active.kept = JSON.stringify(result));
      return command(args, { ...call, job: { id: made.id, keep } });
    };
    // A caller that has the result finds the job done.
    active.run = this.#run(made.kind, waits, made.args, (end) => this.#finish(active, end));
    this.#startNext();
    return made;
  }

  async followJob(id: string): Promise<AsyncIterable<CommandEvent>> {
    const run = this.#active.get(id)?.run;
    if (run !== undefined) return run;
    // A short job may have ended since it was started.
    const end = endOfJob(await this.#jobs.find(id));
    if (end === undefined) throw new TidemarkError('COMMAND_INVALID', `This process does not run the job ${id}.`);
    return Readable.from([end]);
  }

  listJobs(limit: number, filter: JobFilter): Promise<readonly Job[]> {
    return this.#jobs.list(limit, filter);
  }

  findJob(id: string): Promise<Job | undefined> {
    return this.#jobs.find(id);
  }

  async cancelJob(id: string): Promise<Job | undefined> {
    await this.#jobs.requestCancel(id);
    this.#active.get(id)?.run?.abort(CANCELLED);
    return this.#jobs.find(id);
  }

  /** Carries out nothing more, aborts what is under way, and waits for it. Idempotent. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const run of this.#runs) run.abort(STOPPING);
    const ended = Promise.all([...this.#runs].map(({ end }) => end));
    await Promise.race([ended, delay(this.#options.stopWithinMs, undefined, { ref: false })]);
    clearInterval(this.#beating);
  }

  /** @throws TidemarkError `TOO_MANY_QUESTIONS` where as many jobs wait as may. */
  #commandOfJob(kind: string): Command {
    const { atOnce, waiting } = this.#options;
    if (this.#active.size < atOnce + waiting) return this.#command(kind);
    throw new TidemarkError('TOO_MANY_QUESTIONS', 'Too many jobs are waiting. Start this one later.');
  }

  #command(name: string): Command {
    if (this.#isStopped) throw STOPPING;
    const command = this.#find(name);
    if (command !== undefined) return command;
    throw new TidemarkError('COMMAND_INVALID', `There is no command ${JSON.stringify(name)}.`);
  }

  #run(name: string, command: Command, args: CommandArguments, onEnd?: CommandHooks['onEnd']): CommandRun {
    const onError = (error: unknown): void => this.#logger.warn({ err: error, command: name }, 'a command failed');
    const hooks = { onError, ...(onEnd && { onEnd }) };
    const run = new CommandRun(command, args, hooks, this.#options.signOfLifeMs);
    this.#runs.add(run);
    void run.end.then(() => this.#runs.delete(run));
    return run;
  }

  #startNext(): void {
    const all = [...this.#active.values()];
    const free = this.#options.atOnce - all.filter(({ isRunning }) => isRunning).length;
    for (const job of all.filter(({ isRunning }) => !isRunning).slice(0, free)) job.start();
  }

  async #beat(): Promise<void> {
    const all = [...this.#active.values()];
    if (all.length === 0) return;
    try {
      const beats = all.map((job) => ({ ...job.standing(), id: job.id, state: stateOf(job) }));
      for (const id of await this.#jobs.beat(beats)) this.#active.get(id)?.run?.abort(CANCELLED);
    } catch (error) {
      if (!this.#isStopped) this.#logger.warn({ err: error }, 'cannot note how far jobs have come');
    }
  }

  async #finish(job: ActiveJob, end: CommandEnd): Promise<void> {
    try {
      await this.#jobs.finish(job.id, { ...jobEnd(job, end), ...job.standing() });
    } catch (error) {
      // Without more heartbeats it becomes `interrupted`.
      this.#logger.warn({ err: error, job: job.id }, 'cannot note the end of a job');
    } finally {
      // Not where it was resumed meanwhile.
      if (this.#active.get(job.id) === job) this.#active.delete(job.id);
      this.#startNext();
    }
  }
}

/** A job that this process runs, or that waits for its turn here. */
class ActiveJob {
  readonly id: string;
  run: CommandRun | undefined;
  /** JSON text of what is kept as its result, where that is not the result itself. */
  kept: string | undefined;
  readonly #turn = Promise.withResolvers<void>();
  #first: { readonly done: number; readonly atMs: number } | undefined;
  isRunning = false;

  constructor({ id }: Pick<Job, 'id'>) {
    this.id = id;
  }

  start(): void {
    this.isRunning = true;
    this.#turn.resolve();
  }

  /** Resolves once the job may run. Rejects with the reason of the signal. */
  async turn(signal: AbortSignal): Promise<void> {
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    await Promise.race([this.#turn.promise, aborted]);
    signal.removeEventListener('abort', abort);
  }

  /** How far it has come. The rate is that since the first progress that was looked at. */
  standing(): { progress: Progress | null; rate: number | null } {
    const progress = this.run?.latest;
    if (progress === undefined) return { progress: null, rate: null };
    const nowMs = performance.now();
    if (this.#first === undefined || this.#first.done > progress.done)
      this.#first = { done: progress.done, atMs: nowMs };
    const seconds = (nowMs - this.#first.atMs) / 1_000;
    return { progress, rate: seconds < 0.5 ? null : (progress.done - this.#first.done) / seconds };
  }
}

function stateOf({ isRunning }: ActiveJob): 'queued' | 'running' {
  return isRunning ? 'running' : 'queued';
}

function jobEnd({ run, kept }: ActiveJob, end: CommandEnd): Pick<JobEnd, 'state' | 'result' | 'failure'> {
  if ('result' in end) return { state: 'done', result: kept ?? end.result, failure: null };
  const reason = run?.abortReason;
  const aborted = reason === STOPPING ? 'interrupted' : 'cancelled';
  return { state: reason === undefined ? 'failed' : aborted, result: null, failure: end.failure };
}

/** Undefined of a job that has not ended, or that is not there. */
function endOfJob(job: Job | undefined): CommandEnd | undefined {
  if (job?.failure) return { failure: job.failure };
  return job !== undefined && job.result !== null ? { result: job.result } : undefined;
}

/** A job, once it has ended or this time is over. */
export async function waitForJob(
  port: Pick<AdminPort, 'findJob'>,
  id: string,
  waitMs: number,
  signal: AbortSignal,
): Promise<Job | undefined> {
  const until = performance.now() + waitMs;
  for (;;) {
    const job = await port.findJob(id);
    if (job === undefined || isFinished(job) || performance.now() >= until || signal.aborted) return job;
    await delay(Math.min(POLL_MS, Math.max(1, until - performance.now()))).catch(() => undefined);
  }
}

const POLL_MS = 250;
