/** Runs in the thread that http-thread.ts starts. */
import { type MessagePort, workerData } from 'node:worker_threads';
import { Registry } from 'prom-client';
import type { Config } from '../runtime/config.ts';
import { controlSocketPath } from '../runtime/control-socket.ts';
import { createLogger } from '../runtime/logger.ts';
import { logWarnings } from '../runtime/node-warnings.ts';
import { TidemarkError } from '../runtime/errors.ts';
import { Caller, serveCalls } from '../runtime/threads.ts';
import { unwatchThisThread, watchThisThread } from '../runtime/watchdog/watchdog.ts';
import { pagesOf } from '../api/console/console-files.ts';
import { type BoundServer, bindServer } from '../http/starting.ts';
import { hasEmbedded } from '../runtime/embedded.ts';
import type { HttpSide } from './http-side.ts';
import { importThreads, type StartImport } from './imports/import-thread.ts';
import { ProcessParts } from './process-parts.ts';
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
  /** As `AppendWaits.look`: whether requests stand in line. */
  lookAtWaits(): Promise<number>;
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
const parts = new ProcessParts(shutdown.signal);
watchThisThread('the HTTP thread');
let binding: Promise<BoundServer> | undefined;
let opening: Promise<HttpSide> | undefined;
let side: HttpSide | undefined;

const startImport = importThreads(config);

const control: HttpControl = {
  bind: async () => {
    const { address } = await (binding ??= bind());
    loadModules().catch(() => undefined);
    return address;
  },
  open: async (names) => {
    side = await (opening ??= openSide(names));
  },
  startImport: async (task, forgotten) => {
    // An import dates what it takes by the clock as it begins.
    if (!task.dry_run) expectClock();
    return startImport(task, forgotten);
  },
  isClockWrong: async () => side?.ingest.isClockSkewed !== false,
  lookAtWaits: async () => side?.ingest.lookAtWaits() ?? 0,
  stop: async () => {
    shutdown.abort();
    await Promise.allSettled([binding, opening]);
    await parts.stop();
    unwatchThisThread();
  },
};

async function bind(): Promise<BoundServer> {
  const bound = await bindServer(config, logger, pagesOf(config));
  await parts.start({ stop: () => bound.server.close(0) });
  return bound;
}

/** Loaded once the port is bound, so that it is soon answered that the service is starting. */
function loadModules() {
  return Promise.all([import('./http-side.ts'), import('./lazy-stores.ts')]);
}

async function openSide(names: readonly string[]): Promise<HttpSide> {
  const [{ openHttpSide }, { openStores }] = await loadModules();
  const bound = await (binding ??= bind());
  const opened = await openStores(parts, config, logger, ['log', 'codec']);
  const stores = Object.fromEntries(names.map((name) => [name, caller.standIn(name)])) as unknown as Stores;
  // This process has the folder locked.
  const localSocket = hasEmbedded(config) ? controlSocketPath(config.dataDir) : undefined;
  const own = { bound, localSocket, config, logger, stores, registry: new Registry() };
  const http = await openHttpSide({ ...own, ...opened, role: 'all' });
  await parts.start(...http.behind);
  await http.follow();
  await parts.start(http.serving);
  return http;
}

/** @throws TidemarkError `CONFIG_INVALID` while the clock of this machine is in doubt. */
function expectClock(): void {
  if (side?.ingest.isClockSkewed !== true) return;
  throw new TidemarkError('CONFIG_INVALID', 'The clock of this machine is wrong. Begin again when /readyz is ready.');
}

serveCalls(commands, { control });
