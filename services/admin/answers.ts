/** How commands are answered over HTTP: with their result, as a stream of lines, or with the job that they became. */
import { Readable } from 'node:stream';
import { LOCAL_KEY } from '../http/access/authenticate.ts';
import type { Answer, Change } from '../http/route.ts';
import type { Call } from '../http/call.ts';
import { type Refusal, renderRefusal } from '../http/problems.ts';
import type { CommandArguments, CommandEvent } from '../runtime/command.ts';
import { TidemarkError } from '../runtime/errors.ts';
import type { AdminPort } from './admin-commands.ts';
import type { CommandEnd } from './command-run.ts';
import { problemText, refusalOfFailure } from './failures.ts';
import type { Job, NewJob } from './jobs/job.ts';
import { jobJson, jobPath } from './jobs/job-json.ts';

/** What is needed of a request. */
export type AdminCall = Pick<Call, 'params' | 'query' | 'text' | 'headers' | 'signal' | 'key' | 'req' | 'isLocal'>;

/** A command to be carried out, and how its result is answered. */
export interface Order {
  readonly name: string;
  readonly args: CommandArguments;
  /** The answer to its result, which is JSON text; 200 with the result itself where left out. */
  readonly answer?: (result: string) => Answer | Refusal;
}

export const NDJSON = 'application/x-ndjson';

/** Answers with the result of a command, or streams its progress where it changes nothing and the client accepts that. */
export async function answerCommand(port: AdminPort, call: AdminCall, order: Order): Promise<Answer | Refusal> {
  const events = await port.follow(order.name, order.args).catch(failed);
  if ('refused' in events) return events;
  if (acceptsLines(call) && call.req.method === 'GET') return streamOf(events);
  const end = await endOfRun(events, call.signal);
  if ('failure' in end) return refusalOfFailure(end.failure, call.req.method);
  return order.answer?.(end.result) ?? { status: 200, body: end.result };
}

/** The result of a command that another answer is made from. */
export async function resultOf<T>(port: AdminPort, call: AdminCall, { name, args }: Order): Promise<T | Refusal> {
  const events = await port.follow(name, args).catch(failed);
  if ('refused' in events) return events;
  const end = await endOfRun(events, call.signal);
  return 'failure' in end ? refusalOfFailure(end.failure, call.req.method) : (JSON.parse(end.result) as T);
}

/**
 * Starts a job: 202 with where it is found, or a stream of its progress and result whose client cancels it by leaving.
 *
 * @param action What it changes, for the audit log; undefined for nothing.
 */
export async function answerJob(
  port: AdminPort,
  call: AdminCall,
  job: Omit<NewJob, 'principal'>,
  action?: string,
): Promise<Answer | Refusal> {
  const principal = call.key?.id ?? LOCAL_KEY.id;
  return answerStarted(port, call, () => port.startJob({ ...job, principal }), action);
}

/** The same, however the job is started. */
export async function answerStarted(
  port: AdminPort,
  call: AdminCall,
  start: () => Promise<Job>,
  action: string | undefined,
): Promise<Answer | Refusal> {
  try {
    const started = await start();
    const headers = { Location: jobPath(started.id) };
    const change = action === undefined ? {} : { audit: jobChange(action, started) };
    if (acceptsLines(call)) return { ...streamOf(await port.followJob(started.id), headers), ...change };
    return { status: 202, body: jobJson(started), headers, ...change };
  } catch (error) {
    return failed(error);
  }
}

function jobChange(action: string, { id, args }: Job): Change {
  const { project } = args;
  return { action, object: id, project: typeof project === 'string' ? project : null, after: JSON.stringify(args) };
}

function failed(error: unknown): Refusal {
  if (!(error instanceof TidemarkError)) throw error;
  return refusalOfFailure(error, undefined);
}

function acceptsLines({ headers }: AdminCall): boolean {
  return headers.accept?.includes(NDJSON) === true;
}

async function endOfRun(events: AsyncIterable<CommandEvent>, signal: AbortSignal): Promise<CommandEnd> {
  const iterator = events[Symbol.asyncIterator]();
  const leave = (): void => void iterator.return?.();
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) return { failure: { code: 'STOPPING', message: 'The command was given up.' } };
      if (!('progress' in next.value)) return next.value;
    }
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

function streamOf(events: AsyncIterable<CommandEvent>, headers: Readonly<Record<string, string>> = {}): Answer {
  const body = Readable.from(new EventLines(events[Symbol.asyncIterator]()), { objectMode: false });
  const lastWords = (why: Refusal): string => `{"problem":${renderRefusal(why, 'problem').body}}\n`;
  return { status: 200, type: NDJSON, body, headers, lastWords };
}

// Not a generator: ending a generator waits for its pending read.
class EventLines implements AsyncIterableIterator<Buffer> {
  readonly #events: AsyncIterator<CommandEvent>;

  constructor(events: AsyncIterator<CommandEvent>) {
    this.#events = events;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer>> {
    const next = await this.#events.next();
    if (next.done === true) return { done: true, value: undefined };
    return { done: false, value: Buffer.from(`${eventLine(next.value)}\n`) };
  }

  async return(): Promise<IteratorResult<Buffer>> {
    await this.#events.return?.();
    return { done: true, value: undefined };
  }
}

function eventLine(event: CommandEvent): string {
  if ('progress' in event) return JSON.stringify(event);
  if ('result' in event) return `{"result":${event.result}}`;
  return `{"problem":${problemText(event.failure)}}`;
}
