import { DeadLetterWatch } from '../../operations/dead-letters/dead-letter-watch.ts';
import { ProjectWriter } from '../../operations/project-log/project-writer.ts';
import { Heartbeat } from '../../operations/status/heartbeat.ts';
import { JobMetrics } from '../../operations/status/job-metrics.ts';
import { SqlStoreFigures } from '../../operations/status/store-figures.ts';
import type { ProcessStore } from '../../stores/service-state/process-store.ts';
import { noteDeadLetters, wantsDeadLetters } from '../../webhooks/dead-letter-notices.ts';
import type { ProcessPart } from '../process-parts.ts';
import type { Role } from '../role.ts';
import { Readers, type ReadersParts } from './readers.ts';

export interface ReaderParts {
  readonly readers: Readers;
  /** These and what goes with them. Batches under way are finished when they are stopped. */
  readonly parts: readonly ProcessPart[];
}

/** The readers of a role. @param given With analytics, but for the projector. */
export function readerPartsOf(
  role: Exclude<Role, 'ingest'>,
  given: ReadersParts,
  processes: ProcessStore,
): ReaderParts {
  const { config, logger, database, analytics } = given;
  const readers = new Readers(given, role === 'all' ? ['projector', 'sink'] : [role]);
  const jobs = new JobMetrics(database, config.backupDir);
  const parts: ProcessPart[] = [
    readers,
    { metrics: () => jobs.text() },
    // Tells the other processes how the readers of this one are.
    new Heartbeat({ role, part: 'readers', processes, observe: () => readers.observe(), logger }),
  ];
  if (role !== 'sink') parts.push(new ProjectWriter(given));
  if (analytics !== undefined) parts.push(letterWatchOf({ ...given, analytics }));
  return { readers, parts };
}

/** Endpoints of webhooks are told of the dead letters that wait. */
function letterWatchOf(given: ReadersParts & Required<Pick<ReadersParts, 'analytics'>>): ProcessPart {
  const { database, analytics } = given;
  return new DeadLetterWatch({
    log: given.log,
    codec: given.codec,
    logger: given.logger,
    figures: new SqlStoreFigures(database, analytics),
    isWanted: () => wantsDeadLetters(database),
    tell: ({ letters, isWhole }) => noteDeadLetters(database, letters, isWhole),
  });
}
