/** What the service is asked for: a hook, and what is shown until it is there, or in its place. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Raw } from '../../api/types.ts';
import { type ApiError, ask, refusalIn, type Request } from '../../api/client.ts';
import { linkTo } from '../../api/address.ts';
import { Button } from '../form.tsx';
import { memberOf, PROBLEMS, saying } from './problems.ts';

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

/** What a file has that is loaded once it is wanted: undefined until it is there. Then it stays. */
export function useLater<T>(isWanted: boolean, load: () => Promise<T>): T | undefined {
  const [loaded, setLoaded] = useState<{ readonly part: T }>();
  useEffect(() => {
    if (isWanted && loaded === undefined) void load().then((part) => setLoaded({ part }));
  }, [isWanted]);
  return loaded?.part;
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

interface EmptyProps {
  readonly title: string;
  /** What one can do about it: a button or a link that looks like one. */
  readonly action?: ComponentChildren;
  /** A sentence or two. */
  readonly children?: ComponentChildren;
}

/** What a screen shows where it has nothing to show: nothing there, not there yet, refused. */
export function Empty({ title, action, children }: EmptyProps) {
  return (
    <div class="empty">
      <svg viewBox="0 0 48 24" aria-hidden="true">
        <path d="M2 8c7 0 7 6 14 6s7-6 14-6 7 6 14 6" />
        <path d="M2 16c7 0 7 6 14 6s7-6 14-6 7 6 14 6" opacity=".45" />
      </svg>
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {action !== undefined && <div class="row">{action}</div>}
    </div>
  );
}

/** In place of one of a project that is not there, or not any more. @param what `audience` */
export function NoSuch({ what, path }: { readonly what: string; readonly path: string }) {
  return (
    <Empty title={`There is no such ${what}`}>
      It may have been deleted, or belong to another project. <a href={linkTo([path])}>See all {path}</a>.
    </Empty>
  );
}

/** Lines that stand for what is being loaded; shown after a moment, so that a quick answer does not flicker. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">Loading {what}</span>
      <i />
      <i />
      <i />
    </div>
  );
}

interface ProblemProps {
  readonly error: ApiError;
  /** Names of what has its problem beside it already. */
  readonly told?: readonly string[];
  /** Offered as a button; done by itself once a 429 or 503 says that it may. */
  readonly retry?: () => void;
}

/** A refused or failed request is an answer too: what is wrong, why, what to do, and how long to wait. */
export function Problem({ error, told = [], retry }: ProblemProps) {
  const { code, title, message, errors, requestId } = error;
  const { what = title, todo = '' } = PROBLEMS[code] ?? {};
  const untold = errors.filter(({ path }) => !told.includes(fieldOf(path)));
  if (errors.length > 0 && untold.length === 0) {
    return (
      <p class="field-error" role="alert">
        Nothing was saved: correct what is marked.
      </p>
    );
  }
  return (
    <div class={`problem ${isPassing(error) ? 'passing' : ''}`} role="alert">
      <h2>{what}</h2>
      {errors.length === 0 ? (
        <p>{saying(message)}</p>
      ) : (
        <ul>
          {untold.map((one) => (
            <li key={one.path + one.message}>
              {one.path !== '' && <code>{memberOf(one.path)}</code>} {saying(one.message)}
            </li>
          ))}
        </ul>
      )}
      {todo !== '' && retry === undefined && <p>{todo}</p>}
      {retry !== undefined && <Retry error={error} retry={retry} />}
      {requestId !== undefined && code === 'internal' && (
        <p class="quiet small">
          Request <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}

/** The name of the field that a pointer leads to. */
export function fieldOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function Retry({ error, retry }: Pick<Required<ProblemProps>, 'error' | 'retry'>) {
  const [leftS, setLeftS] = useState(isPassing(error) ? Math.max(error.retryAfterS ?? 0, 2) : undefined);
  useEffect(() => {
    if (leftS === undefined) return undefined;
    const timer = setTimeout(() => (leftS <= 1 ? retry() : setLeftS(leftS - 1)), 1_000);
    return () => clearTimeout(timer);
  }, [leftS, retry]);
  return (
    <p class="row">
      <Button label="Try again" onClick={retry} />
      {leftS !== undefined && <span class="quiet">Retrying in {leftS} s.</span>}
    </p>
  );
}

/** Whether the same may be answered a moment later: no answer, too many requests, a part that is away. */
function isPassing({ status }: ApiError): boolean {
  return status === 429 || status === 503 || status === 0;
}
