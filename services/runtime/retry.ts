import { isRetryable, TidemarkError } from './errors.ts';
import { pause } from './pause.ts';

export interface RetryOptions {
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Called once, before the first wait. */
  readonly onTrouble?: (error: unknown) => void;
  /** Called once, when a repeated call succeeds. */
  readonly onRecovery?: () => void;
  /** Which errors are waited for; those that are retryable where left out. */
  readonly passes?: (error: unknown) => boolean;
  readonly firstWaitMs?: number;
  readonly longestWaitMs?: number;
}

/**
 * Repeats a call until it succeeds or fails permanently, with growing waits in between.
 *
 * @throws what `call` throws where that does not pass by itself; TidemarkError `STOPPING` once `signal` is aborted.
 */
export async function retry<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, onTrouble, onRecovery, passes = isRetryable, firstWaitMs = 100, longestWaitMs = 10_000 } = options;
  for (let attempt = 0; ; attempt++) {
    if (signal.aborted) throw new TidemarkError('STOPPING', 'given up: the process is stopping');
    try {
      const result = await call();
      if (attempt > 0) onRecovery?.();
      return result;
    } catch (error) {
      if (!passes(error)) throw error;
      if (attempt === 0 && !signal.aborted) onTrouble?.(error);
      await pause(jittered(Math.min(firstWaitMs * 2 ** attempt, longestWaitMs)), signal);
    }
  }
}

/** Half to all of it, so that many callers that failed together do not retry together. */
function jittered(waitMs: number): number {
  return waitMs * (0.5 + Math.random() / 2);
}
