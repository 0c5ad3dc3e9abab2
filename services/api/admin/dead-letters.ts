import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { encodeReceipt } from '../../messages/receipt/receipt.ts';
import { receiptSignerOf } from '../../messages/receipt/receipt-signer.ts';
import { parseCoordinates } from '../../operations/dead-letters/record-coordinates.ts';
import { orderOf } from '../../operations/dead-letters/settle.ts';
import type { Input } from '../input.ts';
import { refuseBody } from '../query.ts';
import { type AdminCall, answerJob, readMembers } from './answers.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import type { Project } from '../../stores/projects/project-store.ts';

/** `GET /v1/admin/dead-letters` */
export async function answerDeadLetters(
  { deadLetters }: AdminPorts,
  query: Input<'GET /v1/admin/dead-letters'>['query'],
): Promise<Answer> {
  return { status: 200, body: JSON.stringify(await deadLetters.list(query)) };
}

/** `GET /v1/admin/dead-letters/:id` */
export async function answerDeadLetter({ deadLetters }: AdminPorts, { params }: AdminCall): Promise<Answer> {
  return { status: 200, body: await deadLetters.show(params['id'] ?? '') };
}

/** `POST /v1/admin/dead-letters/:id/edit`. `?dry_run=true` answers with whether the stores would take the correction. */
export async function answerEdit(
  { deadLetters, projects }: Pick<AdminPorts, 'deadLetters' | 'projects'>,
  call: AdminCall,
  { query: { dry_run: isDryRun } }: Input<'POST /v1/admin/dead-letters/{id}/edit'>,
): Promise<Answer | Refusal> {
  const result = await deadLetters.edit({ id: call.params['id'] ?? '', record: call.text, isDryRun });
  if ('problems' in result) return refuseBody(result.problems).refusal;
  const { edited, project, changed } = result;
  const receipt = edited.copy === null ? null : receiptOf(edited.copy, await projects.findProject(project));
  const answer = { status: 200, body: JSON.stringify({ ...edited, receipt }) };
  if (edited.dry_run) return answer;
  // Without the values: nothing deletes them from the audit log.
  const after = JSON.stringify({ changed });
  return { ...answer, audit: { action: 'dead-letters.edit', object: edited.id, project, after } };
}

/** The receipt of the record that was appended; null where its project was deleted meanwhile. */
function receiptOf(copy: string, project: Project | undefined): string | null {
  const at = parseCoordinates(copy);
  return project === undefined || at === undefined ? null : encodeReceipt(receiptSignerOf(project), Date.now(), [at]);
}

/** `POST /v1/admin/dead-letters/replay` and `…/drop` */
export async function answerResolution(
  { jobs }: AdminPorts,
  call: AdminCall,
  how: 'replay' | 'drop',
): Promise<Answer | Refusal> {
  const members = readMembers(`POST /v1/admin/dead-letters/${how}`, call);
  if (!members.ok) return members.refusal;
  // Before there is a job that fails.
  orderOf(members.value);
  const action = members.value.dry_run === true ? undefined : `dead-letters.${how}`;
  return answerJob(jobs, call, { kind: `dead-letters ${how}`, args: members.value }, action);
}
