/** How operators are read and answered: with the job that their request became, or a stream of its lines. */
import { Readable } from 'node:stream';
import type { Body, OperationName } from '../../../schemas/operations.ts';
import { LOCAL_KEY } from '../../http/access/authenticate.ts';
import { BODY_LIMIT_BYTES } from '../../http/body-limits.ts';
import type { Answer, Change, Route } from '../../http/route.ts';
import type { Call } from '../../http/call.ts';
import { type Refusal, renderRefusal } from '../../http/problems.ts';
import type { CommandEvent } from '../../runtime/command.ts';
import type { JobRunner } from '../../operations/jobs/job-runner.ts';
import { problemText, refusalForOperators } from './failures.ts';
import type { Job, JobToStart } from '../../operations/jobs/job.ts';
import { jobJson, jobPath } from './job-json.ts';
import { PassedOn } from '../ndjson.ts';
import { type How, type Input, readBody, route } from '../input.ts';
import type { Checked } from '../query.ts';

export const ADMIN = {
  scope: 'admin',
  style: 'problem',
  bodyLimitBytes: null,
  refusalOf: refusalForOperators,
} as const;
export const ADMIN_BODY = { ...ADMIN, bodyLimitBytes: BODY_LIMIT_BYTES };

/** The route of an operation that is sent a body, with which its handler is called. */
export function routeWithBody<Name extends OperationName>(
  name: Name,
  how: How,
  handle: (call: Call, body: Body<Name>, input: Input<Name>) => ReturnType<Route['handle']>,
): Route {
  return route(name, how, (call, input) => {
    const members = readMembers(name, call);
    return members.ok ? handle(call, members.value, input) : members.refusal;
  });
}

/** What is needed of a request. */
export type AdminCall = Pick<Call, 'params' | 'query' | 'text' | 'headers' | 'signal' | 'key' | 'req' | 'isLocal'>;

export const NDJSON = 'application/x-ndjson';

/** The body of an operator's request. */
export function readMembers<Name extends OperationName>(name: Name, call: AdminCall): Checked<Body<Name>> {
  const read = readBody(name, call);
  if (read.ok) return { ok: true, value: read.value.body };
  return { ok: false, refusal: { ...read.refusal, errorCode: 'COMMAND_INVALID' } };
}

export function notFound(detail: string, errorCode?: Refusal['errorCode']): Refusal {
  return { refused: 'not-found', detail, ...(errorCode && { errorCode }) };
}

/**
 * Starts a job: 202 with where it is found, or a stream of its progress and result whose client cancels it by leaving.
 *
 * @param action What it changes, for the audit log; undefined for nothing.
 */
export async function answerJob(jobs: JobRunner, call: AdminCall, job: JobToStart, action?: string): Promise<Answer> {
  return answerStarted(jobs, call, await jobs.start({ ...job, principal: principalOf(call) }), action);
}

/** The same for a job that was started already. */
export async function answerStarted(
  jobs: JobRunner,
  call: AdminCall,
  started: Job,
  action: string | undefined,
): Promise<Answer> {
  const headers = { Location: jobPath(started.id) };
  const change = action === undefined ? {} : { audit: jobChange(action, started) };
  if (acceptsLines(call)) return { ...streamOf(await jobs.follow(started.id), headers), ...change };
  return { status: 202, body: jobJson(started), headers, ...change };
}

export function principalOf({ key }: AdminCall): string {
  return key?.id ?? LOCAL_KEY.id;
}

function jobChange(action: string, { id, args }: Job): Change {
  const { project } = args;
  return { action, object: id, project: typeof project === 'string' ? project : null, after: JSON.stringify(args) };
}

function acceptsLines({ headers }: AdminCall): boolean {
  return headers.accept?.includes(NDJSON) === true;
}

function streamOf(events: AsyncIterable<CommandEvent>, headers: Readonly<Record<string, string>> = {}): Answer {
  const body = Readable.from(new EventLines(events), { objectMode: false });
  const lastWords = (why: Refusal): string => `{"problem":${renderRefusal(why, 'problem').body}}\n`;
  return { status: 200, type: NDJSON, body, headers, lastWords };
}

class EventLines extends PassedOn<CommandEvent> {
  async next(): Promise<IteratorResult<Uint8Array>> {
    const next = await this.source.next();
    if (next.done === true) return { done: true, value: undefined };
    return { done: false, value: Buffer.from(`${eventLine(next.value)}\n`) };
  }
}

function eventLine(event: CommandEvent): string {
  if ('progress' in event) return JSON.stringify(event);
  if ('result' in event) return `{"result":${event.result}}`;
  return `{"problem":${problemText(event.failure)}}`;
}
