import { randomBytes } from 'node:crypto';
import Koa from 'koa';
import type { Registry } from 'prom-client';
import type { KeyRing } from '../stores/projects/project-store.ts';
import type { SqlAuditLog } from '../stores/service-state/sql-audit-log.ts';
import {
  admitOrigins,
  authenticate,
  authenticateByBody,
  chargeBytes,
  expectsContinue,
  isKeyInBody,
  limitRate,
  mayBeSdk,
} from './access/admission.ts';
import { UNAUTHORIZED } from './access/authenticate.ts';
import { isJson, readBody, refuseHead, UNSUPPORTED_TYPE } from './body.ts';
import { Auditor } from './auditor.ts';
import { Call } from './call.ts';
import { countConnections, HttpMetrics } from './http-metrics.ts';
import { invalid, type Refusal } from './problems.ts';
import { PROJECT_PARAMETER } from './access/named-project.ts';
import { OpenCalls } from './access/open-calls.ts';
import { RateLimiter } from './rate-limiter.ts';
import { ReceivingBytes, TOO_MUCH_RECEIVED } from './receiving-bytes.ts';
import type { RouteTable } from './route-table.ts';
import type { SessionKeys } from './access/session-cookie.ts';
import { type Answering, HttpServer, type ServerOptions } from './server.ts';
import {
  composed,
  handle,
  refuse,
  respond,
  routeOf,
  type State,
  type Step,
  type StepParts,
  type Work,
} from './steps.ts';

export interface AppParts extends StepParts {
  readonly keys: KeyRing;
  /** The console's sessions; without them a cookie counts for nothing. */
  readonly sessions?: SessionKeys;
  readonly table: Pick<RouteTable, 'find' | 'styleOf'>;
  readonly registry: Registry;
  /** Bytes of bodies that may be received at once. */
  readonly maxReceivingBytes: number;
  /** Origins of pages that may send messages; `*` is any. None where left out. */
  readonly corsOrigins?: readonly string[];
  /** Where changes are recorded; needed only where a route changes anything. */
  readonly audit?: Pick<SqlAuditLog, 'append'>;
}

export interface AnsweringOptions {
  /** Whether requests arrive on the Unix socket: those without a key act as an admin's. */
  readonly isLocal?: boolean;
}

/** The server of a role's routes. Its connections and its requests are counted in the same registry. */
export function createHttpServer(parts: AppParts, options: Partial<ServerOptions> = {}): HttpServer {
  const server = new HttpServer(answeringBy(parts), options);
  countConnections(parts.registry, server);
  return server;
}

/** For a server that is there before its routes: see `bindServer`. */
export function answeringBy(parts: AppParts, options: AnsweringOptions = {}): Answering {
  return {
    listener: createApp(parts, options.isLocal === true).callback(),
    styleOf: (path) => parts.table.styleOf(path),
  };
}

/** What the apps of one process have in common: one answers on the port, the other on the Unix socket. */
interface Shared {
  readonly receiving: ReceivingBytes;
  readonly limiter: RateLimiter;
  readonly metrics: HttpMetrics;
  readonly auditor: Auditor | undefined;
}

const sharedByRegistry = new WeakMap<Registry, Shared>();

function sharedOf({ registry, logger, maxReceivingBytes, audit: log }: AppParts): Shared {
  const known = sharedByRegistry.get(registry);
  if (known !== undefined) return known;
  const receiving = new ReceivingBytes(maxReceivingBytes);
  const metrics = new HttpMetrics(registry, receiving);
  const auditor = log && new Auditor({ log, logger, registry });
  const shared = { receiving, limiter: new RateLimiter(), metrics, auditor };
  sharedByRegistry.set(registry, shared);
  return shared;
}

/** The Koa app that every role's routes are plugged into. */
function createApp(parts: AppParts, isLocal: boolean): Koa {
  const { receiving, limiter, metrics, auditor } = sharedOf(parts);
  const open = new OpenCalls(parts.keys, parts.sessions);
  // Every request passes every step: one that has nothing to do is left out.
  const steps = [
    respond(parts, metrics),
    admitOrigins(parts.table, parts.corsOrigins ?? []),
    findRoute(parts.table),
    authenticate(parts.keys, parts.sessions),
    limitRate(limiter),
    decodeParameters,
    takeBody({ receiving, limiter, open }, authenticateByBody(parts.keys, limiter)),
  ];
  const app = new LeanKoa();
  app.use(begin(isLocal, composed(steps, handle(parts, auditor))));
  app.on('error', (error: unknown) => parts.logger.error({ err: error }, 'request failed outside its middleware'));
  return app;
}

/**
 * Koa less the end of its request handling: here every answer is sent by `send` and every error answered by `answer`, so
 * Koa's own answer and its watch over the response's end (on-finished, 5 to 8 % of a small request's time) do nothing.
 */
class LeanKoa extends Koa {
  handleRequest(context: Koa.Context, run: (context: Koa.Context) => Promise<void>): Promise<void> {
    return run(context).catch((error: unknown) => {
      this.emit('error', error, context);
      context.res.destroy();
    });
  }
}

const REQUEST_ID = /^[\w.:/+=-]{1,128}$/;

// 64 bits of chance a process and a count: as unique as a UUID and a tenth of its price.
const PROCESS_ID = randomBytes(8).toString('hex');
let requests = 0;

function newRequestId(): string {
  return `${PROCESS_ID}-${++requests}`;
}

function begin(isLocal: boolean, work: Work): (context: Koa.Context) => Promise<void> | undefined {
  return (context) => {
    const { req, res } = context;
    const given = req.headers['x-request-id'];
    const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : newRequestId();
    // Answers are sent by `send`: one write, with the exact length, and without Koa guessing types and texts.
    context.respond = false;
    return work({ call: new Call(req, res, requestId, isLocal), outcome: undefined });
  };
}

function findRoute(table: AppParts['table']): Step {
  return (next) => (state) => {
    const { call } = state;
    const { httpVersion, method = 'GET', rawHeaders } = call.req;
    const hosts = countHosts(rawHeaders);
    // RFC 9112, 3.2. Node's `headers` has the first of several: another server on the way may have gone by the last.
    if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
      return refuse(state, { refused: 'malformed-request', detail: 'HTTP/1.1 demands one Host header.' });
    }
    const match = table.find(method, call.path);
    if ('refused' in match) return refuse(state, match);
    call.route = match.route;
    if (match.rawParams !== undefined) call.params = match.rawParams;
    return next(state);
  };
}

/** @param rawHeaders Names and values in turn. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

function decodeParameters(next: Work): Work {
  return (state) => {
    const { call } = state;
    if (call.path.includes('%') || call.search.includes('%')) {
      try {
        decodeURIComponent(call.search);
        call.params = Object.fromEntries(
          Object.entries(call.params).map(([name, raw]) => [name, decodeURIComponent(raw)]),
        );
      } catch {
        return refuse(state, invalid('invalid-parameter', [{ path: '', message: 'malformed percent-encoding' }]));
      }
    }
    if (call.search === '') return next(state);
    const { query } = routeOf(state);
    const unknown = query === undefined ? undefined : refuseUnknown(call.query, query);
    return unknown === undefined ? next(state) : refuse(state, unknown);
  };
}

/**
 * Refuses a parameter that the endpoint does not have: a misspelt filter must not answer with everything. `project` is known
 * everywhere.
 */
function refuseUnknown(query: URLSearchParams, known: readonly string[]): Refusal | undefined {
  const unknown = [...query.keys()].find((name) => name !== PROJECT_PARAMETER && !known.includes(name));
  if (unknown === undefined) return undefined;
  const quoted = JSON.stringify(unknown.slice(0, 64));
  const detail = `There is no parameter ${quoted} here. Known are: ${known.join(', ') || 'none'}.`;
  return { refused: 'invalid-parameter', detail };
}

interface BodyBounds {
  readonly receiving: ReceivingBytes;
  readonly limiter: RateLimiter;
  readonly open: OpenCalls;
}

function takeBody({ receiving, limiter, open }: BodyBounds, byBody: Step): Step {
  return (next) => {
    const withKeyInBody = byBody(next);
    const keep = (state: State, read: Received): Promise<void> | undefined =>
      keepBody(state, read, limiter, isKeyInBody(state) ? withKeyInBody : next);
    return (state) => {
      const { call } = state;
      const { bodyLimitBytes, scope } = routeOf(state);
      if (call.key !== undefined && scope !== 'write') open.add(call);
      if (bodyLimitBytes === null) return next(state);
      const refusal = refuseHead(call.headers, bodyLimitBytes, mayBeSdk(call));
      if (refusal !== undefined) return refuse(state, bodyRefusal(state, refusal));
      if (expectsContinue(call)) call.res.writeContinue();
      const held = receiving.open(call.key?.project?.id ?? call.key?.id ?? '');
      return readBody(call.req, bodyLimitBytes, held, mayBeSdk(call)).then((read) => {
        if (read === 'client-gone' || !open.isLate(call)) return keep(state, read);
        return open.whyNot(call).then((late) => (late === undefined ? keep(state, read) : refuse(state, late)));
      });
    };
  };
}

type Received = Awaited<ReturnType<typeof readBody>>;

/** A body that cannot be read has no key, and is not an SDK's, which alone need not say its type. */
function bodyRefusal(state: State, refusal: Refusal): Refusal {
  if (isKeyInBody(state)) return UNAUTHORIZED;
  return isJson(state.call.headers) || refusal === TOO_MUCH_RECEIVED ? refusal : UNSUPPORTED_TYPE;
}

function keepBody(state: State, read: Received, limiter: RateLimiter, next: Work): Promise<void> | undefined {
  // An answer that has been ended is not worked for.
  if (read === 'client-gone' || state.call.ending !== undefined) return undefined;
  if ('refused' in read) return refuse(state, bodyRefusal(state, read));
  state.call.body = read.body;
  chargeBytes(limiter, state.call);
  return next(state);
}
