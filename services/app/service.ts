/** Configuration → opened stores → running parts: the whole service in one process. */
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { AudienceScheduler } from '../audience/saved/audience-scheduler.ts';
import { SqlAudienceStore } from '../audience/saved/sql-audience-store.ts';
import { liveStores } from '../stores/generations/live-stores.ts';
import {
  type FirstStart,
  type FirstStartOptions,
  type FirstStartPlace,
  makeFirstProject,
} from '../stores/projects/first-start.ts';
import { SqlProjectStore } from '../stores/projects/sql-project-store.ts';
import type { Config } from '../runtime/config.ts';
import { ControlServer } from '../runtime/control/server.ts';
import { controlSocketPath } from '../runtime/control/socket.ts';
import { hasCode, TidemarkError } from '../runtime/errors.ts';
import { type FolderLock, lockFolder } from '../runtime/folder-lock.ts';
import type { OpenedLogger } from '../runtime/logger.ts';
import type { Throttle } from '../consumers/reader-loop.ts';
import { encoderModuleOf } from './encoder-module.ts';
import { allCommands } from './commands.ts';
import { ANSWERING_THRESHOLDS, ENCODING_THRESHOLDS, loadThrottle } from '../consumers/throttle/load-throttle.ts';
import { HttpThread } from './http-thread.ts';
import { audienceSchedulerOf } from './audience-scheduler-of.ts';
import { closeStores, openStores, type OpenedStores } from './open-stores.ts';
import { Readers } from './readers.ts';
import { isServer } from './role.ts';
import type { Running } from './running.ts';

const LOCK_PATIENCE_MS = 3_000;

// At 19 an event was queryable after 10 s beside two other busy processes on two processors, at 10 after 1.1 s; requests
// a second and their times at half load were the same (measured).
const READERS_NICENESS = 10;

/** Readers and stores on this thread, HTTP and its end of the log on another. */
export class Service implements Running {
  readonly firstStart: FirstStart | undefined;
  readonly address: string;
  readonly #http: HttpThread;
  readonly #inside: Inside;
  #stopping: Promise<void> | undefined;

  private constructor(http: HttpThread, inside: Inside, address: string, firstStart: FirstStart | undefined) {
    this.#http = http;
    this.#inside = inside;
    this.address = address;
    this.firstStart = firstStart;
  }

  /** Rejects when the HTTP thread has ended: without it the process makes no sense. Never resolves. */
  get ended(): Promise<never> {
    return this.#http.ended;
  }

  /** @throws TidemarkError whatever keeps a part from starting; what was opened before is closed again. */
  static async start(config: Config, output: OpenedLogger, signal: AbortSignal): Promise<Service> {
    const http = new HttpThread(config, output);
    letOthersGoFirst();
    try {
      const address = await http.bind();
      output.logger.info({ address, role: 'all' }, 'starting');
      const need = encoderModuleOf(config) === undefined ? ENCODING_THRESHOLDS : ANSWERING_THRESHOLDS;
      const throttle = loadThrottle(() => http.utilization(), need);
      const inside = await Inside.open(config, output, throttle, signal);
      try {
        stopIf(signal);
        const { database, analytics } = inside.stores;
        const projects = new SqlProjectStore(database);
        const firstStart = await makeFirstProject(projects, firstStartOptionsOf(config), firstStartPlaceOf(config));
        await inside.listen();
        await http.open({
          ...liveStores(database, analytics),
          projects,
          readers: inside.readers,
          saved: new SqlAudienceStore(database, config.maxProjectAudiences),
          evaluator: inside.keeper,
        });
        return new Service(http, inside, address, firstStart);
      } catch (error) {
        await inside.close();
        throw error;
      }
    } catch (error) {
      await http.stop();
      throw error;
    }
  }

  /** Stops accepting, finishes what was accepted, stops the readers, closes the stores. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    await this.#http.stop();
    await this.#inside.close();
  }
}

/**
 * Readers can wait and requests cannot: where both want a processor, the HTTP thread gets it. On Linux niceness belongs
 * to a thread, and the process id names the main one; threads made from now on, chDB's among them, inherit it.
 * Elsewhere it would be the whole process'.
 */
function letOthersGoFirst(): void {
  if (process.platform === 'linux') setPriority(process.pid, READERS_NICENESS);
}

interface InsideParts {
  readonly lock: FolderLock | undefined;
  readonly stores: OpenedStores;
  readonly readers: Readers;
  readonly keeper: AudienceScheduler;
  readonly control: ControlServer | undefined;
}

/** What is on the main thread. */
class Inside {
  readonly stores: OpenedStores;
  readonly readers: Readers;
  readonly keeper: AudienceScheduler;
  readonly #parts: InsideParts;

  private constructor(parts: InsideParts) {
    this.#parts = parts;
    this.stores = parts.stores;
    this.readers = parts.readers;
    this.keeper = parts.keeper;
  }

  static async open(config: Config, output: OpenedLogger, throttle: Throttle, signal: AbortSignal): Promise<Inside> {
    // Where everything is on servers, others may do the same beside us, with the same folder or none.
    const lock = hasEmbedded(config) ? await lockWithRetry(config.dataDir) : undefined;
    try {
      const stores = await openStores(config, output.logger, signal);
      const readers = Readers.both({ ...stores, config, logger: output.logger, throttle }, stores.analytics);
      const control = lock === undefined ? undefined : controlOf(config, output, stores);
      const keeper = audienceSchedulerOf(config, output.logger, stores);
      const inside = new Inside({ lock, stores, readers, keeper, control });
      readers.start();
      keeper.start();
      return inside;
    } catch (error) {
      lock?.release();
      throw error;
    }
  }

  /** From now on commands of the command line are carried out. */
  async listen(): Promise<void> {
    await this.#parts.control?.start();
  }

  async close(): Promise<void> {
    const { lock, stores, readers, keeper, control } = this.#parts;
    await control?.stop();
    const kept = keeper.stop();
    await readers.stop();
    // Ends an evaluation under way, which is not waited for.
    await stores.analytics.close();
    await kept;
    await closeStores(stores);
    lock?.release();
  }
}

export function firstStartOptionsOf(config: Config): FirstStartOptions {
  return { timezone: config.initialTimezone, writeKey: config.initialWriteKey, readKey: config.initialReadKey };
}

// From the making of the keys to their showing it is a fraction of a second.
const OTHERS_SHOW_WITHIN_MS = 5_000;

/** A database in this process is this process' alone. */
export function firstStartPlaceOf({ profilesUrl }: Config): FirstStartPlace {
  return { othersShowWithinMs: isServer(profilesUrl) ? OTHERS_SHOW_WITHIN_MS : 0 };
}

/** What is open by now is closed again by whoever catches it. */
function stopIf(signal: AbortSignal): void {
  if (signal.aborted) throw new TidemarkError('STOPPING', 'it was told to stop while it started');
}

function hasEmbedded({ eventLogUrl, profilesUrl, analyticsUrl }: Config): boolean {
  return [eventLogUrl, profilesUrl, analyticsUrl].some((url) => !isServer(url));
}

function controlOf(config: Config, { logger }: OpenedLogger, stores: OpenedStores): ControlServer {
  return new ControlServer(controlSocketPath(config.dataDir), allCommands({ ...stores, config, logger }), logger);
}

/** A command of the command line, or a service on its way down, has the folder for some seconds. */
async function lockWithRetry(folder: string): Promise<FolderLock> {
  const until = performance.now() + LOCK_PATIENCE_MS;
  for (;;) {
    try {
      return lockFolder(folder);
    } catch (error) {
      if (!hasCode(error, 'FOLDER_IN_USE') || performance.now() > until) throw error;
      await delay(100);
    }
  }
}
