import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Raw } from '../../api/answer.ts';
import { type ApiError, ask, refusalIn } from '../../api/client.ts';
import type { Operation } from '../../../../schemas/operations.ts';

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: ApiError }
  | { readonly state: 'ready'; readonly value: T };

/**
 * What `load` answers, loaded again whenever the name changes. The request of a name before is aborted.
 *
 * @param name Everything that the answer depends on, as text: a path with its parameters.
 */
export function useLoad<T>(name: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> & { retry: () => void } {
  const [attempt, setAttempt] = useState(0);
  const [loaded, setLoaded] = useState<{ readonly of: string; readonly result: Loaded<T> }>();
  const current = `${attempt} ${name}`;
  useEffect(() => {
    const controller = new AbortController();
    load(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setLoaded({ of: current, result: { state: 'ready', value } });
      },
      (error: unknown) => {
        if (!controller.signal.aborted)
          setLoaded({ of: current, result: { state: 'failed', error: refusalIn(error) } });
      },
    );
    return () => controller.abort();
  }, [current]);
  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  const result: Loaded<T> = loaded?.of === current ? loaded.result : { state: 'loading' };
  return { ...result, retry };
}

/** What an operation answers, asked again whenever it is another. @param version Another one, after a change made here, asks again. */
export function useAnswer<T>(
  request: Operation<T>,
  version: string | number = '',
): Loaded<Raw<T>> & { retry: () => void } {
  return useLoad(`${version} ${JSON.stringify(request)}`, async (signal) => ask({ ...request, signal }));
}
