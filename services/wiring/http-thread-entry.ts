/** What runs in the thread that http-thread.ts starts. */
import { workerData } from 'node:worker_threads';
import { Registry } from 'prom-client';
import type { EventLog } from '../event-log/event-log.ts';
import { createLogger } from '../runtime/logger.ts';
import { logWarnings } from '../runtime/node-warnings.ts';
import { Caller, serveCalls } from '../runtime/threads.ts';
import { HttpSide } from './http-side.ts';
import type { HttpControl, HttpThreadData } from './http-thread.ts';
import { StoreOpener } from './open-stores.ts';
import type { Stores } from './stores.ts';

const { config, commands, stores: port, lines } = workerData as HttpThreadData;
const logger = createLogger(config.logLevel, { write: (line: string) => lines.postMessage(line) });
logWarnings(logger);
const caller = new Caller(port);
const stores: Stores = {
  profiles: caller.standIn('profiles'),
  projects: caller.standIn('projects'),
  analytics: caller.standIn('analytics'),
  progress: caller.standIn('progress'),
  readers: caller.standIn('readers'),
  saved: caller.standIn('saved'),
  evaluator: caller.standIn('evaluator'),
};

const stopping = new AbortController();
let opening: Promise<Opened> | undefined;

interface Opened {
  readonly side: HttpSide;
  readonly log: EventLog;
}

const control: HttpControl = {
  open: async () => {
    opening ??= open();
    return (await opening).side.address;
  },
  stop: async () => {
    stopping.abort();
    const opened = await opening?.catch(() => undefined);
    await opened?.side.stop();
    await opened?.log.close();
  },
};

async function open(): Promise<Opened> {
  const opener = new StoreOpener(config, logger, stopping.signal);
  const codec = await opener.codec();
  const log = await opener.log();
  try {
    const registry = new Registry();
    return { log, side: await HttpSide.open({ config, logger, stores, storesAreOpen: true, log, codec, registry }) };
  } catch (error) {
    await log.close();
    throw error;
  }
}

serveCalls(commands, { control });
