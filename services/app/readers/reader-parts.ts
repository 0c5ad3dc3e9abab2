import { BackupMetrics } from '../../operations/backup/backup-metrics.ts';
import { DeadLetterWatch } from '../../operations/dead-letters/dead-letter-watch.ts';
import { ErasureMetrics } from '../../operations/erasure/erasure-watch.ts';
import { ProjectWriter } from '../../operations/project-log/project-writer.ts';
import { Heartbeat } from '../../operations/status/heartbeat.ts';
import { SqlStoreFigures } from '../../operations/status/store-figures.ts';
import { VerifyWatch } from '../../operations/verify/verify-watch.ts';
import type { ProcessStore } from '../../stores/service-state/process-store.ts';
import { noteDeadLetters, wantsDeadLetters } from '../../webhooks/dead-letter-notices.ts';
import { noteDifference } from '../../webhooks/notices.ts';
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
  const [backups, erasures] = [new BackupMetrics(database, config.backupDir), new ErasureMetrics(database)];
  const parts: ProcessPart[] = [
    readers,
    { metrics: () => backups.text() },
    { metrics: () => erasures.text() },
    // Tells the other processes how the readers of this one are.
    new Heartbeat({ role, part: 'readers', processes, observe: () => readers.observe(), logger }),
  ];
  if (role !== 'sink') parts.push(new ProjectWriter(given));
  if (analytics !== undefined) parts.push(...watchesOf({ ...given, analytics }));
  return { readers, parts };
}

/** Verification needs both stores. Endpoints of webhooks are told of the dead letters that wait. */
function watchesOf(given: ReadersParts & Required<Pick<ReadersParts, 'analytics'>>): readonly ProcessPart[] {
  const { config, database, analytics } = given;
  const { verifyEveryMs: everyMs, repeatWindowMs } = config;
  return [
    new VerifyWatch({ ...given, everyMs, repeatWindowMs, tell: noteDifference }),
    new DeadLetterWatch({
      log: given.log,
      codec: given.codec,
      logger: given.logger,
      figures: new SqlStoreFigures(database, analytics),
      isWanted: () => wantsDeadLetters(database),
      tell: ({ letters, isWhole }) => noteDeadLetters(database, letters, isWhole),
    }),
  ];
}
