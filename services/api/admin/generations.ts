import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { asOfIn, type GenerationSummary, isKind, whyNotSwapped } from '../../operations/replay/replay-commands.ts';
import type { JobArguments } from '../../operations/jobs/job.ts';
import type { Input } from '../input.ts';
import { type AdminCall, answerJob, notFound, readMembers } from './answers.ts';
import type { AdminPorts } from '../../operations/ports.ts';

/** `GET /v1/admin/generations`: all of them; there are few. */
export async function answerGenerations({ generations }: AdminPorts): Promise<Answer> {
  return { status: 200, body: JSON.stringify({ generations: await generations.list() }) };
}

/** `POST /v1/admin/generations`: builds one. `?dry_run=true` answers with what that would take. */
export async function answerBuild(
  { generations, jobs }: AdminPorts,
  call: AdminCall,
  query: Input<'POST /v1/admin/generations'>['query'],
): Promise<Answer | Refusal> {
  const members = readMembers('POST /v1/admin/generations', call);
  if (!members.ok) return members.refusal;
  const { rate_limit: rate, ...target } = members.value;
  const args = { ...target, ...(rate !== undefined && { rate }) };
  if (query.dry_run === 'true') return { status: 200, body: JSON.stringify(await generations.plan(args)) };
  // Before there is a job that fails.
  asOfIn(args);
  return answerJob(jobs, call, { kind: 'replay build', args }, 'generation.build');
}

/** `PATCH /v1/admin/generations/:kind/:number`: its readers follow within a second. */
export async function answerRate({ generations }: AdminPorts, call: AdminCall): Promise<Answer | Refusal> {
  const members = readMembers('PATCH /v1/admin/generations/{kind}/{number}', call);
  if (!members.ok) return members.refusal;
  const before = await generationIn(generations, call);
  if (before === undefined) return NO_GENERATION;
  const object = `${before.kind}/${before.number}`;
  const body = JSON.stringify(await generations.changeRate(before, members.value.rate_limit));
  const audit = { action: 'generation.change', object, before: JSON.stringify(before), after: body };
  return { status: 200, body, audit };
}

/** `POST /v1/admin/generations/:kind/:number/compare`, `swap` and `drop` */
export async function answerStep(
  { generations, jobs }: AdminPorts,
  call: AdminCall,
  step: 'compare' | 'swap' | 'drop',
): Promise<Answer | Refusal> {
  const generation = await generationIn(generations, call);
  if (generation === undefined) return NO_GENERATION;
  const { kind, number, state, project } = generation;
  const why = whyNot(step, generation);
  if (why !== undefined) return conflict(why);
  if (state === 'dropped') return notFound(`Generation ${number} of ${kind} has been dropped.`);
  const action = step === 'compare' ? undefined : `generation.${step}`;
  return answerJob(jobs, call, { kind: `replay ${step}`, args: { kind, number, project } }, action);
}

function whyNot(step: string, generation: GenerationSummary): string | undefined {
  if (step === 'swap') return whyNotSwapped(generation);
  const { kind, number, state } = generation;
  return step === 'drop' && state === 'live' ? `Generation ${number} of ${kind} is the live one: it stays.` : undefined;
}

/** `POST /v1/admin/generations/:kind/:number/rollback`: of the live one, which `live` names too. */
export async function answerRollback({ generations, jobs }: AdminPorts, call: AdminCall): Promise<Answer | Refusal> {
  const members = readMembers('POST /v1/admin/generations/{kind}/{number}/rollback', call);
  if (!members.ok) return members.refusal;
  const { project = null } = members.value;
  const rollback = (args: JobArguments['replay rollback']): Promise<Answer> =>
    answerJob(jobs, call, { kind: 'replay rollback', args }, 'generation.rollback');
  const { kind: named = '', number: given } = call.params;
  if (given === 'live' && isKind(named)) return rollback({ kind: named, project });
  const generation = await generationIn(generations, call);
  if (generation === undefined) return NO_GENERATION;
  const { kind, number, answers } = generation;
  if (answers.includes(project ?? 'all')) return rollback({ kind, project });
  return conflict(`Generation ${number} of ${kind} is not live there.`);
}

const NO_GENERATION = notFound('There is no such generation.', 'COMMAND_INVALID');

function conflict(detail: string): Refusal {
  return { refused: 'conflict', detail, errorCode: 'COMMAND_INVALID' };
}

/** The generation that the path names. */
async function generationIn(
  generations: AdminPorts['generations'],
  { params: { kind = '', number = '' } }: AdminCall,
): Promise<GenerationSummary | undefined> {
  return /^[1-9]\d{0,8}$/.test(number) ? generations.find(kind, Number(number)) : undefined;
}
