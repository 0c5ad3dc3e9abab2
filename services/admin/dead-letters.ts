import type { Refusal } from '../http/problems.ts';
import type { Answer } from '../http/route.ts';
import { orderOf } from '../maintenance/dead-letters/settle.ts';
import { readLimit, refuseBody, single } from '../query-api/query.ts';
import { type AdminCall, answerJob, answerRead } from './answers.ts';
import type { AdminPorts } from './ports.ts';
import { readDryRun, readMembers, readTexts } from './reading.ts';

const FILTERS = ['reader', 'topic', 'project', 'error', 'since', 'until'] as const;
const LISTED = [...FILTERS, 'state', 'cursor'] as const;

export const DEAD_LETTER_PARAMETERS = [...LISTED, 'limit'] as const;

/** `GET /v1/admin/dead-letters` */
export async function answerDeadLetters({ deadLetters }: AdminPorts, call: AdminCall): Promise<Answer | Refusal> {
  const { query } = call;
  const texts = readTexts(query, LISTED);
  if (!texts.ok) return texts.refusal;
  const limit = single(query, 'limit', readLimit);
  if (!limit.ok) return limit.refusal;
  return answerRead(call, await deadLetters.list({ ...texts.value, limit: limit.value }));
}

/** `GET /v1/admin/dead-letters/:id` */
export async function answerDeadLetter({ deadLetters }: AdminPorts, call: AdminCall): Promise<Answer | Refusal> {
  return answerRead(call, await deadLetters.show(call.params['id'] ?? ''));
}

/** `POST /v1/admin/dead-letters/:id/edit`. `?dry_run=true` answers with whether the stores would take the correction. */
export async function answerEdit({ deadLetters }: AdminPorts, call: AdminCall): Promise<Answer | Refusal> {
  const isDryRun = readDryRun(call.query);
  if (typeof isDryRun !== 'boolean') return isDryRun;
  const result = await deadLetters.edit({ id: call.params['id'] ?? '', record: call.text, isDryRun });
  if ('problems' in result) return refuseBody(result.problems).refusal;
  const { edited, project, changed } = result;
  const answer = { status: 200, body: JSON.stringify(edited) };
  if (edited.dry_run) return answer;
  // Without the values: nothing deletes them from the audit log.
  const after = JSON.stringify({ changed });
  return { ...answer, audit: { action: 'dead-letters.edit', object: edited.id, project, after } };
}

const SELECTION = [...FILTERS, 'ids', 'all', 'again', 'limit', 'dry_run'] as const;

/** `POST /v1/admin/dead-letters/replay` and `…/drop` */
export async function answerResolution(
  { jobs }: AdminPorts,
  call: AdminCall,
  how: 'replay' | 'drop',
): Promise<Answer | Refusal> {
  const members = readMembers(call, SELECTION);
  if (!members.ok) return members.refusal;
  // Before there is a job that fails.
  orderOf(members.value);
  const action = members.value['dry_run'] === true ? undefined : `dead-letters.${how}`;
  return answerJob(jobs, call, { kind: `dead-letters ${how}`, args: members.value }, action);
}
