/** Backups over HTTP: begun as jobs, and listed. */
import { isAbsolute, resolve } from 'node:path';
import type { Route } from '../../http/route.ts';
import { formatMs } from '../../messages/timestamp.ts';
import type { BackupSchedule, LastBackup } from '../../operations/backup/last-backup.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import { commandInvalid } from '../../runtime/command.ts';
import { route } from '../input.ts';
import { pageAnswer } from '../query.ts';
import { ADMIN, ADMIN_BODY, type AdminCall, answerJob, routeWithBody } from './answers.ts';
import { jobsPage } from './job-answers.ts';

interface BackupAnswerParts extends Pick<AdminPorts, 'jobs' | 'figures'> {
  readonly schedule: BackupSchedule;
}

export function backupRoutes({ jobs, figures, schedule }: BackupAnswerParts): Route[] {
  return [
    routeWithBody('POST /v1/admin/backups', ADMIN_BODY, (call, { folder: named = schedule.folder, again = false }) => {
      const folder = checkedFolder(named, schedule, call);
      return answerJob(jobs, call, { kind: 'backup', args: { folder, again } }, 'backup.start');
    }),
    // Those that were begun, newest first, and the last that came to its end.
    route('GET /v1/admin/backups', ADMIN, async (_, { query }) => {
      const page = await jobsPage(jobs, { ...query, kind: 'backup' });
      if (!page.ok) return page.refusal;
      const { folder, everyMs } = schedule;
      const every_seconds = folder === undefined ? 0 : everyMs / 1_000;
      const head = { folder: folder ?? null, every_seconds, last: lastJson(await figures.lastBackup(folder)) };
      return pageAnswer('backups', page.value, `${JSON.stringify(head).slice(1, -1)},`);
    }),
  ];
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

function lastJson(last: LastBackup | null): object | null {
  return last === null ? null : { finished_at: formatMs(last.finishedAtMs), ...last.result };
}
