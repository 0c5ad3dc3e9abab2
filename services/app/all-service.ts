/** The role `all`: everything in one process. HTTP has a thread of its own, readers and stores have the main thread. */
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { BACK_PRESSURE, loadThrottle, type Throttle } from '../consumers/throttle/throttle.ts';
import type { Config } from '../runtime/config.ts';
import { hasCode, TidemarkError } from '../runtime/errors.ts';
import { shareEventLog } from '../event-log/open.ts';
import { type FolderLock, lockFolder } from '../runtime/folder-lock.ts';
import type { Logger, OpenedLogger } from '../runtime/logger.ts';
import type { FirstStart } from '../stores/projects/first-start.ts';
import { encoderModuleOf } from '../ingest/encoder-module.ts';
import { hasEmbedded } from '../runtime/embedded.ts';
import { ImportQueue } from './imports/import-thread.ts';
import { HttpThread } from './http-thread.ts';
import { compose, type Composition } from './composition.ts';
import { ALL_STORES, openStores } from './lazy-stores.ts';
import type { OpenedStores } from './open-stores.ts';
import { heartbeatOf, letterWatchOf, projectWriterOf, ReaderSide } from './reader-side.ts';
import { Readers } from './readers/readers.ts';
import { livePartsOf } from './audiences/live-parts.ts';
import { onlyOnce, type Running } from './role.ts';
import { projectNamesIn, startProjects } from './projects.ts';

// Another process may be about to release the folder: a command of the command line, or a service that is stopping.
const LOCK_WITHIN_MS = 3_000;
const LOCK_RETRY_MS = 100;

// At 19 an event was queryable after 10 s beside two other busy processes on two processors, at 10 after 1.1 s; requests
// a second and their times at half load were the same (measured).
const READERS_NICENESS = 10;

/** @throws TidemarkError what keeps a part from starting; everything opened before is closed again. */
export async function startAll(config: Config, output: OpenedLogger, signal: AbortSignal): Promise<Running> {
  const { logger } = output;
  await shareEventLog(config.eventLogUrl);
  const http = new HttpThread(config, output);
  lowerPriority();
  try {
    const address = await http.bind();
    logger.info({ address, role: 'all' }, 'starting');
    const { encoding, answering } = BACK_PRESSURE.load;
    const throttle = loadThrottle(
      () => http.utilization(),
      encoderModuleOf(config) === undefined ? encoding : answering,
    );
    const { startImport, isClockWrong } = http.control;
    const needs = { throttle, importer: new ImportQueue(startImport), isClockWrong };
    const main = await openMainThread(config, logger, needs, signal);
    try {
      const firstStart = await startMainThread(config, logger, main, signal);
      await http.open(main.stores);
      return runningOn(http, main, { address, firstStart });
    } catch (error) {
      await closeMainThread(main);
      throw error;
    }
  } catch (error) {
    await http.stop();
    throw error;
  }
}

function runningOn(http: HttpThread, main: MainThread, started: Pick<Running, 'address' | 'firstStart'>): Running {
  return {
    ...started,
    // A reader that has failed does not end the process: messages are still taken, and `/readyz` names the reader.
    ended: http.ended,
    projectNames: () => projectNamesIn(main.opened.database),
    stop: onlyOnce(async () => {
      // The streams of commands end with the commands. Readers of a server that does not answer take long too.
      await Promise.all([main.jobs.stop(), http.stop(), main.side.stop()]);
      await closeMainThread(main);
    }),
  };
}

/**
 * Readers can wait and requests cannot: where both want a processor, the HTTP thread gets it. On Linux niceness belongs
 * to a thread, and the process id names the main one; threads created from now on, chDB's among them, inherit it.
 * Elsewhere it would apply to the whole process.
 */
function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(process.pid, READERS_NICENESS);
}

interface MainThreadNeeds {
  readonly throttle: Throttle;
  readonly importer: ImportQueue;
  readonly isClockWrong: () => Promise<boolean>;
}

/** Everything but HTTP: the stores and what works on them. */
interface MainThread extends Pick<Composition, 'jobs' | 'stores' | 'backups' | 'erasures'> {
  readonly lock: FolderLock | undefined;
  readonly opened: OpenedStores;
  readonly side: ReaderSide;
}

async function openMainThread(
  config: Config,
  logger: Logger,
  { throttle, importer, isClockWrong }: MainThreadNeeds,
  signal: AbortSignal,
): Promise<MainThread> {
  // Where every store is on a server, other processes may use the same folder, or there is none.
  const lock = hasEmbedded(config) ? await lockWithRetry(config.dataDir) : undefined;
  try {
    const opened = await openStores(config, logger, signal, ALL_STORES);
    const { live, follower, withMetrics } = livePartsOf(config, logger, opened, { throttle, isClockWrong });
    const readers = Readers.both({ ...opened, config, logger, throttle, ...follower }, opened.analytics);
    const parts = { config, logger, hasReaders: true, importer, readers: withMetrics(readers), isClockWrong, ...live };
    const { stores, jobs, scheduler, deliverer, backups, erasures } = compose(parts, opened, async () => opened);
    const heartbeat = heartbeatOf('all', readers, stores.processes, logger);
    const projectWriter = projectWriterOf(opened, logger);
    const letterWatch = letterWatchOf(opened, logger);
    const side = new ReaderSide({
      stores: opened,
      readers,
      scheduler,
      deliverer,
      letterWatch,
      heartbeat,
      projectWriter,
      ...live,
    });
    return { lock, opened, side, jobs, stores, backups, erasures };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Starts what works on the stores, once they are known to belong together. */
async function startMainThread(
  config: Config,
  logger: Logger,
  { opened, side, jobs, backups, erasures }: MainThread,
  signal: AbortSignal,
): Promise<FirstStart | undefined> {
  if (signal.aborted) throw new TidemarkError('STOPPING', 'the process was stopped while it started');
  const firstStart = await startProjects(config, { ...opened, logger }, jobs, signal);
  side.start();
  backups.start();
  erasures.start();
  return firstStart;
}

async function closeMainThread({ lock, side, jobs, backups, erasures }: MainThread): Promise<void> {
  await Promise.all([backups.stop(), erasures.stop()]);
  await jobs.stop();
  await side.close();
  lock?.release();
}

async function lockWithRetry(folder: string): Promise<FolderLock> {
  const until = performance.now() + LOCK_WITHIN_MS;
  for (;;) {
    try {
      return lockFolder(folder);
    } catch (error) {
      if (!hasCode(error, 'FOLDER_IN_USE') || performance.now() > until) throw error;
      await delay(LOCK_RETRY_MS);
    }
  }
}
