/** A program: Node warns of something in this thread and in another, as the service has it. */
import { once } from 'node:events';
import { isMainThread, Worker } from 'node:worker_threads';
import { createLogger } from '../../../services/runtime/logger.ts';
import { logWarnings } from '../../../services/runtime/node-warnings.ts';

logWarnings(createLogger('info', process.stdout));
process.emitWarning('too many of them', 'ManyWarning');
if (isMainThread) await once(new Worker(new URL(import.meta.url)), 'exit');
