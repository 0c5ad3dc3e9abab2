import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Raw } from '../../api/types.ts';
import { type ApiError, ask, type Operation, refusalIn } from '../../api/client.ts';
import { Button } from '../form.tsx';
import { Loading, Problem } from './use-load.tsx';

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

interface PagesState<T> {
  readonly of: string;
  readonly items: readonly T[];
  /** Undefined before the first page. */
  readonly next: string | null | undefined;
  readonly isLoading: boolean;
  readonly error?: ApiError;
}

/** The pages of a list, one below the other, from the first again whenever its request is another. */
export function usePages<A extends { readonly next_cursor: string | null }, T>(
  requestOf: (cursor: string | undefined) => Operation<A>,
  itemsOf: (answer: Raw<A>) => readonly T[],
): Pages<T> {
  const name = JSON.stringify(requestOf(undefined));
  const first: PagesState<T> = { of: name, items: [], next: undefined, isLoading: true };
  const [kept, setState] = useState(first);
  const state = kept.of === name ? kept : first;
  const { items, next, isLoading, error } = state;
  useEffect(() => {
    if (!isLoading) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    ask({ ...requestOf(next ?? undefined), signal }).then(
      (page) => {
        if (signal.aborted) return;
        const { next_cursor: after } = page as { readonly next_cursor: string | null };
        setState({ of: name, items: [...items, ...itemsOf(page)], next: after, isLoading: false });
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

interface MoreProps {
  readonly pages: Pages<unknown>;
  /** What is loaded: `keys`. */
  readonly what: string;
  /** Where there is nothing at all. */
  readonly none?: ComponentChildren;
  /** Below the last of them. */
  readonly end?: string;
}

/** Below the list: that it loads, why it did not, the button for the next page, or that this is the end. */
export function More({ pages: { items, isEnd, isLoading, error, more }, what, none, end }: MoreProps) {
  if (isLoading) return <Loading what={what} />;
  if (error !== undefined) return <Problem error={error} retry={more} />;
  if (isEnd && items.length === 0) return <>{none}</>;
  if (isEnd) return end === undefined ? null : <p class="quiet below">{end}</p>;
  return <Button label="Load more" look="below" onClick={more} />;
}
