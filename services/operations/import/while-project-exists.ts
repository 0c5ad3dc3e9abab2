import { TidemarkError } from '../../runtime/errors.ts';

const LOOK_EVERY_MS = 2_000;

/**
 * Runs an import, and ends it once its project is deleted, as a write key ends. What cannot be asked now is asked again.
 *
 * @param exists Whether the project is there.
 * @param run Ends once its signal aborts.
 * @throws TidemarkError `PROJECT_UNKNOWN`, also where the project was deleted shortly before the end; what `run` throws.
 */
export async function whileProjectExists<T>(
  exists: () => Promise<boolean>,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deleted = new AbortController();
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    if (!(await exists())) deleted.abort(new TidemarkError('PROJECT_UNKNOWN', 'The project was deleted.'));
    looking = undefined;
  };
  const timer = setInterval(() => {
    looking ??= look().catch(() => (looking = undefined));
  }, LOOK_EVERY_MS);
  try {
    const result = await run(AbortSignal.any([signal, deleted.signal]));
    if (!signal.aborted) await look();
    deleted.signal.throwIfAborted();
    return result;
  } finally {
    clearInterval(timer);
  }
}
