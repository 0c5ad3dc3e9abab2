import type { Refusal } from '../../http/problems.ts';
import type { Route } from '../../http/route.ts';
import { route } from '../input.ts';
import { hasCode } from '../../runtime/errors.ts';
import type { Deletion } from '../../stores/projects/delete-project.ts';
import { findProject } from '../../stores/projects/project-commands.ts';
import { ADMIN, answerStarted, principalOf } from './answers.ts';
import type { AdminPorts } from '../../operations/ports.ts';

type DeletionParts = Pick<AdminPorts, 'projects' | 'deletion' | 'jobs'>;

const ERASURE = 'project erase';

/**
 * With `?dry_run=true` what would be deleted. Else 200 where it was empty, 202 with the job that deletes what it has. Asked
 * again while anything is left of it: the same job, which goes on where it had ended too early.
 */
export function deletionRoute({ projects, deletion, jobs }: DeletionParts): Route {
  return route('DELETE /v1/admin/projects/{id}', ADMIN, async (call, { path: { id }, query }) => {
    if (query.dry_run === 'true') {
      const content = await deletion.contentOf(id);
      return { status: 200, body: JSON.stringify({ id, deleted: false, content }) };
    }
    const before = await findProject(projects, id).catch((error: unknown) => {
      if (hasCode(error, 'PROJECT_UNKNOWN')) return undefined;
      throw error;
    });
    const deleted = await deletion.delete(id, query.confirm, principalOf(call));
    if (!deleted.deleted) return notEmpty(deleted);
    const audit = {
      action: 'project.delete',
      object: id,
      project: id,
      ...(before && { before: JSON.stringify(before) }),
    };
    if (deleted.leaves !== true) return { status: 200, body: JSON.stringify({ id, deleted: true }), audit };
    const { job, isBegun } = await jobs.startDue({
      kind: ERASURE,
      args: { project: id },
      principal: principalOf(call),
    });
    const answer = await answerStarted(jobs, call, job, undefined);
    // Nothing changes where a job is only answered again.
    return isBegun ? { ...answer, audit } : answer;
  });
}

function notEmpty({ has }: Deletion): Refusal {
  return {
    refused: 'conflict',
    detail:
      `The project has ${has.join(', ')}. Without its name as "confirm", only an empty project is deleted: no key in use, ` +
      'no audience, no user.',
  };
}
