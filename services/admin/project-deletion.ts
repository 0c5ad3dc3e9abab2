import { LOCAL_KEY } from '../http/access/authenticate.ts';
import type { Refusal } from '../http/problems.ts';
import type { Answer } from '../http/route.ts';
import { type Checked, refuseParameter, single } from '../query-api/query.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Queryable } from '../stores/database/database.ts';
import type { Deletion, ProjectContent } from '../stores/projects/delete-project.ts';
import type { AdminPort } from './admin-commands.ts';
import { type AdminCall, answerStarted, resultOf } from './answers.ts';
import { isFinished, type Job } from './jobs/job.ts';
import { readDryRun } from './reading.ts';
import { projectIn } from './projects.ts';

export const DELETION_PARAMETERS = ['confirm', 'dry_run'] as const;

const ERASURE = 'project erase';
// 200 characters, each of two code units.
const LONGEST_NAME = 400;
/** More are not looked through for the one that a deletion started. */
const JOBS = 1_000;

/**
 * `DELETE /v1/admin/projects/:id`. With `?dry_run=true` what would be deleted. Else 200 where it was empty, 202 with the job that deletes what it has. Asked again while
 * anything is left of it: the same job, which goes on where it had ended too early.
 */
export async function answerProjectDelete(port: AdminPort, call: AdminCall): Promise<Answer | Refusal> {
  const confirm = single(call.query, 'confirm', readConfirm);
  if (!confirm.ok) return confirm.refusal;
  const isDry = readDryRun(call.query);
  if (typeof isDry !== 'boolean') return isDry;
  const id = call.params['id'] ?? '';
  return isDry ? answerContent(port, call, id) : answerDeletion(port, call, id, confirm.value);
}

async function answerDeletion(
  port: AdminPort,
  call: AdminCall,
  id: string,
  confirm: string | undefined,
): Promise<Answer | Refusal> {
  const before = await projectIn(port, call);
  if ('refused' in before && before.refused !== 'not-found') return before;
  const args = { id, ...(confirm !== undefined && { confirm }) };
  const deletion = await resultOf<Deletion>(port, call, { name: 'project delete', args });
  if ('refused' in deletion) return deletion;
  if (!deletion.deleted) return notEmpty(deletion);
  const isNew = !('refused' in before);
  const audit = { action: 'project.delete', object: id, project: id, ...(isNew && { before: JSON.stringify(before) }) };
  if (deletion.leaves !== true) return { status: 200, body: JSON.stringify({ id, deleted: true }), audit };
  const last = isNew ? undefined : await lastErasure(port, id);
  // Nothing changes where a job is only answered again.
  const action = last === undefined || isFinished(last) ? audit.action : undefined;
  const answer = await answerStarted(port, call, () => erasing(port, call.key?.id ?? LOCAL_KEY.id, id, last), action);
  return 'audit' in answer ? { ...answer, audit } : answer;
}

function readConfirm(text: string | undefined): Checked<string | undefined> {
  return text === undefined || (text !== '' && text.length <= LONGEST_NAME)
    ? { ok: true, value: text }
    : refuseParameter('confirm', 'is the name of the project');
}

/** What would be deleted. */
async function answerContent(port: AdminPort, call: AdminCall, id: string): Promise<Answer | Refusal> {
  const content = await resultOf<ProjectContent>(port, call, { name: 'project content', args: { id } });
  return 'refused' in content ? content : { status: 200, body: JSON.stringify({ id, deleted: false, content }) };
}

function notEmpty({ has }: Deletion): Refusal {
  return {
    refused: 'conflict',
    detail:
      `The project has ${has.join(', ')}. Without its name as "confirm", only an empty project is deleted: no key in use, ` +
      'no audience, no user.',
  };
}

async function erasing(port: AdminPort, principal: string, project: string, last: Job | undefined): Promise<Job> {
  if (last !== undefined && !isFinished(last)) return last;
  const resumed = last === undefined ? undefined : await port.resumeJob(last.id);
  return resumed ?? port.startJob({ kind: ERASURE, args: { project }, principal });
}

/**
 * Has what the stores have of deleted projects deleted by jobs, where no job is doing that: it was interrupted, or the
 * database is from before the deletion. Never rejects: what is left is for the next start.
 */
export async function eraseUnfinished(port: AdminPort, database: Queryable, logger: Pick<Logger, 'warn'>) {
  try {
    const sql = 'select id from deleted_projects where finished_at_ms is null';
    for (const { id } of await database.query<{ readonly id: string }>(sql)) {
      await erasing(port, LOCAL_KEY.id, id, await lastErasure(port, id));
    }
  } catch (error) {
    logger.warn({ err: error }, 'cannot delete now what is left of deleted projects');
  }
}

async function lastErasure(port: AdminPort, project: string): Promise<Job | undefined> {
  const jobs = await port.listJobs(JOBS, { kind: ERASURE });
  return jobs.find(({ args }) => args['project'] === project);
}
