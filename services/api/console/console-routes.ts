/** What the console has of its own: its files, and its sessions. Everything else it asks of the documented interface. */
import { SIGN_IN_LIMIT_BYTES } from '../../http/body-limits.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer, Route, RouteSet } from '../../http/route.ts';
import { isFromConsole, SESSION_COOKIE, sessionTokenIn } from '../../http/access/session-cookie.ts';
import { formatMs } from '../../messages/timestamp.ts';
import { readBody } from '../input.ts';
import type { AuthenticatedKey, Project } from '../../stores/projects/project-store.ts';
import type { SqlProjectStore } from '../../stores/projects/sql-project-store.ts';
import { consoleFileRoutes } from './console-files.ts';
import { type ConsoleSessions, LIFETIME_MS } from './console-sessions.ts';

export interface ConsoleParts {
  readonly sessions: ConsoleSessions;
  readonly projects: Pick<SqlProjectStore, 'listProjects'>;
  /** Whether the event log is on Kafka. */
  readonly isOnKafka: boolean;
}

/** `/console/`, its files, and `/console/session`. @param folder The built console, if elsewhere. */
export function consoleRoutes(parts: ConsoleParts, folder?: string): RouteSet {
  return { routes: [...consoleFileRoutes(folder), ...sessionRoutes(parts)] };
}

export function sessionRoutes(parts: ConsoleParts): Route[] {
  const { sessions } = parts;
  const limit = new SignInLimit();
  const session = { path: '/console/session', scope: null, style: 'problem', bodyLimitBytes: null } as const;
  // What the session opens; null without one.
  const find: Route['handle'] = async ({ req }) => {
    const token = sessionTokenIn(req);
    const key = token === undefined ? undefined : await sessions.find(token);
    const expiresAtMs = token === undefined ? undefined : sessions.expiryOf(token);
    if (key === undefined || expiresAtMs === undefined) return { status: 200, body: '{"session":null}' };
    return sessionAnswer(200, parts, key, expiresAtMs);
  };
  const signIn: Route['handle'] = async (call) => {
    if (!isFromConsole(call.req)) return FOREIGN;
    const read = readBody('POST /console/session', call);
    if (!read.ok) return read.refusal;
    // Counted before the key is looked up, so that no more fail at once than one after the other.
    const attempt = limit.begin(call.req.socket.remoteAddress ?? '', Date.now());
    const opened = await sessions.open(read.value.body.key).catch((error: unknown) => {
      attempt.forget();
      throw error;
    });
    if (typeof opened === 'string') {
      if (attempt.waitS === 0) return { refused: 'unauthorized', detail: REASONS[opened] };
      return { refused: 'rate-limited', detail: TOO_MANY_FAILURES, retryAfterS: attempt.waitS };
    }
    attempt.forget();
    const { token, key, expiresAtMs } = opened;
    const cookie = cookieOf(call, token, Math.floor(LIFETIME_MS / 1_000));
    return sessionAnswer(201, parts, key, expiresAtMs, { 'Set-Cookie': cookie });
  };
  const signOut: Route['handle'] = async (call) => {
    if (!isFromConsole(call.req)) return FOREIGN;
    const token = sessionTokenIn(call.req);
    if (token !== undefined) await sessions.close(token);
    return { status: 204, body: '', headers: { 'Set-Cookie': cookieOf(call, '', 0) } };
  };
  return [
    { ...session, method: 'GET', handle: find },
    { ...session, method: 'POST', bodyLimitBytes: SIGN_IN_LIMIT_BYTES, handle: signIn },
    { ...session, method: 'DELETE', handle: signOut },
  ];
}

const REASONS = {
  unknown: 'There is no such key, or it has been revoked.',
  'write-only': 'This key may write, but not read. The console needs a key with the scope read, audiences or admin.',
};

const TOO_MANY_FAILURES = 'Ten sign-ins from this address failed within a minute.';

const FOREIGN: Refusal = {
  refused: 'unauthorized',
  detail: 'This is for pages of this service: it needs the header Tidemark-Console: 1 and an Origin that is this one.',
};

async function sessionAnswer(
  status: number,
  { projects, isOnKafka }: ConsoleParts,
  key: AuthenticatedKey,
  expiresAtMs: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const opened = key.project === null ? await projects.listProjects() : [key.project];
  const session = {
    key_id: key.id,
    key_name: key.name,
    scopes: key.scopes,
    projects: opened.map(openedProject),
    on_kafka: isOnKafka,
    expires_at: formatMs(expiresAtMs),
  };
  return { status, body: JSON.stringify({ session }), headers };
}

function openedProject({ id, name, timezone, nameTraits }: Project): object {
  return { id, name, timezone, name_traits: nameTraits };
}

/** No script can read it, no other site makes the browser send it, and over https it goes over https alone. */
function cookieOf({ req }: Call, token: string, maxAgeS: number): string {
  const forwarded = req.headers['x-forwarded-proto'];
  const isHttps = typeof forwarded === 'string' && /^https\b/i.test(forwarded);
  const secure = isHttps ? '; Secure' : '';
  return `${SESSION_COOKIE}=${token}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Strict${secure}`;
}

const MINUTE_MS = 60_000;
const FAILURES_A_MINUTE = 10;
const MAX_ADDRESSES = 10_000;

interface SignInAttempt {
  /** Seconds until a failure is told again what was wrong; 0 where it is now. */
  readonly waitS: number;
  /** It was no failure. */
  readonly forget: () => void;
}

/**
 * Ten failed sign-ins a minute from one address, in this process: enough for typing errors, too few to guess. An address may
 * be a proxy that everybody is behind, so a right key enters all the same.
 */
class SignInLimit {
  /** When each address failed within the last minute, the oldest first; the address that failed longest ago first. */
  readonly #failures = new Map<string, readonly number[]>();

  /** Counts a failure, unless there are enough. */
  begin(address: string, nowMs: number): SignInAttempt {
    const failures = (this.#failures.get(address) ?? []).filter((atMs) => nowMs - atMs < MINUTE_MS);
    const [oldest] = failures;
    if (oldest !== undefined && failures.length >= FAILURES_A_MINUTE) {
      return { waitS: Math.ceil((oldest + MINUTE_MS - nowMs) / 1_000), forget: () => undefined };
    }
    this.#keep(address, [...failures, nowMs]);
    return { waitS: 0, forget: () => this.#forget(address, nowMs) };
  }

  #forget(address: string, atMs: number): void {
    const failures = this.#failures.get(address) ?? [];
    const at = failures.indexOf(atMs);
    if (at !== -1) this.#keep(address, failures.toSpliced(at, 1));
  }

  #keep(address: string, failures: readonly number[]): void {
    this.#failures.delete(address);
    if (failures.length > 0) this.#failures.set(address, failures);
    const [first] = this.#failures.keys();
    if (this.#failures.size > MAX_ADDRESSES && first !== undefined) this.#failures.delete(first);
  }
}
