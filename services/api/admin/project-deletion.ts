import { LOCAL_KEY } from '../../http/access/authenticate.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Input } from '../input.ts';
import { hasCode } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Queryable } from '../../stores/database/database.ts';
import type { Deletion } from '../../stores/projects/delete-project.ts';
import { findProject } from '../../stores/projects/project-commands.ts';
import { type AdminCall, answerStarted, principalOf } from './answers.ts';
import type { JobRunner } from '../../operations/jobs/job-runner.ts';
import { isFinished, type Job } from '../../operations/jobs/job.ts';
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
  const deleted = await deletion.delete(id, confirm);
  if (!deleted.deleted) return notEmpty(deleted);
  const audit = {
    action: 'project.delete',
    object: id,
    project: id,
    ...(before && { before: JSON.stringify(before) }),
  };
  if (deleted.leaves !== true) return { status: 200, body: JSON.stringify({ id, deleted: true }), audit };
  const last = before === undefined ? await lastErasure(jobs, id) : undefined;
  // Nothing changes where a job is only answered again.
  const isChange = last === undefined || isFinished(last);
  const answer = await answerStarted(jobs, call, await erasing(jobs, principalOf(call), id, last), undefined);
  return isChange ? { ...answer, audit } : answer;
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

async function erasing(jobs: JobRunner, principal: string, project: string, last: Job | undefined): Promise<Job> {
  if (last !== undefined && !isFinished(last)) return last;
  const resumed = last === undefined ? undefined : await jobs.resume(last.id);
  return resumed ?? jobs.start({ kind: ERASURE, args: { project }, principal });
}

/**
 * Has what the stores have of deleted projects deleted by jobs, where no job is doing that: it was interrupted, or the
 * database is from before the deletion. Never rejects: what is left is for the next start.
 */
export async function eraseUnfinished(jobs: JobRunner, database: Queryable, logger: Pick<Logger, 'warn'>) {
  try {
    const sql = 'select id from deleted_projects where finished_at_ms is null';
    for (const { id } of await database.query<{ readonly id: string }>(sql)) {
      await erasing(jobs, LOCAL_KEY.id, id, await lastErasure(jobs, id));
    }
  } catch (error) {
    logger.warn({ err: error }, 'cannot delete now what is left of deleted projects');
  }
}

async function lastErasure(jobs: JobRunner, project: string): Promise<Job | undefined> {
  return (await jobs.list(1, { kind: ERASURE, args: { project } }))[0];
}
