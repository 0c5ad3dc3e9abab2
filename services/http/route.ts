import type { Readable } from 'node:stream';
import type { Call, RouteHead } from './call.ts';
import type { Refusal } from './problems.ts';

/** What a role plugs into the server: one method on one path. */
export interface Route extends RouteHead {
  /**
   * The names of the query parameters, which are those of the document. Where they are given, any other is refused 400, but
   * for `project`, which names the project.
   */
  readonly query?: readonly string[];
  /** The most bytes that the body may have once decompressed; null where the route takes no body. */
  readonly bodyLimitBytes: number | null;
  /** Whether the handler reads the body itself, as it comes, of any type: then `bodyLimitBytes` is null. */
  readonly streamsBody?: boolean;
  /** Asked after the key and before the body: a refusal here saves reading it. */
  readonly admit?: (call: Call) => Refusal | undefined;
  /** Asked once the body is there: what is limited at once is counted from here on, so that a half-sent request takes no place. */
  readonly admitWhole?: (call: Call) => Refusal | undefined;
  /** Answers. What it throws is answered by `refusalOf`. */
  readonly handle: (call: Call) => Answer | Refusal | Promise<Answer | Refusal>;
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
  /** What was changed, one after the other: recorded in the audit log before the answer leaves. */
  readonly audit?: Change | readonly Change[];
}

/** What a handler says that it changed. */
export interface Change {
  /** A kind of object and what was done to it: `audience.change`. */
  readonly action: string;
  /** Its id. */
  readonly object: string;
  /** The id of its project, null for none; the request's project where left out. */
  readonly project?: string | null;
  /** JSON text without secrets; null or left out where there was nothing before, or is nothing after. */
  readonly before?: string | null | undefined;
  readonly after?: string | null | undefined;
}
