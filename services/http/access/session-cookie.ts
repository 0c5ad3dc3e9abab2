/** The cookie that stands for a key in requests of the console's pages. */
import type { IncomingMessage } from 'node:http';
import type { AuthenticatedKey } from '../../stores/projects/project-store.ts';

export const SESSION_COOKIE = 'tidemark_console';

/** What knows the sessions. */
export interface SessionKeys {
  /**
   * The key that this session was opened with; undefined where it has ended or the key has been revoked.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE` (thrown or as a rejection) if that cannot be found out now.
   */
  find(token: string): AuthenticatedKey | Promise<AuthenticatedKey | undefined> | undefined;
}

/**
 * The session's token, if the request has one that counts. A browser sends its cookies with whatever a page of another
 * site makes it send, so for every method but GET and HEAD the request must also come from the console's own page: with
 * the header `Tidemark-Console: 1`, which a form cannot set, and from this origin.
 */
export function sessionTokenIn(req: IncomingMessage): string | undefined {
  if (req.headers.cookie === undefined) return undefined;
  const isReading = req.method === 'GET' || req.method === 'HEAD';
  return isReading || isFromConsole(req) ? cookieIn(req.headers.cookie) : undefined;
}

/** Whether a page of this origin sent it, by means that only such a page has. */
export function isFromConsole({ headers }: IncomingMessage): boolean {
  return headers['tidemark-console'] === '1' && isOfThisOrigin(headers);
}

/** Whether a page sent it that this server answered. */
export function isOfThisOrigin(headers: IncomingMessage['headers']): boolean {
  const site = headers['sec-fetch-site'];
  // Browsers name the relation only to https and to this machine. It holds where a proxy changes the Host header, too.
  if (site !== undefined) return site === 'same-origin';
  return headers.origin !== undefined && hostOf(headers.origin) === headers.host;
}

// 256 bits in base64url: nothing else can be a session, and is not looked for.
const COOKIE = new RegExp(`(?:^|;) *${SESSION_COOKIE}=([\\w-]{43})(?:;|$)`);

function cookieIn(cookies: string): string | undefined {
  return COOKIE.exec(cookies)?.[1];
}

function hostOf(origin: string): string | undefined {
  return URL.parse(origin)?.host;
}
