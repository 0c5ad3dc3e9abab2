import type { KeptBackups } from './backup/last-backup.ts';
import type { DeadLetterPort } from './dead-letters/dead-letter-commands.ts';
import type { ImportChecks } from './import/import-commands.ts';
import type { KeptVerifications } from './verify/last-verification.ts';
import type { ProjectDeletion } from '../stores/projects/delete-project.ts';
import type { SqlJoinDecisions } from '../stores/profiles/sql-join-decisions.ts';
import type { SqlProjectStore } from '../stores/projects/sql-project-store.ts';
import type { JobRunner } from './jobs/job-runner.ts';
import type { OldEvents } from './erasure/old-events.ts';
import type { Project } from '../stores/projects/project-store.ts';
import type { ErasureRequests } from './erasure/erasure-requests.ts';
import type { ReplayCommands } from './replay/replay-commands.ts';

/**
 * What operators do, as HTTP calls it. Each can be called from another thread: methods are asynchronous, arguments and
 * results can be cloned.
 */
export interface AdminPorts {
  readonly projects: SqlProjectStore;
  readonly joins: SqlJoinDecisions;
  readonly deletion: ProjectDeletion;
  readonly deadLetters: DeadLetterPort;
  readonly generations: Pick<ReplayCommands, 'list' | 'find' | 'plan' | 'changeRate' | 'expectJoins'>;
  readonly imports: ImportChecks;
  readonly figures: KeptVerifications & KeptBackups;
  readonly jobs: JobRunner;
  readonly erasures: ErasureRequests;
  readonly oldEvents: {
    /** What a project would lose if it kept this number of months. */
    of(project: Pick<Project, 'id' | 'timezone'>, months: number): Promise<OldEvents>;
  };
}

/** Those that need more than the database. */
export type Operations = Pick<
  AdminPorts,
  'deadLetters' | 'generations' | 'imports' | 'jobs' | 'erasures' | 'oldEvents'
>;
