import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';

export interface Polled<T> {
  /** The last answer; it stays while the next one is asked for, and when that fails. */
  readonly value: T | undefined;
  /** Why the last request failed; undefined where it did not. */
  readonly error: ApiError | undefined;
  /** Asks at once. */
  readonly refresh: () => void;
}

interface Answered<T> {
  readonly of: string;
  readonly value: T | undefined;
  readonly error?: ApiError;
}

/**
 * What `load` answers, asked for again and again while the page is seen. Of a name that changes, the old answer is
 * forgotten.
 *
 * @param name Everything that the answer depends on, as text; undefined to ask for nothing.
 */
export function usePoll<T>(
  name: string | undefined,
  everyMs: number,
  load: (signal: AbortSignal) => Promise<T>,
): Polled<T> {
  const [answered, setAnswered] = useState<Answered<T>>();
  const [round, setRound] = useState(0);
  const refresh = useCallback(() => setRound((count) => count + 1), []);
  useEffect(() => {
    if (name === undefined) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = (): void => {
      if (!signal.aborted && !document.hidden) timer = setTimeout(run, everyMs);
    };
    const run = (): void => {
      load(signal).then(
        (value) => {
          if (!signal.aborted) setAnswered({ of: name, value });
          later();
        },
        (error: unknown) => {
          if (signal.aborted) return;
          if (!(error instanceof ApiError)) throw error;
          setAnswered((before) => ({ of: name, value: before?.of === name ? before.value : undefined, error }));
          later();
        },
      );
    };
    const onSeen = (): void => {
      clearTimeout(timer);
      if (!document.hidden) run();
    };
    document.addEventListener('visibilitychange', onSeen);
    run();
    return () => {
      document.removeEventListener('visibilitychange', onSeen);
      clearTimeout(timer);
      controller.abort();
    };
  }, [name, everyMs, round]);
  const current = answered?.of === name ? answered : undefined;
  return { value: current?.value, error: current?.error, refresh };
}
