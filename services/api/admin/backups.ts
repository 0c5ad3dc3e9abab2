/** Backups over HTTP: begun as jobs, and listed. */
import { isAbsolute, resolve } from 'node:path';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { formatMs } from '../../messages/timestamp.ts';
import type { BackupSchedule, LastBackup } from '../../operations/backup/last-backup.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import { commandInvalid } from '../../runtime/command.ts';
import type { Input } from '../input.ts';
import { type AdminCall, answerJob, readMembers } from './answers.ts';
import { jobsPage } from './job-answers.ts';

interface BackupAnswerParts extends Pick<AdminPorts, 'jobs' | 'figures'> {
  readonly schedule: BackupSchedule;
}

/** `POST /v1/admin/backups` */
export async function answerBackup({ jobs, schedule }: BackupAnswerParts, call: AdminCall): Promise<Answer | Refusal> {
  const members = readMembers('POST /v1/admin/backups', call);
  if (!members.ok) return members.refusal;
  const { folder: named = schedule.folder, again = false } = members.value;
  const folder = checkedFolder(named, schedule, call);
  return answerJob(jobs, call, { kind: 'backup', args: { folder, again } }, 'backup.start');
}

/** Whoever can open the Unix socket owns the files of the service anyway. */
function checkedFolder(folder: string | undefined, schedule: BackupSchedule, { isLocal }: AdminCall): string {
  if (folder === undefined) throw commandInvalid('No folder is named, and the setting BACKUP_DIR names none.');
  if (!isAbsolute(folder)) throw commandInvalid('The folder must be an absolute path on the machine of the service.');
  if (isLocal || resolve(folder) === schedule.folder) return folder;
  throw commandInvalid(
    'Over the network a backup goes to BACKUP_DIR alone. Make others on the machine of the service.',
  );
}

/** `GET /v1/admin/backups`: those that were begun, newest first, and the last that came to its end. */
export async function answerBackups(
  { jobs, figures, schedule: { folder, everyMs } }: BackupAnswerParts,
  query: Input<'GET /v1/admin/backups'>['query'],
): Promise<Answer | Refusal> {
  const page = await jobsPage(jobs, { ...query, kind: 'backup' });
  if (!page.ok) return page.refusal;
  const { items, next } = page.value;
  const schedule = { folder: folder ?? null, every_seconds: folder === undefined ? 0 : everyMs / 1_000 };
  const last = lastJson(await figures.lastBackup(folder));
  const head = JSON.stringify({ ...schedule, last }).slice(0, -1);
  return { status: 200, body: `${head},"backups":[${items.join(',')}],"next_cursor":${JSON.stringify(next)}}` };
}

function lastJson(last: LastBackup | null): object | null {
  return last === null ? null : { finished_at: formatMs(last.finishedAtMs), ...last.result };
}
