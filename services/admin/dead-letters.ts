import type { Refusal } from '../http/problems.ts';
import type { Answer } from '../http/route.ts';
import type { EditResult } from '../maintenance/dead-letters/edit.ts';
import { orderOf } from '../maintenance/dead-letters/settle.ts';
import { readLimit, refuseBody, single } from '../query-api/query.ts';
import type { AdminPort } from './admin-commands.ts';
import { type AdminCall, answerCommand, answerJob } from './answers.ts';
import { checked, readDryRun, readMembers, readTexts } from './reading.ts';

const FILTERS = ['reader', 'topic', 'project', 'error', 'since', 'until'] as const;
const LISTED = [...FILTERS, 'state', 'cursor'] as const;

export const DEAD_LETTER_PARAMETERS = [...LISTED, 'limit'] as const;

/** `GET /v1/admin/dead-letters` */
export function answerDeadLetters(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> | Refusal {
  const { query } = call;
  const texts = readTexts(query, LISTED);
  if (!texts.ok) return texts.refusal;
  const limit = single(query, 'limit', readLimit);
  if (!limit.ok) return limit.refusal;
  return answerCommand(port, call, { name: 'dead-letters list', args: { ...texts.value, limit: limit.value } });
}

/** `GET /v1/admin/dead-letters/:id` */
export function answerDeadLetter(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> {
  return answerCommand(port, call, { name: 'dead-letters show', args: { id: call.params['id'] } });
}

/** `POST /v1/admin/dead-letters/:id/edit`. `?dry_run=true` answers with whether the stores would take the correction. */
export function answerEdit(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> | Refusal {
  const isDry = readDryRun(call.query);
  if (typeof isDry !== 'boolean') return isDry;
  return answerCommand(port, call, {
    name: 'dead-letters edit',
    args: { id: call.params['id'], record: call.text, dry_run: isDry },
    answer: (text) => editAnswer(JSON.parse(text) as EditResult),
  });
}

function editAnswer(result: EditResult): Answer | Refusal {
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
export function answerResolution(
  port: AdminPort,
  call: AdminCall,
  how: 'replay' | 'drop',
): Promise<Answer | Refusal> | Refusal {
  const members = readMembers(call, SELECTION);
  if (!members.ok) return members.refusal;
  const wrong = checked(() => orderOf(members.value));
  if (wrong !== undefined) return wrong;
  const action = members.value['dry_run'] === true ? undefined : `dead-letters.${how}`;
  return answerJob(port, call, { kind: `dead-letters ${how}`, args: members.value }, action);
}
