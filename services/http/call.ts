import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AuthenticatedKey, Project, Scope } from '../stores/projects/project-store.ts';
import type { ErrorStyle, Refusal } from './problems.ts';

const NO_BODY: Buffer = Buffer.alloc(0);
const NO_PARAMS: Readonly<Record<string, string>> = {};

/** What is known of a route before it answers: one method on one path. */
export interface RouteHead {
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
  readonly style: ErrorStyle;
  /** Whether a key of the installation may name no project: then the request is about the installation. */
  readonly isProjectOptional?: boolean;
  /** Where left out, it is that of problems.ts: 503 for what may pass, 422 for QUERY_LIMIT, else 500. */
  readonly refusalOf?: (error: unknown, method: string | undefined) => Refusal;
}

/** One request on its way through the middleware: each step adds what it found out. */
export class Call<Matched extends RouteHead = RouteHead> {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The path as it was sent, without the query, never decoded. */
  readonly path: string;
  /** What follows the `?`, '' without one. */
  search: string;
  /** The caller's `X-Request-Id`, or one of ours. */
  readonly requestId: string;
  readonly startedAtMs: number;
  /** Whether it arrived on the Unix socket: without a key of its own it acts as an admin's. */
  readonly isLocal: boolean;
  route: Matched | undefined;
  key: AuthenticatedKey | undefined;
  /** What the body has for a key, where no header has one and it was looked for. */
  keyInBody: string | undefined;
  /** The project that the request names, where its key belongs to none. */
  namedProject: Project | undefined;
  /** The path's parameters, percent-decoded. */
  params: Readonly<Record<string, string>> = NO_PARAMS;
  /** Valid UTF-8 without a byte order mark; none where the route takes none. */
  body: Buffer = NO_BODY;
  /** The size of its answer, once that is made. 0 where it is a stream. */
  answerBytes = 0;
  #leaving: AbortController | undefined;
  #ending: Refusal | undefined;

  constructor(req: IncomingMessage, res: ServerResponse, requestId: string, isLocal = false) {
    this.req = req;
    this.res = res;
    this.requestId = requestId;
    this.isLocal = isLocal;
    this.startedAtMs = performance.now();
    const target = originForm(req.url ?? '/');
    const mark = target.indexOf('?');
    this.path = mark === -1 ? target : target.slice(0, mark);
    this.search = mark === -1 ? '' : target.slice(mark + 1);
  }

  /** The body. */
  get text(): string {
    return this.body.toString('utf8');
  }

  get headers(): IncomingHttpHeaders {
    return this.req.headers;
  }

  /** The project of the request's key, else the one that the request names. Only where the route is a project's. */
  get project(): Project {
    const project = this.key?.project ?? this.namedProject;
    if (project === undefined) throw new Error('this route is not of a project');
    return project;
  }

  /** The id of its project; null where it is about the installation. */
  get projectId(): string | null {
    return (this.key?.project ?? this.namedProject)?.id ?? null;
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.search);
  }

  /** Aborted when the client disconnects before it has its answer, and when the answer is ended. */
  get signal(): AbortSignal {
    this.#leaving ??= leavingOf(this.res);
    return this.#leaving.signal;
  }

  /** Why the answer was ended before it was whole; undefined where it was not. */
  get ending(): Refusal | undefined {
    return this.#ending;
  }

  /** From here on nothing is sent of the answer: whoever makes it need not go on. See `endAnswer`. */
  end(why: Refusal): void {
    this.#ending = why;
    this.#leaving ??= leavingOf(this.res);
    this.#leaving.abort();
  }
}

/** A target in absolute form (`GET http://host/path`, as to a proxy) names the same path (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const match = /^https?:\/\/[^/?#]*(.*)$/i.exec(target);
  if (match?.[1] === undefined) return target;
  return match[1].startsWith('/') ? match[1] : `/${match[1]}`;
}

function leavingOf(res: ServerResponse): AbortController {
  const controller = new AbortController();
  if (res.destroyed) controller.abort();
  else res.once('close', () => res.writableFinished || controller.abort());
  return controller;
}
