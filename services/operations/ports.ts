import type { KeptBackups } from './backup/last-backup.ts';
import type { DeadLetterPort } from './dead-letters/dead-letter-commands.ts';
import type { Erasures } from './erasure/erasure-requests.ts';
import type { ImportChecks } from './import/import-commands.ts';
import type { Generations } from './replay/replay-commands.ts';
import type { KeptVerifications } from './verify/last-verification.ts';
import type { ProjectDeletion } from '../stores/projects/delete-project.ts';
import type { ProjectStore } from '../stores/projects/project-store.ts';
import type { Jobs } from './jobs/job-runner.ts';

/**
 * What operators do, as HTTP calls it. Each can be called from another thread: methods are asynchronous, arguments and
 * results can be cloned.
 */
export interface AdminPorts {
  readonly projects: ProjectStore;
  readonly deletion: ProjectDeletion;
  readonly deadLetters: DeadLetterPort;
  readonly generations: Generations;
  readonly imports: ImportChecks;
  readonly figures: KeptVerifications & KeptBackups;
  readonly jobs: Jobs;
  readonly erasures: Erasures;
}

/** Those that need more than the database. */
export type Operations = Pick<AdminPorts, 'deadLetters' | 'generations' | 'imports' | 'jobs' | 'erasures'>;
