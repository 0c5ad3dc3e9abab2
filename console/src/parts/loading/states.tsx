/** What a screen shows where it has nothing to show: nothing there, not there yet, refused. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../../api/client.ts';
import { linkTo } from '../../api/address.ts';
import { Button } from '../form.tsx';

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
  /** Offered as a button; done by itself once a 429 or 503 says that it may. */
  readonly retry?: () => void;
}

/** A refused or failed request is an answer too: what was refused, by which limit or part, and how long to wait. */
export function Problem({ error, retry }: ProblemProps) {
  return (
    <div class={`problem ${isPassing(error) ? 'passing' : ''}`} role="alert">
      <h2>{headline(error)}</h2>
      <p>{error.message}</p>
      {error.errors.length > 0 && (
        <ul>
          {error.errors.map(({ path, message }) => (
            <li key={path + message}>
              {path !== '' && <code>{path}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      {retry !== undefined && <Retry error={error} retry={retry} />}
      {error.requestId !== undefined && (
        <p class="quiet small">
          Request <code>{error.requestId}</code>
        </p>
      )}
    </div>
  );
}

/** Why something was refused, in a line beside its button. */
export function FieldError({ error }: { readonly error: ApiError | undefined }) {
  if (error === undefined) return null;
  return (
    <span class="field-error" role="alert">
      {error.message}
    </span>
  );
}

function Retry({ error, retry }: Required<ProblemProps>) {
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

function isPassing({ status }: ApiError): boolean {
  return status === 429 || status === 503 || status === 0;
}

function headline({ status, title }: ApiError): string {
  switch (status) {
    case 0:
      return 'The service did not answer';
    case 404:
      return 'Not found';
    case 422:
      return 'This query exceeds a limit';
    case 429:
      return 'Too many requests at once';
    case 503:
      return 'A part of the service is unavailable';
    default:
      return title;
  }
}
