/** Admission: looks at the origin of a page, authenticates the key, resolves the project, applies its rate limit. */
import type { AuthenticatedKey, KeyRing, Project } from '../../stores/projects/project-store.ts';
import { keyIn, keyInBody, LOCAL_KEY, opens, UNAUTHORIZED } from './authenticate.ts';
import type { Call } from '../call.ts';
import { findProject, NO_PROJECT } from './named-project.ts';
import type { Refusal } from '../problems.ts';
import type { RateLimiter } from '../rate-limiter.ts';
import type { RouteTable } from '../route-table.ts';
import { isOfThisOrigin, type SessionKeys, sessionTokenIn } from './session-cookie.ts';
import { refuse, routeOf, type State, type Step, type Work } from '../steps.ts';

/**
 * A browser asks before it sends most of what a page sends (the preflight), but not before a body of plain text, or one
 * of `sendBeacon`: it keeps the answer of these from the page alone. So what comes from a page of another origin is refused
 * here, before it is recorded. What is not sent by a page has no origin, and passes.
 */
export function admitOrigins(table: Pick<RouteTable, 'find'>, allowed: readonly string[]): Step {
  return (next) => (state) => {
    const { req, res, path } = state.call;
    const { headers, method } = req;
    const { origin } = headers;
    if (origin === undefined) return next(state);
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    if (method !== 'POST' && !isPreflight) return next(state);
    const match = table.find('POST', path);
    if ('refused' in match || !(match.route.scope === 'write' || match.route.scope === 'flags')) return next(state);
    if (!(allowed.includes(origin) || allowed.includes('*'))) {
      return isOfThisOrigin(headers) ? next(state) : refuse(state, FOREIGN_ORIGIN);
    }
    if (match.route.takesSdkBodies !== true && match.route.scope !== 'flags') return next(state);
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Expose-Headers', 'ETag');
    res.setHeader('Vary', 'Origin');
    if (!isPreflight) return next(state);
    state.outcome = { status: 204, body: '', headers: PREFLIGHT };
    return undefined;
  };
}

const FOREIGN_ORIGIN: Refusal = {
  refused: 'origin-refused',
  detail: 'Pages of this origin may not send messages: the setting CORS_ORIGINS does not name it.',
};

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers':
    'api_key, authorization, content-type, idempotency-key, if-none-match, prefer, x-api-key, x-retry-count, x-write-key',
  'Access-Control-Max-Age': '86400',
};

/** @param sessions The console's: a session's cookie counts as its key where no header has one. */
export function authenticate(keys: KeyRing, sessions?: SessionKeys): Step {
  return (next) => (state) => {
    const { call } = state;
    if (routeOf(state).scope === null) return next(state);
    const found = findKey(call, keys, sessions);
    if (found === 'none' && mayBeSdk(call)) return next(state);
    return admitFound(state, found === 'none' ? undefined : found, keys, next);
  };
}

/** What the head of a request acts as; `none` where it names nothing. */
function findKey(call: Call, keys: KeyRing, sessions: SessionKeys | undefined): FoundKey | 'none' {
  const text = keyIn(call.headers);
  if (text !== undefined) return keys.find(text);
  if (call.isLocal && call.route !== undefined && opens(LOCAL_KEY, call.route)) return LOCAL_KEY;
  const token = sessions === undefined ? undefined : sessionTokenIn(call.req);
  return token === undefined ? 'none' : sessions?.find(token);
}

/**
 * Why a request that was admitted would not be so now; undefined where it would. One whose key is in its body is not
 * asked again: such requests bring messages, which are recorded or not.
 *
 * @throws TidemarkError `STORE_UNAVAILABLE` where that cannot be found out now.
 */
export async function whyNotAdmitted(
  call: Call,
  keys: KeyRing,
  sessions: SessionKeys | undefined,
): Promise<Refusal | undefined> {
  const found = findKey(call, keys, sessions);
  if (found !== 'none' && !(call.route !== undefined && opens(await found, call.route))) return UNAUTHORIZED;
  const { namedProject } = call;
  return namedProject === undefined || (await keys.findProject(namedProject.id)) !== undefined ? undefined : NO_PROJECT;
}

type FoundKey = ReturnType<KeyRing['find']>;

// A known key is answered for without a promise, and without a closure: every request passes here.
function admitFound(state: State, found: FoundKey, keys: KeyRing, next: Work): Promise<void> | undefined {
  return found instanceof Promise
    ? found.then((key) => admitIfOpen(state, key, keys, next))
    : admitIfOpen(state, found, keys, next);
}

function admitIfOpen(state: State, key: Awaited<FoundKey>, keys: KeyRing, next: Work): Promise<void> | undefined {
  return opens(key, routeOf(state)) ? admitTo(state, key, keys, next) : refuse(state, UNAUTHORIZED);
}

/** With its key, to the project that the request is about. */
function admitTo(state: State, key: AuthenticatedKey, keys: KeyRing, next: Work): Promise<void> | undefined {
  state.call.key = key;
  const refusal = findProject(state.call, keys);
  if (refusal === undefined) return next(state);
  if (!(refusal instanceof Promise)) return refuse(state, refusal);
  const proceed = (found: Awaited<typeof refusal>): Promise<void> | undefined =>
    found === undefined ? next(state) : refuse(state, found);
  return refusal.then(proceed);
}

/** A key in the body is looked for where no header has one. Its rate counts once it is known. */
export function authenticateByBody(keys: KeyRing, limiter: RateLimiter): Step {
  return (next) => {
    const limited = limitRate(limiter)((state) => {
      chargeBytes(limiter, state.call);
      return next(state);
    });
    return (state) => {
      const text = (state.call.keyInBody = keyInBody(state.call.text));
      return admitFound(state, text === undefined ? undefined : keys.find(text), keys, limited);
    };
  };
}

export function isKeyInBody(state: State): boolean {
  return routeOf(state).scope !== null && state.call.key === undefined;
}

export function limitRate(limiter: RateLimiter): Step {
  return (next) => (state) => {
    const { call } = state;
    // The rate of a project is not used up by who operates the installation.
    const project = call.key?.project ?? null;
    const waitS = project === null ? 0 : limiter.take(project, call.startedAtMs);
    if (waitS > 0) {
      return refuse(state, {
        refused: 'rate-limited',
        detail: rateInWords(call.project),
        retryAfterS: Math.min(3_600, Math.ceil(waitS)),
      });
    }
    const refusal = routeOf(state).admit?.(call);
    return refusal === undefined ? next(state) : refuse(state, refusal);
  };
}

function rateInWords({ rateLimit, rateLimitBytes }: Project): string {
  const rates = [
    ...(rateLimit === null ? [] : [`${rateLimit} requests`]),
    ...(rateLimitBytes === null ? [] : [`${rateLimitBytes} bytes of bodies`]),
  ];
  return `This project may send ${rates.join(' and ')} a second.`;
}

/** Once the body is there: counts its bytes as sent by its project. */
export function chargeBytes(limiter: RateLimiter, { key, body }: Call): void {
  const project = key?.project;
  if (project && project.rateLimitBytes !== null) limiter.charge(project, body.length, performance.now());
}

/** No SDK waits with its body until it is asked for: who does is told at once what the head alone says. */
export function mayBeSdk(call: Call): boolean {
  return call.route?.takesSdkBodies === true && !expectsContinue(call);
}

export function expectsContinue({ req }: Call): boolean {
  return req.headers.expect?.toLowerCase() === '100-continue' && req.httpVersion !== '1.0';
}
