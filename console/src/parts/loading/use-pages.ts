import { useCallback, useEffect, useState } from 'preact/hooks';
import { type ApiError, refusalIn } from '../../api/client.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export interface Pages<T> {
  /** The items of all pages so far. */
  readonly items: readonly T[];
  /** Whether nothing comes after them. */
  readonly isEnd: boolean;
  readonly isLoading: boolean;
  readonly error: ApiError | undefined;
  /** Asks for the next page, or for the one that failed. */
  readonly more: () => void;
}

interface State<T> {
  readonly of: string;
  readonly items: readonly T[];
  /** Undefined before the first page. */
  readonly next: string | null | undefined;
  readonly isLoading: boolean;
  readonly error?: ApiError;
}

/**
 * The pages of a list, one below the other, from the first again whenever the name changes.
 *
 * @param name Everything that the list depends on, as text.
 * @param load Answers the page after a cursor, which is undefined for the first.
 */
export function usePages<T>(
  name: string,
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
): Pages<T> {
  const first: State<T> = { of: name, items: [], next: undefined, isLoading: true };
  const [kept, setState] = useState(first);
  const state = kept.of === name ? kept : first;
  const { items, next, isLoading, error } = state;
  useEffect(() => {
    if (!isLoading) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    load(next ?? undefined, signal).then(
      (page) => {
        if (signal.aborted) return;
        setState({ of: name, items: [...items, ...page.items], next: page.next, isLoading: false });
      },
      (failure: unknown) => {
        if (!signal.aborted) setState({ of: name, items, next, isLoading: false, error: refusalIn(failure) });
      },
    );
    return () => controller.abort();
  }, [name, isLoading]);
  const more = useCallback(() => setState((current) => ({ ...current, isLoading: true })), []);
  return { items, isEnd: next === null, isLoading, error, more };
}
