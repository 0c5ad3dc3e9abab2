import type { RouteSet } from '../../http/route.ts';
import type { BackupSchedule } from '../../operations/backup/last-backup.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import type { NewProjectDefaults } from '../../stores/projects/project-store.ts';
import { backupRoutes } from './backups.ts';
import { deadLetterRoutes } from './dead-letters.ts';
import { erasureRoutes } from './erasures.ts';
import { type EventErasureParts, eventErasureRoute } from './event-erasures.ts';
import { generationRoutes } from './generations.ts';
import { jobRoutes } from './job-answers.ts';
import { joinRoutes, type JoinParts } from './joins.ts';
import { type OldEventsParts, oldEventsRoute } from './old-events.ts';
import { projectRoutes, settingRoutes } from './projects.ts';
import { deletionRoute } from './project-deletion.ts';
import { verificationRoutes } from './verifications.ts';

export interface AdminParts extends AdminPorts, JoinParts, Omit<EventErasureParts, 'saved'>, OldEventsParts {
  readonly newProjects: NewProjectDefaults;
  readonly schedule: BackupSchedule;
}

const ALL = [
  projectRoutes,
  settingRoutes,
  deletionRoute,
  oldEventsRoute,
  joinRoutes,
  deadLetterRoutes,
  generationRoutes,
  verificationRoutes,
  backupRoutes,
  jobRoutes,
  erasureRoutes,
  eventErasureRoute,
] as const;

/** What operators do over HTTP. */
export function adminRoutes(parts: AdminParts): RouteSet {
  return { routes: ALL.flatMap((routesOf) => routesOf(parts)) };
}
