/** Configuration → opened stores → running roles: the whole service in one process. */
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type FirstStart, makeFirstProject } from '../projects/first-start.ts';
import { projectCommands } from '../projects/project-commands.ts';
import type { Config } from '../runtime/config.ts';
import { ControlServer } from '../runtime/control-server.ts';
import { controlSocketPath } from '../runtime/control-socket.ts';
import { hasCode } from '../runtime/errors.ts';
import { type FolderLock, lockFolder } from '../runtime/folder-lock.ts';
import type { OpenedLogger } from '../runtime/logger.ts';
import { wayFor } from './give-way.ts';
import { HttpThread } from './http-thread.ts';
import { OpenedReaders } from './opened-readers.ts';

const LOCK_PATIENCE_MS = 3_000;

const READERS_NICENESS = 19;

/** Readers and stores on this thread, HTTP and its end of the log on another. */
export class Service {
  /** What the first start on these data made; undefined on later starts. */
  readonly firstStart: FirstStart | undefined;
  /** `http://HOST:PORT` with the port that was taken. */
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

  /** Rejects when a part without which the process makes no sense has ended; never resolves. */
  get ended(): Promise<never> {
    return this.#http.ended;
  }

  /** @throws TidemarkError whatever keeps a part from starting; what was opened before is closed again. */
  static async start(config: Config, output: OpenedLogger): Promise<Service> {
    const http = new HttpThread(config, output);
    letOthersGoFirst();
    try {
      const inside = await openInside(config, output, http);
      try {
        const firstStart = await makeFirstProject(inside.readers.projects, {
          timezone: config.initialTimezone,
          writeKey: config.initialWriteKey,
          readKey: config.initialReadKey,
        });
        await inside.control.start();
        const { profiles, projects, analytics, progress } = inside.readers;
        const address = await http.listen({ profiles, projects, analytics, progress, readers: inside.readers });
        return new Service(http, inside, address, firstStart);
      } catch (error) {
        await closeInside(inside);
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
    await closeInside(this.#inside);
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

interface Inside {
  readonly lock: FolderLock;
  readonly readers: OpenedReaders;
  readonly control: ControlServer;
}

async function openInside(config: Config, { logger }: OpenedLogger, http: HttpThread): Promise<Inside> {
  const lock = await lockPatiently(config.dataDir);
  try {
    const readers = await OpenedReaders.open(
      config,
      logger,
      wayFor(() => http.utilization()),
    );
    const commands = projectCommands(readers.projects, config.initialTimezone);
    const control = new ControlServer(controlSocketPath(config.dataDir), { ...commands }, logger);
    return { lock, readers, control };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A command of the command line, or a service on its way down, has the folder for some seconds. */
async function lockPatiently(folder: string): Promise<FolderLock> {
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

async function closeInside({ lock, readers, control }: Inside): Promise<void> {
  await control.stop();
  await readers.stop();
  lock.release();
}
