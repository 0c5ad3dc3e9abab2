import { inTime } from '../../runtime/pause.ts';

/** A source that takes longer counts as unknown: a status is asked for when something hangs. */
export const SOURCE_WITHIN_MS = 3_000;

/**
 * Runs `find` at most once in `forMs`, never twice at once, and answers what it found last; undefined where it failed or
 * takes longer than three seconds.
 */
export function cached<T>(forMs: number, find: (signal: AbortSignal) => Promise<T>): () => Promise<T | undefined> {
  let found: Promise<T | undefined> | undefined;
  let untilMs = 0;
  let isFinding = false;
  return () => {
    if (found !== undefined && (isFinding || performance.now() < untilMs)) return found;
    isFinding = true;
    found = inTime(SOURCE_WITHIN_MS, (signal) =>
      find(signal).finally(() => {
        isFinding = false;
        untilMs = performance.now() + forMs;
      }),
    );
    return found;
  };
}
