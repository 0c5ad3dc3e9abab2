import type { Readable } from 'node:stream';
import type { Scope } from '../stores/projects/project-store.ts';
import type { Change } from './auditing.ts';
import type { Call } from './call.ts';
import type { ErrorStyle, Refusal } from './problems.ts';

/** What a role plugs into the server: one method on one path. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/track`, or with parameters that take one segment each: `/v1/users/:user_id`. */
  readonly path: string;
  /** Other paths of the same route. */
  readonly aliases?: readonly string[];
  /**
   * Whether it takes bodies of analytics SDKs: of any content type, with a key in the body where no header has one, from
   * pages of the origins in CORS_ORIGINS.
   */
  readonly takesSdkBodies?: boolean;
  /** The scope that opens it (see `opens`); 'any' takes every key, null needs none. */
  readonly scope: Scope | 'any' | null;
  /**
   * The names of the query parameters, which are those of the document. Where they are given, any other is refused 400, but
   * for `project`, which names the project.
   */
  readonly query?: readonly string[];
  /** The most bytes that the body may have once decompressed; null where the route takes no body. */
  readonly bodyLimitBytes: number | null;
  /** Whether the handler reads the body itself, as it comes, of any type: then `bodyLimitBytes` is null. */
  readonly streamsBody?: boolean;
  readonly style: ErrorStyle;
  /** Asked after the key and before the body: a refusal here saves reading it. */
  readonly admit?: (call: Call) => Refusal | undefined;
  /** Asked once the body is there: what is limited at once is counted from here on, so that a half-sent request takes no place. */
  readonly admitWhole?: (call: Call) => Refusal | undefined;
  /** Answers. What it throws is answered by `refusalOf`. */
  readonly handle: (call: Call) => Answer | Refusal | Promise<Answer | Refusal>;
  /** Where left out, it is that of problems.ts: 503 for what may pass, 422 for QUERY_LIMIT, else 500. */
  readonly refusalOf?: (error: unknown, method: string | undefined) => Refusal;
}

/** The routes of one role, and where it words refusals its own way. */
export interface RouteSet {
  readonly routes: readonly Route[];
  /** Unknown paths below this one (`/legacy`) are answered in the two-step style. */
  readonly twoStepBase?: string;
}

export interface Answer {
  readonly status: number;
  /** Content-Type; `application/json` where left out. */
  readonly type?: string;
  /** Text or bytes are sent with their length, a stream in chunks: which is destroyed when the client disconnects. */
  readonly body: string | Uint8Array | Readable;
  /** How a stream says that it ends before it is whole, and why; where left out it is cut. */
  readonly lastWords?: (why: Refusal) => string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the body has a secret, which is shown once: it is never kept. */
  readonly isSecret?: true;
  /** What was changed: recorded in the audit log before the answer leaves. */
  readonly audit?: Change;
}
