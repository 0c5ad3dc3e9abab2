import { type FollowedParts, followDeadLetters } from '../../operations/dead-letters/follow-dead-letters.ts';
import { countWaiting } from '../../operations/dead-letters/waiting-dead-letters.ts';
import { ProjectWriter } from '../../operations/project-log/project-writer.ts';
import { Heartbeat } from '../../operations/status/heartbeat.ts';
import { JobMetrics } from '../../operations/status/job-metrics.ts';
import { dataFoldersOf } from '../../runtime/embedded.ts';
import type { Logger } from '../../runtime/logger.ts';
import { Looking } from '../../runtime/looking.ts';
import type { Database } from '../../stores/database/database.ts';
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
  role: Exclude<Role, 'ingest' | 'webhooks'>,
  given: ReadersParts,
  processes: ProcessStore,
): ReaderParts {
  const { config, logger, database, analytics } = given;
  const readers = new Readers(given, role === 'all' ? ['projector', 'sink'] : [role]);
  const jobs = new JobMetrics(database, {
    backups: { folder: config.backupDir, everyMs: config.backupEveryMs },
    verifyEveryMs: role === 'projector' ? 0 : config.verifyEveryMs,
    folders: dataFoldersOf(config),
    processes,
    countWaiting: (signal) => countWaiting(given, signal),
  });
  const parts: ProcessPart[] = [
    readers,
    { metrics: () => jobs.text() },
    // Tells the other processes how the readers of this one are.
    new Heartbeat({ role, part: 'readers', processes, observe: () => readers.observe(), logger }),
  ];
  if (role !== 'sink') parts.push(new ProjectWriter(given));
  if (analytics !== undefined) parts.push(letterWatchOf(given, logger));
  return { readers, parts };
}

const LETTERS_EVERY_MS = 10_000;

/** Has endpoints of webhooks told of the dead letters that wait. */
export function letterWatchOf(
  parts: FollowedParts & { readonly database: Database },
  logger: Pick<Logger, 'warn'>,
  everyMs = LETTERS_EVERY_MS,
): Looking {
  const look = async (signal: AbortSignal): Promise<boolean> => {
    if (!(await wantsDeadLetters(parts.database))) return false;
    await followDeadLetters(parts, { signal });
    await noteDeadLetters(parts.database);
    return false;
  };
  return new Looking({ look, everyMs, cannot: 'cannot look for dead letters that wait', logger });
}
