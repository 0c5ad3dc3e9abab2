/** Runs in the thread that import-thread.ts starts. */
import { setPriority } from 'node:os';
import { type MessagePort, workerData } from 'node:worker_threads';
import type { ImportTask } from '../../operations/import/begin.ts';
import { FileImport } from '../../operations/import/file-import.ts';
import type { ImportProgress, ImportTarget } from '../../operations/import/import-result.ts';
import type { CommandEvent, Progress, Work } from '../../runtime/command.ts';
import type { Config } from '../../runtime/config.ts';
import { createLogger } from '../../runtime/logger.ts';
import { serveCalls } from '../../runtime/threads.ts';
import type { ErasedUsers } from '../../stores/erasures/erased-users.ts';
import { CommandRun } from '../../operations/jobs/command-run.ts';
import { StoreOpener } from '../open-stores.ts';

/** What there is to tell of an import. `next` takes the people who are forgotten, where they are others than before. */
export type ImportEvents = AsyncIterable<CommandEvent, void, ErasedUsers | undefined>;

/** What the thread carries out. */
export interface ImportControl {
  /** Ending the iteration ends the import after the append under way, and waits until what was done is noted and the log is closed. */
  run(task: ImportTask, forgotten: ErasedUsers): Promise<ImportEvents>;
}

export interface ImportThreadData {
  readonly config: Config;
  readonly control: MessagePort;
}

const { config, control } = workerData as ImportThreadData;
const logger = createLogger(config.logLevel, { write: (line) => void process.stdout.write(line) });
const LOWEST_PRIORITY = 19;
/** An end waits for the event under way. */
const SIGN_OF_LIFE_MS = 200;

const served: ImportControl = {
  run: async (...given) => importEvents(...given),
};

async function* importEvents(
  task: ImportTask,
  first: ErasedUsers,
): AsyncGenerator<CommandEvent, void, ErasedUsers | undefined> {
  let forgotten = first;
  const work: Work = async ({ report, signal }) => {
    await using opened = new AsyncDisposableStack();
    const target = task.dry_run ? undefined : await openTarget(signal, opened);
    return await FileImport.run(task, target, {
      signal,
      forgotten: () => forgotten,
      onProgress: (progress) => report(importProgress(progress, task.dry_run)),
      onTrouble: (error) => logger.warn({ err: error }, 'an import waits for the event log'),
    });
  };
  const onError = (error: unknown): void => logger.error({ err: error }, 'an import failed');
  const run = new CommandRun(work, { onError }, SIGN_OF_LIFE_MS);
  try {
    for await (const event of run) forgotten = (yield event) ?? forgotten;
  } finally {
    await run.end;
  }
}

async function openTarget(signal: AbortSignal, opened: AsyncDisposableStack): Promise<ImportTarget> {
  const opener = new StoreOpener(config, logger, signal);
  const codec = await opener.codec();
  const log = await opener.log();
  opened.defer(() => log.close());
  // This starts the thread that writes, which keeps its priority: live appends wait for the lock that it takes.
  await log.check();
  // On Linux it is this thread's alone; elsewhere it would be that of the whole process.
  if (process.platform === 'linux') setPriority(LOWEST_PRIORITY);
  return { log, codec, maxClockSkewMs: config.maxClockSkewMs };
}

function importProgress(
  { bytesRead, bytes, lines, imported, refused, dropped = 0 }: ImportProgress,
  isDry: boolean,
): Progress {
  return {
    phase: isDry ? 'checking' : 'importing',
    done: bytesRead,
    total: bytes,
    unit: 'bytes',
    lines,
    accepted: imported,
    refused,
    dropped,
  };
}

serveCalls(control, { import: served });
