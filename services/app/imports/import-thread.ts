/** Imports, each in a thread of its own: reading a file takes all of a processor that others leave. */
import { createInterface } from 'node:readline';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { ImportTask } from '../../operations/import/begin.ts';
import type { ImportResult } from '../../operations/import/import-result.ts';
import type { ImportRunner } from '../../operations/import/import-commands.ts';
import type { CommandEvent } from '../../runtime/command.ts';
import type { Config } from '../../runtime/config.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { untilAborted } from '../../runtime/pause.ts';
import { Caller } from '../../runtime/threads.ts';
import { erasedIn, type ErasedUsers } from '../../stores/erasures/erased-users.ts';
import type { ImportControl, ImportEvents, ImportThreadData } from './import-thread-entry.ts';

/**
 * Starts an import in a new thread. Ending the iteration ends it, and waits until what was done is noted.
 *
 * @param forgotten The people of the project who are forgotten.
 */
export type StartImport = (task: ImportTask, forgotten: ErasedUsers) => Promise<ImportEvents>;

/**
 * To be called on a thread of normal priority, which the new one inherits.
 *
 * @param onLine Called with each line of the thread's logger; without it they are on standard output.
 */
export function importThreads(config: Config, onLine?: (line: string) => void): StartImport {
  async function* events(...given: Parameters<StartImport>) {
    const { port1: control, port2 } = new MessageChannel();
    const workerData: ImportThreadData = { config, control };
    const url = new URL('./import-thread-entry.ts', import.meta.url);
    const worker = new Worker(url, { workerData, transferList: [control], stdout: onLine !== undefined });
    if (onLine !== undefined) createInterface(worker.stdout).on('line', onLine);
    const caller = new Caller(port2);
    worker.once('error', (error: Error) => caller.close(error));
    worker.once('exit', () => caller.close(new TidemarkError('STOPPING', 'the thread of the import has ended')));
    try {
      yield* await caller.standIn<ImportControl>('import').run(...given);
    } finally {
      await worker.terminate();
    }
  }
  return async (...given) => events(...given);
}

/** Runs one import after the other, since each takes what the log has to spare. What only looks waits for nobody. */
export class ImportQueue implements ImportRunner {
  readonly #start: StartImport;
  #last: Promise<unknown> = Promise.resolve();
  #unfinished = 0;

  constructor(start: StartImport) {
    this.#start = start;
  }

  async run(...given: Parameters<ImportRunner['run']>): Promise<ImportResult> {
    const [task, call] = given;
    if (task.dry_run) return this.#run(...given);
    const turn = this.#last;
    const { promise: end, resolve } = Promise.withResolvers<void>();
    this.#last = turn.then(() => end);
    this.#unfinished += 1;
    try {
      if (this.#unfinished > 1) call.report({ done: 0, waiting: 'for the imports before it' });
      await untilAborted(turn, call.signal);
      return await this.#run(...given);
    } finally {
      this.#unfinished -= 1;
      resolve();
    }
  }

  async #run(...[task, { report, signal }, forgotten]: Parameters<ImportRunner['run']>): Promise<ImportResult> {
    let known = await forgotten();
    const events = (await this.#start(task, erasedIn(task.project, known)))[Symbol.asyncIterator]();
    let changed: ErasedUsers | undefined;
    try {
      for (;;) {
        const event = (await events.next(changed)).value as CommandEvent;
        signal.throwIfAborted();
        if ('result' in event) return JSON.parse(event.result) as ImportResult;
        if ('failure' in event) throw errorOfFailure(event.failure);
        if (event.progress !== null) report(event.progress);
        const before = known;
        known = await forgotten();
        changed = known === before ? undefined : erasedIn(task.project, known);
      }
    } finally {
      await events.return?.();
    }
  }
}

function errorOfFailure({ code, message }: Extract<CommandEvent, { failure: unknown }>['failure']): Error {
  return code === undefined ? new Error(message) : new TidemarkError(code, message);
}
