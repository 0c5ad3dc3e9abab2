/** Runs in the thread that http-thread.ts starts. */
import { type MessagePort, workerData } from 'node:worker_threads';
import { Registry } from 'prom-client';
import type { EventLog } from '../event-log/event-log.ts';
import type { Config } from '../runtime/config.ts';
import { controlSocketPath } from '../runtime/control-socket.ts';
import { createLogger } from '../runtime/logger.ts';
import { logWarnings } from '../runtime/node-warnings.ts';
import { Caller, serveCalls } from '../runtime/threads.ts';
import { unwatchThisThread, watchThisThread } from '../runtime/watchdog/watchdog.ts';
import { pagesOf } from '../api/console/console-files.ts';
import { type BoundServer, bindServer } from '../http/starting.ts';
import { hasEmbedded } from '../runtime/embedded.ts';
import type { HttpSide } from './http-side.ts';
import { importThreads, type StartImport } from './imports/import-thread.ts';
import type { Stores } from './stores.ts';

/** The commands that the thread carries out. */
export interface HttpControl {
  /** Resolves with the address once it listens and answers that it is starting; rejects where it cannot. */
  bind(): Promise<string>;
  /** Resolves once it answers requests; rejects where it cannot. @param stores The names of those that are served. */
  open(stores: readonly string[]): Promise<void>;
  /** In a thread of its own, which inherits the priority of this one. */
  readonly startImport: StartImport;
  /** True also until messages can be accepted. */
  isClockWrong(): Promise<boolean>;
  /** Stops accepting, finishes what was accepted, closes the log. Idempotent. */
  stop(): Promise<void>;
}

/** What the thread is started with: ports for its commands, for its calls of the stores, and for its log lines. */
export interface HttpThreadData {
  readonly config: Config;
  readonly commands: MessagePort;
  readonly stores: MessagePort;
  readonly lines: MessagePort;
}

const { config, commands, stores: port, lines } = workerData as HttpThreadData;
const logger = createLogger(config.logLevel, { write: (line: string) => lines.postMessage(line) });
logWarnings(logger);
const caller = new Caller(port);
const shutdown = new AbortController();
watchThisThread('the HTTP thread');
let binding: Promise<BoundServer> | undefined;
let opening: Promise<void> | undefined;
let opened: OpenedSide | undefined;

interface OpenedSide {
  readonly side: HttpSide;
  readonly log: EventLog;
}

const startImport = importThreads(config);

const control: HttpControl = {
  bind: async () => {
    binding ??= bindServer(config, logger, pagesOf(config));
    const { address } = await binding;
    loadModules().catch(() => undefined);
    return address;
  },
  open: async (names) => {
    opening ??= openSide(names);
    await opening;
  },
  startImport: async (task, forgotten) => {
    // An import dates what it takes by the clock as it begins.
    if (!task.dry_run) opened?.side.expectClock();
    return startImport(task, forgotten);
  },
  isClockWrong: async () => opened?.side.isClockWrong !== false,
  stop: async () => {
    shutdown.abort();
    await opening?.catch(() => undefined);
    await opened?.side.stop();
    await opened?.log.close();
    const bound = await binding?.catch(() => undefined);
    await bound?.server.close(0);
    unwatchThisThread();
  },
};

/** Loaded once the port is bound, because the main thread waits for that. */
function loadModules() {
  return Promise.all([import('./http-side.ts'), import('./open-stores.ts')]);
}

async function openSide(names: readonly string[]): Promise<void> {
  const [{ HttpSide }, { StoreOpener }] = await loadModules();
  const opener = new StoreOpener(config, logger, shutdown.signal);
  const bound = await (binding ??= bindServer(config, logger, pagesOf(config)));
  const codec = await opener.codec();
  const log = await opener.log();
  try {
    const registry = new Registry();
    const standIns = names.map((name) => [name, caller.standIn(name)] as const);
    const stores = Object.fromEntries(standIns) as unknown as Stores;
    // This process has the folder locked.
    const localSocket = hasEmbedded(config) ? controlSocketPath(config.dataDir) : undefined;
    const own = { bound, localSocket, config, logger, stores, storesAreOpen: true, log, codec, registry };
    const parts = { ...own, role: 'all' } as const;
    const side = await HttpSide.open(parts);
    opened = { log, side };
  } catch (error) {
    await log.close();
    throw error;
  }
}

serveCalls(commands, { control });
