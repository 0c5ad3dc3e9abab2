/** What runs in the thread that http-thread.ts starts. */
import { workerData } from 'node:worker_threads';
import { createLogger } from '../runtime/logger.ts';
import { Caller, serveCalls } from '../runtime/threads.ts';
import { HttpSide } from './http-side.ts';
import type { HttpControl, HttpThreadData } from './http-thread.ts';
import type { Stores } from './stores.ts';

const { config, commands, stores: port, lines } = workerData as HttpThreadData;
const logger = createLogger(config.logLevel, { write: (line: string) => lines.postMessage(line) });
const caller = new Caller(port);
const stores: Stores = {
  profiles: caller.standIn('profiles'),
  projects: caller.standIn('projects'),
  analytics: caller.standIn('analytics'),
  progress: caller.standIn('progress'),
  readers: caller.standIn('readers'),
};

let opening: Promise<HttpSide> | undefined;

const control: HttpControl = {
  open: async () => {
    opening ??= HttpSide.open(config, logger, stores);
    return (await opening).address;
  },
  stop: async () => (await opening?.catch(() => undefined))?.stop(),
};

serveCalls(commands, { control });
