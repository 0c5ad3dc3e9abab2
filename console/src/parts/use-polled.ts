import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';

export interface Polled<T> {
  /** The last answer; undefined before the first. */
  readonly value: T | undefined;
  /** Why there was no answer the last time. */
  readonly error: ApiError | undefined;
  /** Asks at once, as after a change. */
  readonly refresh: () => void;
}

/**
 * What `load` answers, asked for again and again. What was there stays until the next answer is.
 *
 * @param name Everything that the answer depends on, as text.
 * @param everyMs Until the next time, by the last answer; undefined for never.
 */
export function usePolled<T>(
  name: string,
  load: (signal: AbortSignal) => Promise<T>,
  everyMs: (value: T) => number | undefined,
): Polled<T> {
  const [polled, setPolled] = useState<{ readonly of: string; readonly value?: T; readonly error?: ApiError }>();
  const [attempt, setAttempt] = useState(0);
  const latest = useRef({ load, everyMs });
  latest.current = { load, everyMs };
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async (): Promise<void> => {
      let nextMs: number | undefined = 5_000;
      try {
        const value = await latest.current.load(controller.signal);
        if (controller.signal.aborted) return;
        setPolled({ of: name, value });
        nextMs = latest.current.everyMs(value);
      } catch (error) {
        if (controller.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        setPolled((before) => (before?.of === name ? { ...before, error } : { of: name, error }));
        // What is not there, or refused, is so the next time, too.
        if (error.status >= 400 && error.status < 429) nextMs = undefined;
      }
      if (nextMs !== undefined) timer = setTimeout(() => void run(), nextMs);
    };
    void run();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [name, attempt]);
  const current = polled?.of === name ? polled : undefined;
  return { value: current?.value, error: current?.error, refresh: () => setAttempt((count) => count + 1) };
}
