import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Input } from '../input.ts';
import { hasCode } from '../../runtime/errors.ts';
import type { Deletion } from '../../stores/projects/delete-project.ts';
import { findProject } from '../../stores/projects/project-commands.ts';
import { type AdminCall, answerStarted, principalOf } from './answers.ts';
import type { AdminPorts } from '../../operations/ports.ts';

const ERASURE = 'project erase';

/**
 * `DELETE /v1/admin/projects/:id`. With `?dry_run=true` what would be deleted. Else 200 where it was empty, 202 with the job that deletes what it has. Asked again while
 * anything is left of it: the same job, which goes on where it had ended too early.
 */
export async function answerProjectDelete(
  ports: AdminPorts,
  call: AdminCall,
  { path: { id }, query }: Input<'DELETE /v1/admin/projects/{id}'>,
): Promise<Answer | Refusal> {
  return query.dry_run === 'true' ? answerContent(ports, id) : answerDeletion(ports, call, id, query.confirm);
}

async function answerDeletion(
  { projects, deletion, jobs }: AdminPorts,
  call: AdminCall,
  id: string,
  confirm: string | undefined,
): Promise<Answer | Refusal> {
  const before = await findProject(projects, id).catch((error: unknown) => {
    if (hasCode(error, 'PROJECT_UNKNOWN')) return undefined;
    throw error;
  });
  const deleted = await deletion.delete(id, confirm, principalOf(call));
  if (!deleted.deleted) return notEmpty(deleted);
  const audit = {
    action: 'project.delete',
    object: id,
    project: id,
    ...(before && { before: JSON.stringify(before) }),
  };
  if (deleted.leaves !== true) return { status: 200, body: JSON.stringify({ id, deleted: true }), audit };
  const { job, isBegun } = await jobs.startDue({ kind: ERASURE, args: { project: id }, principal: principalOf(call) });
  const answer = await answerStarted(jobs, call, job, undefined);
  // Nothing changes where a job is only answered again.
  return isBegun ? { ...answer, audit } : answer;
}

/** What would be deleted. */
async function answerContent({ deletion }: AdminPorts, id: string): Promise<Answer> {
  const content = await deletion.contentOf(id);
  return { status: 200, body: JSON.stringify({ id, deleted: false, content }) };
}

function notEmpty({ has }: Deletion): Refusal {
  return {
    refused: 'conflict',
    detail:
      `The project has ${has.join(', ')}. Without its name as "confirm", only an empty project is deleted: no key in use, ` +
      'no audience, no user.',
  };
}
