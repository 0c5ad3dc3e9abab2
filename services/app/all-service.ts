/** The role `all`: everything in one process. HTTP has a thread of its own, readers and stores have the main thread. */
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { BACK_PRESSURE, loadThrottle } from '../consumers/throttle/throttle.ts';
import { scheduledVerification } from '../operations/jobs/schedule.ts';
import type { Config } from '../runtime/config.ts';
import { checkAddress } from '../http/server.ts';
import { hasCode } from '../runtime/errors.ts';
import { shareEventLog } from '../event-log/open.ts';
import { type FolderLock, lockFolder } from '../runtime/folder-lock.ts';
import type { Logger, OpenedLogger } from '../runtime/logger.ts';
import { encoderModuleOf } from '../ingest/offload.ts';
import { hasEmbedded } from '../runtime/embedded.ts';
import { livePartsOf } from './audience-parts.ts';
import { compose } from './composition.ts';
import { HttpThread } from './http-thread.ts';
import { ImportQueue } from './imports/import-thread.ts';
import { ALL_STORES, openStores } from './lazy-stores.ts';
import { type ProcessParts, startParts } from './process-parts.ts';
import { projectNamesIn, startProjects } from './projects.ts';
import { readerPartsOf } from './readers/reader-parts.ts';
import type { Running } from './role.ts';
import { sharedStoresOn } from './stores.ts';

// Another process may be about to release the folder: a command of the command line, or a service that is stopping.
const LOCK_WITHIN_MS = 3_000;
const LOCK_RETRY_MS = 100;

// At 19 an event was queryable after 10 s beside two other busy processes on two processors, at 10 after 1.1 s; requests
// a second and their times at half load were the same (measured).
const READERS_NICENESS = 10;

/** @throws TidemarkError what keeps a part from starting. */
export async function startAll(config: Config, output: OpenedLogger, signal: AbortSignal): Promise<Running> {
  const { logger } = output;
  await shareEventLog(config.eventLogUrl);
  const http = new HttpThread(config, output);
  lowerPriority();
  return startParts(signal, async (parts) => {
    await parts.start({ stop: () => http.stop() });
    // The thread takes half a second to load its modules. Whether the port is taken is known before anything is made.
    await checkAddress(config.host, config.port);
    const bound = http.bind().then((address) => {
      logger.info({ address, role: 'all' }, 'starting');
      return address;
    });
    bound.catch(() => undefined);
    // Where every store is on a server, other processes may use the same folder, or there is none.
    if (hasEmbedded(config)) {
      const lock = await lockWithRetry(config.dataDir);
      await parts.start({ stop: () => lock.release() });
    }
    // A reader that has failed does not end the process: messages are still taken, and `/readyz` names the reader.
    const started = await startMainThread(parts, config, logger, http);
    return { address: await bound, ended: http.ended, ...started };
  });
}

/**
 * Readers can wait and requests cannot: where both want a processor, the HTTP thread gets it. On Linux niceness belongs
 * to a thread, and the process id names the main one; threads created from now on, chDB's among them, inherit it.
 * Elsewhere it would apply to the whole process.
 */
function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(process.pid, READERS_NICENESS);
}

/** Opens the stores, and starts what works on them once they are known to belong together. */
async function startMainThread(
  parts: ProcessParts,
  config: Config,
  logger: Logger,
  http: HttpThread,
): Promise<Pick<Running, 'firstStart' | 'projectNames'>> {
  const { startImport, isClockWrong, lookAtWaits } = http.control;
  const { encoding, answering } = BACK_PRESSURE.load;
  const isEncoding = encoderModuleOf(config) === undefined;
  const throttle = isEncoding ? loadThrottle(() => http.utilization(), encoding) : loadThrottle(lookAtWaits, answering);
  const opened = await openStores(parts, config, logger, ALL_STORES);
  const shared = sharedStoresOn(config, opened);
  const needs = { throttle, isClockWrong };
  const { live, follower, parts: following } = await livePartsOf(config, logger, opened, shared, needs);
  const given = { ...opened, config, logger, throttle, follower };
  const { readers, parts: reading } = readerPartsOf('all', given, shared.processes);
  const { stores, jobs, scheduler, deliverer, schedule } = compose(
    {
      config,
      logger,
      hasReaders: true,
      importer: new ImportQueue(startImport),
      readers: { health: () => readers.health(), metrics: () => parts.metrics() },
      isClockWrong,
      live,
      opened,
      throttle,
      scheduled: scheduledVerification(config.verifyEveryMs),
    },
    shared,
    async () => opened,
  );
  const firstStart = await startProjects(config, { ...opened, logger }, parts.stopping);
  // An evaluation under way is ended by the closing of analytics, and so is what is read for webhooks.
  await parts.start(...following, scheduler, deliverer, { stop: () => opened.analytics.close() });
  // The streams of commands end with the commands.
  await parts.start({ stop: () => jobs.stop() }, ...reading, schedule, {
    start: () => http.open(stores),
    stop: () => http.stop(),
  });
  return { firstStart, projectNames: () => projectNamesIn(opened.database) };
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
