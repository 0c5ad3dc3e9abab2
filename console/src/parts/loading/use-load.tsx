/** What the service is asked for: a hook, and what is shown until it is there, or in its place. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Raw } from '../../api/types.ts';
import { type ApiError, ask, type Operation, refusalIn, type Request } from '../../api/client.ts';
import { isPassing, Loading, Problem } from './states.tsx';
import { Button } from '../form.tsx';

/** What was asked for, as far as it is there: neither a value nor an error while it is asked for the first time. */
export interface Loaded<T> {
  /** The last answer; it stays while the next one is asked for, and when that fails. */
  readonly value: T | undefined;
  /** Why the last request failed; undefined where it did not. */
  readonly error: ApiError | undefined;
  /** Asks at once: after a failure, or a change. */
  readonly retry: () => void;
}

interface Answered<T> {
  readonly of: string;
  readonly value?: T | undefined;
  readonly error?: ApiError;
}

/** Until the next time, in milliseconds; by the last answer where it is a function, undefined for never. */
type Every<T> = number | ((value: T) => number | undefined);

/** How often something is asked for again, in milliseconds, by how it changes. */
export const POLL_MS = {
  /** While work goes on that somebody looks at. */
  running: 1_000,
  /** The first of something that somebody waits for. */
  awaited: 3_000,
  /** What changes by itself. */
  current: 5_000,
  /** What seldom changes. */
  idle: 15_000,
} as const;

/**
 * What `load` answers, loaded again whenever the name changes. The request of a name before is aborted, and its answer
 * forgotten.
 *
 * @param name Everything that the answer depends on, as text; undefined to load nothing.
 * @param every Loads again and again while the page is visible; once if it is left out, or until it is answered where
 *   what failed may pass.
 */
export function useLoad<T>(
  name: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  every?: Every<T>,
): Loaded<T> {
  const [answered, setAnswered] = useState<Answered<T>>();
  const [round, setRound] = useState(0);
  const latest = useRef(every);
  latest.current = every;
  const retry = useCallback(() => {
    setAnswered((before) => before && { of: before.of, value: before.value });
    setRound((count) => count + 1);
  }, []);
  useEffect(() => {
    if (name === undefined) return undefined;
    const onValue = (value: T): number | undefined => {
      setAnswered({ of: name, value });
      return typeof latest.current === 'function' ? latest.current(value) : latest.current;
    };
    const onError = (error: ApiError): number | undefined => {
      setAnswered((before) => ({ of: name, value: before?.of === name ? before.value : undefined, error }));
      return latest.current === undefined && !isPassing(error) ? undefined : POLL_MS.current;
    };
    return repeat(load, onValue, onError);
  }, [name, round]);
  const current = answered?.of === name ? answered : undefined;
  return { value: current?.value, error: current?.error, retry };
}

/** What a request is answered, as `useLoad` has it. @param request Undefined to ask for nothing. */
export function useAnswer<T>(request: Request<T> | undefined, every?: Every<Raw<T>>): Loaded<Raw<T>> {
  const load = async (signal: AbortSignal): Promise<Raw<T>> => ask({ ...(request as Request<T>), signal });
  return useLoad(request && JSON.stringify(request), load, every);
}

/** The same, where the answer before stays until the next one is there: what is searched as one types stands still. */
export function useLatest<T>(loaded: Loaded<T>): Loaded<T> {
  const before = useRef(loaded.value);
  if (loaded.value !== undefined) before.current = loaded.value;
  return loaded.error === undefined ? { ...loaded, value: before.current } : loaded;
}

/** Until it is told to stop. After each answer it is told when to ask the next time. */
function repeat<T>(
  load: (signal: AbortSignal) => Promise<T>,
  onValue: (value: T) => number | undefined,
  onError: (error: ApiError) => number | undefined,
): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;
  const later = (ms: number | undefined): void => {
    isDue = ms !== undefined;
    if (isDue && !document.hidden) timer = setTimeout(run, ms);
  };
  const run = (): void => {
    isDue = false;
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
    if (!document.hidden && isDue) run();
  };
  document.addEventListener('visibilitychange', onSeen, { signal });
  run();
  return () => {
    clearTimeout(timer);
    controller.abort();
  };
}

interface ReadyProps<T> {
  readonly of: Loaded<T>;
  /** What is loaded: `events`. */
  readonly what: string;
  /** In place of the problem where the service says that there is no such thing. */
  readonly missing?: ComponentChildren;
  readonly children: (value: T) => ComponentChildren;
}

/** What was asked for once it is there; before that, that it loads, and why it could not be had. */
export function Ready<T>({ of: { value, error, retry }, what, missing, children }: ReadyProps<T>) {
  const isMissing = error?.status === 404 && missing !== undefined;
  return (
    <>
      {isMissing && missing}
      {error !== undefined && !isMissing && <Problem error={error} retry={retry} />}
      {value === undefined && error === undefined && <Loading what={what} />}
      {value !== undefined && children(value)}
    </>
  );
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
