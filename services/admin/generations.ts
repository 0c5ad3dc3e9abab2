import type { Refusal } from '../http/problems.ts';
import type { Answer } from '../http/route.ts';
import { checkBuild, type GenerationSummary } from '../maintenance/replay/replay-commands.ts';
import type { CommandArguments } from '../runtime/command.ts';
import { refuseBody } from '../query-api/query.ts';
import type { AdminPort } from './admin-commands.ts';
import { type AdminCall, answerCommand, answerJob, resultOf } from './answers.ts';
import { checked, notFound, readDryRun, readMembers } from './reading.ts';

/** `GET /v1/admin/generations`: all of them; there are few. */
export function answerGenerations(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> {
  return answerCommand(port, call, {
    name: 'replay status',
    args: {},
    answer: (all) => ({ status: 200, body: `{"generations":${all}}` }),
  });
}

/** `POST /v1/admin/generations`: builds one. `?dry_run=true` answers with what that would take. */
export function answerBuild(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> | Refusal {
  const isDry = readDryRun(call.query);
  if (typeof isDry !== 'boolean') return isDry;
  const members = readMembers(call, ['kind', 'project', 'rate_limit', 'as_of']);
  if (!members.ok) return members.refusal;
  const { rate_limit: rate, ...target } = members.value;
  const args = { ...target, ...(rate !== undefined && { rate }) };
  if (isDry) return answerCommand(port, call, { name: 'replay plan', args });
  const wrong = checked(() => checkBuild(args));
  if (wrong !== undefined) return wrong;
  return answerJob(port, call, { kind: 'replay build', args }, 'generation.build');
}

/** `PATCH /v1/admin/generations/:kind/:number`: its readers follow within a second. */
export async function answerRate(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> {
  const members = readMembers(call, ['rate_limit']);
  if (!members.ok) return members.refusal;
  const rate = members.value['rate_limit'];
  if (rate === undefined)
    return refuseBody([{ path: '/rate_limit', message: 'is required; null is for none' }]).refusal;
  const generation = await generationIn(port, call);
  if ('refused' in generation) return generation;
  const { kind, number } = generation;
  const args = { kind, number, rate };
  const audit = { action: 'generation.change', object: `${kind}/${number}`, before: JSON.stringify(generation) };
  return answerCommand(port, call, {
    name: 'replay rate',
    args,
    answer: (body) => ({ status: 200, body, audit: { ...audit, after: body } }),
  });
}

/** `POST /v1/admin/generations/:kind/:number/compare`, `swap` and `drop` */
export async function answerStep(
  port: AdminPort,
  call: AdminCall,
  step: 'compare' | 'swap' | 'drop',
): Promise<Answer | Refusal> {
  const generation = await generationIn(port, call);
  if ('refused' in generation) return generation;
  const { kind, number, state, project } = generation;
  const refusal = conflictOf(step, generation);
  if (refusal !== undefined) return { refused: 'conflict', detail: refusal, errorCode: 'COMMAND_INVALID' };
  if (state === 'dropped') return notFound(`Generation ${number} of ${kind} has been dropped.`);
  const action = step === 'compare' ? undefined : `generation.${step}`;
  return answerJob(port, call, { kind: `replay ${step}`, args: { kind, number, project } }, action);
}

function conflictOf(step: string, { kind, number, state }: GenerationSummary): string | undefined {
  if (step === 'drop' && state === 'live') return `Generation ${number} of ${kind} is the live one: it stays.`;
  if (step === 'swap' && state !== 'building') return `Generation ${number} of ${kind} is not being built.`;
  return undefined;
}

/** `POST /v1/admin/generations/:kind/:number/rollback`: of the live one, which `live` names too. */
export async function answerRollback(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> {
  const members = readMembers(call, ['project']);
  if (!members.ok) return members.refusal;
  const { project = null } = members.value;
  const { kind = '', number } = call.params;
  if (number === 'live') return rollback(port, call, { kind, project });
  const generation = await generationIn(port, call);
  if ('refused' in generation) return generation;
  if (generation.answers.includes(typeof project === 'string' ? project : 'all')) {
    return rollback(port, call, { kind, project });
  }
  const detail = `Generation ${generation.number} of ${generation.kind} is not live there.`;
  return { refused: 'conflict', detail, errorCode: 'COMMAND_INVALID' };
}

function rollback(port: AdminPort, call: AdminCall, args: CommandArguments): Promise<Answer | Refusal> {
  return answerJob(port, call, { kind: 'replay rollback', args }, 'generation.rollback');
}

/** The generation that the path names. */
async function generationIn(port: AdminPort, call: AdminCall): Promise<GenerationSummary | Refusal> {
  const all = await resultOf<readonly GenerationSummary[]>(port, call, { name: 'replay status', args: {} });
  if ('refused' in all) return all;
  const { kind, number } = call.params;
  const found = all.find((one) => one.kind === kind && String(one.number) === number);
  return found ?? notFound('There is no such generation.', 'COMMAND_INVALID');
}
