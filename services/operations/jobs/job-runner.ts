import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandEvent, Progress, Work } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { untilAborted } from '../../runtime/pause.ts';
import { Leases } from '../../stores/database/leases.ts';
import { type CommandEnd, type CommandHooks, CommandRun } from './command-run.ts';
import {
  type DueJob,
  GO_ON,
  type Job,
  type JobCommands,
  type JobEnd,
  type JobFilter,
  type JobKind,
  type JobTerms,
  type NewJob,
} from './job.ts';
import type { SqlJobStore } from './sql-job-store.ts';

export interface JobRunnerParts {
  /** Those of the kinds that this process runs. */
  readonly commands: Partial<JobCommands>;
  readonly jobs: SqlJobStore;
  readonly logger: Pick<Logger, 'warn'>;
  readonly options?: Partial<JobRunnerOptions>;
}

export interface JobRunnerOptions {
  readonly signOfLifeMs: number;
  readonly heartbeatMs: number;
  /** How long `stop` waits for commands under way. */
  readonly stopWithinMs: number;
  /** Jobs that run at once; the others wait. */
  readonly atOnce: number;
  /** Jobs that wait. */
  readonly waiting: number;
}

const OPTIONS: JobRunnerOptions = {
  signOfLifeMs: 1_000,
  heartbeatMs: 1_000,
  stopWithinMs: 5_000,
  atOnce: 8,
  waiting: 64,
};

const CANCELLED = new TidemarkError('STOPPING', 'The job was cancelled.');
const LOST = new TidemarkError('STOPPING', 'Another process goes on with the job.');
const STOPPING = new TidemarkError('STOPPING', 'The service is stopping.');
/** The terms of a job that is wanted now. */
const AT_ONCE: JobTerms = { everyMs: 0, againAfterMs: 0 };

/**
 * Runs jobs in the process and thread that has the stores open. Other threads call what is
 * asynchronous: arguments and results can be cloned.
 */
export class JobRunner {
  readonly #commands: JobRunnerParts['commands'];
  readonly #jobs: SqlJobStore;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #options: JobRunnerOptions;
  readonly #runs = new Set<CommandRun>();
  readonly #active = new Map<string, ActiveJob>();
  readonly #stopping = new AbortController();
  #beating: NodeJS.Timeout | undefined;

  constructor({ commands, jobs, logger, options }: JobRunnerParts) {
    this.#commands = commands;
    this.#jobs = jobs;
    this.#logger = logger;
    this.#options = { ...OPTIONS, ...options };
  }

  /** Aborts when the service stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** @throws TidemarkError `STOPPING`; `TOO_MANY_QUESTIONS`; what the store throws. */
  async start(job: NewJob): Promise<Job> {
    const command = this.#commandOf(job.kind);
    const token = Leases.newToken();
    return this.#activate(await this.#jobs.add(job, token), token, command);
  }

  /** Begins a job where it is due, at once by default, and no process runs one with its arguments. @throws As `start`. */
  async startDue(job: NewJob, terms = AT_ONCE): Promise<DueJob> {
    const command = this.#commandOf(job.kind);
    const token = Leases.newToken();
    const due = await this.#jobs.addDue(job, terms, token);
    if (due.isBegun) this.#activate(due.job, token, command);
    return due;
  }

  /** Goes on with a job that another process left. Returns whether there was one. @throws What the store throws. */
  async takeUp(): Promise<boolean> {
    if (this.#stopping.signal.aborted || this.#active.size >= this.#options.atOnce) return false;
    const token = Leases.newToken();
    const kinds = GO_ON.filter((kind) => Object.hasOwn(this.#commands, kind));
    const job = await this.#jobs.takeUp(kinds, token);
    if (job !== undefined) this.#activate(job, token, this.#commandOf(job.kind));
    return job !== undefined;
  }

  /**
   * Continues a job that failed, was cancelled or interrupted; undefined where no such job is to be continued.
   *
   * @throws TidemarkError as `start`; `COMMAND_INVALID` where this version does not know the kind.
   */
  async resume(id: string): Promise<Job | undefined> {
    const found = await this.#jobs.find(id);
    if (found === undefined) return undefined;
    const command = this.#commandOf(found.kind);
    const token = Leases.newToken();
    const job = await this.#jobs.restart(id, token);
    return job && this.#activate(job, token, command);
  }

  #activate(made: Job, token: string, command: JobCommands[JobKind]): Job {
    const active = new ActiveJob(made.id, token);
    // One that was taken for dead, as no database could be reached.
    this.#active.get(made.id)?.run?.abort(LOST);
    this.#active.set(made.id, active);
    this.#beating ??= setInterval(() => void this.#beat(), this.#options.heartbeatMs).unref();
    // Its own command waits for its turn, so that who follows it sees that it waits.
    const work: Work = async (call) => {
      await active.turn(call.signal);
      const keep = (result: unknown): void => void (active.kept = JSON.stringify(result));
      return command(made.args as never, { ...call, job: { id: made.id, keep } });
    };
    // Who has the result finds the job done.
    active.run = this.#run(made.kind, work, (end) => this.#finish(active, end));
    this.#startNext();
    return made;
  }

  /** The events of a job that this process runs or ran. Ending the iteration cancels the job. */
  async follow(id: string): Promise<AsyncIterable<CommandEvent>> {
    const run = this.#active.get(id)?.run;
    if (run !== undefined) return run;
    // A short job may have ended since it was started.
    const end = endOfJob(await this.#jobs.find(id));
    if (end === undefined) throw new TidemarkError('COMMAND_INVALID', `This process does not run the job ${id}.`);
    return Readable.from([end]);
  }

  list(limit: number, filter: JobFilter): Promise<readonly Job[]> {
    return this.#jobs.list(limit, filter);
  }

  find(id: string): Promise<Job | undefined> {
    return this.#jobs.find(id);
  }

  /** Undefined where there is no such job. Does not wait for its end. */
  async cancel(id: string): Promise<Job | undefined> {
    await this.#jobs.requestCancel(id);
    this.#active.get(id)?.run?.abort(CANCELLED);
    return this.#jobs.find(id);
  }

  /** Carries out nothing more, aborts what is under way, and waits for it. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort(STOPPING);
    for (const run of this.#runs) run.abort(STOPPING);
    const ended = Promise.all([...this.#runs].map(({ end }) => end));
    await Promise.race([ended, delay(this.#options.stopWithinMs, undefined, { ref: false })]);
    clearInterval(this.#beating);
  }

  /** Ending the iteration aborts the work. @param name For the log. */
  #run(name: string, work: Work, onEnd: CommandHooks['onEnd']): CommandRun {
    const onError = (error: unknown): void => this.#logger.warn({ err: error, command: name }, 'a command failed');
    const hooks = { onError, ...(onEnd && { onEnd }) };
    const run = new CommandRun(work, hooks, this.#options.signOfLifeMs);
    this.#runs.add(run);
    void run.end.then(() => this.#runs.delete(run));
    return run;
  }

  /** @throws TidemarkError `TOO_MANY_QUESTIONS` where as many jobs wait as may; `COMMAND_INVALID`. */
  #commandOf(kind: string): JobCommands[JobKind] {
    this.#stopping.signal.throwIfAborted();
    const { atOnce, waiting } = this.#options;
    if (this.#active.size >= atOnce + waiting) {
      throw new TidemarkError('TOO_MANY_QUESTIONS', 'Too many jobs are waiting. Start this one later.');
    }
    const command = Object.hasOwn(this.#commands, kind) ? this.#commands[kind as JobKind] : undefined;
    if (command !== undefined) return command;
    throw new TidemarkError('COMMAND_INVALID', `There is no job ${JSON.stringify(kind)}.`);
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
      const beats = all.map((job) => ({ ...job.standing(), id: job.id, token: job.token, state: stateOf(job) }));
      for (const id of await this.#jobs.beat(beats)) this.#active.get(id)?.run?.abort(CANCELLED);
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#logger.warn({ err: error }, 'cannot note how far jobs have come');
    }
  }

  async #finish(job: ActiveJob, end: CommandEnd): Promise<void> {
    try {
      await this.#jobs.finish(job.id, { ...jobEnd(job, end), ...job.standing() }, job.token);
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
  /** That of its lease. */
  readonly token: string;
  run: CommandRun | undefined;
  /** JSON text of what is kept as its result, where that is not the result itself. */
  kept: string | undefined;
  readonly #turn = Promise.withResolvers<void>();
  #first: { readonly done: number; readonly atMs: number } | undefined;
  isRunning = false;

  constructor(id: string, token: string) {
    this.id = id;
    this.token = token;
  }

  start(): void {
    this.isRunning = true;
    this.#turn.resolve();
  }

  /** Resolves once the job may run. Rejects with the reason of the signal. */
  turn(signal: AbortSignal): Promise<void> {
    return untilAborted(this.#turn.promise, signal);
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
