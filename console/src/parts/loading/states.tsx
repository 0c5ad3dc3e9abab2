/** What a screen shows where it has nothing to show: nothing there, not there yet, refused. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../../api/client.ts';
import { linkTo } from '../../api/address.ts';
import { Button, FieldMarks } from '../form.tsx';
import { memberOf, PROBLEMS, saying } from './problems.ts';

interface EmptyProps {
  readonly title: string;
  /** What one can do about it: a button or a link that looks like one. */
  readonly action?: ComponentChildren;
  /** A sentence or two. */
  readonly children?: ComponentChildren;
}

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
        <p>{message}</p>
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

/** Why something was refused, in a line beside its button. */
export function FieldError({ error }: { readonly error: ApiError | undefined }) {
  if (error === undefined) return null;
  const [first] = error.errors;
  return (
    <span class="field-error" role="alert">
      {first === undefined ? error.message : `${memberOf(first.path)} ${saying(first.message)}`.trim()}
    </span>
  );
}

interface MarkedFieldsProps {
  /** Why the form was refused. */
  readonly error: ApiError | undefined;
  readonly children: ComponentChildren;
}

/** What is in a form: what is wrong with one field is said at it, and the rest below all of them. */
export function MarkedFields({ error, children }: MarkedFieldsProps) {
  const end = useRef<HTMLElement>(null);
  const [marks, setMarks] = useState<ReadonlyMap<string, string>>(new Map());
  useLayoutEffect(() => {
    const fields = end.current?.closest('form')?.elements;
    const named = (error?.errors ?? []).flatMap(({ path, message }) => {
      const field = fields?.namedItem(fieldOf(path));
      return field instanceof HTMLInputElement ? [[field, saying(message)] as const] : [];
    });
    setMarks(new Map(named.map(([{ name }, text]) => [name, text])));
    named[0]?.[0].focus();
  }, [error]);
  return (
    <FieldMarks.Provider value={marks}>
      {children}
      <i ref={end} hidden />
      {error !== undefined && <Problem error={error} told={[...marks.keys()]} />}
    </FieldMarks.Provider>
  );
}

/** The name of the field that a pointer leads to. */
function fieldOf(path: string): string {
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
export function isPassing({ status }: ApiError): boolean {
  return status === 429 || status === 503 || status === 0;
}
