import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Raw } from '../../api/answer.ts';
import { type ApiError, ask, refusalIn, type Request } from '../../api/client.ts';

interface Polled<T> {
  /** The last answer; it stays while the next one is asked for, and when that fails. */
  readonly value: T | undefined;
  /** Why the last request failed; undefined where it did not. */
  readonly error: ApiError | undefined;
  /** Asks at once: after a failure, or a change. */
  readonly retry: () => void;
}

interface Answered<T> {
  readonly of: string;
  readonly value: T | undefined;
  readonly error?: ApiError;
}

const AFTER_ERROR_MS = 5_000;

/**
 * What a request is answered, asked again and again while the page is visible. Forgets the old answer when the request
 * is another.
 *
 * @param request Undefined to ask for nothing.
 * @param every Until the next time, in milliseconds; by the last answer where it is a function, undefined for never.
 */
export function usePoll<T>(
  request: Request<T> | undefined,
  every: number | ((value: Raw<T>) => number | undefined),
): Polled<Raw<T>> {
  const name = JSON.stringify(request);
  const [answered, setAnswered] = useState<Answered<Raw<T>>>();
  const [round, setRound] = useState(0);
  const retry = useCallback(() => setRound((count) => count + 1), []);
  const latest = useRef({ every });
  latest.current = { every };
  useEffect(() => {
    if (request === undefined || name === undefined) return undefined;
    const onValue = (value: Raw<T>): number | undefined => {
      setAnswered({ of: name, value });
      const { every: next } = latest.current;
      return typeof next === 'number' ? next : next(value);
    };
    const onError = (error: ApiError): number => {
      setAnswered((before) => ({ of: name, value: before?.of === name ? before.value : undefined, error }));
      return AFTER_ERROR_MS;
    };
    return repeat(async (signal) => ask({ ...request, signal }), onValue, onError);
  }, [name, round]);
  const current = answered?.of === name ? answered : undefined;
  return { value: current?.value, error: current?.error, retry };
}

/** Until it is told to stop. After each answer it is told when to ask the next time. */
function repeat<T>(
  load: (signal: AbortSignal) => Promise<T>,
  onValue: (value: T) => number | undefined,
  onError: (error: ApiError) => number,
): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const later = (ms: number | undefined): void => {
    isOver = ms === undefined;
    if (!document.hidden) timer = isOver ? undefined : setTimeout(run, ms);
  };
  const run = (): void => {
    timer = undefined;
    load(signal).then(
      (value) => {
        if (!signal.aborted) later(onValue(value));
      },
      (error: unknown) => {
        if (!signal.aborted) later(onError(refusalIn(error)));
      },
    );
  };
  const onSeen = (): void => {
    clearTimeout(timer);
    if (!document.hidden && !isOver) run();
  };
  document.addEventListener('visibilitychange', onSeen);
  run();
  return () => {
    document.removeEventListener('visibilitychange', onSeen);
    clearTimeout(timer);
    controller.abort();
  };
}
