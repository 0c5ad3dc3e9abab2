import { expect } from 'vitest';
import { headersOfPage } from '../openapi/requests.ts';
import { SCOPE_KEYS } from './reading-server.ts';

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request of an operation, holds the answer against the document, and returns its status. */
type Exchange = (operationId: string, sent: Sent) => Promise<number>;

/** Every answer that `/console/session` has beside those of all operations. At the end wrong keys from this address must wait a minute. */
export async function exchangeSessions(
  url: string,
  exchange: Exchange,
  whileUnreachable: (run: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const body = JSON.stringify({ key: SCOPE_KEYS.read });
  const signIn = { ...headersOfPage(url), 'content-type': 'application/json' };
  const opened = await fetch(`${url}/console/session`, { method: 'POST', headers: signIn, body });
  const headers = { cookie: opened.headers.get('set-cookie')?.split(';')[0] ?? '' };

  expect(await exchange('getConsoleSession', { headers })).toBe(200);
  expect(await exchange('signIn', { body, headers: { 'tidemark-console': '' } })).toBe(401);
  expect(await exchange('signOut', { headers: { ...headers, 'tidemark-console': '' } })).toBe(401);
  await whileUnreachable(async () => {
    expect(await exchange('signIn', { body })).toBe(503);
    expect(await exchange('signOut', { headers })).toBe(503);
    const cookie = `tidemark_console=${'a'.repeat(43)}`;
    expect(await exchange('getConsoleSession', { headers: { cookie } })).toBe(503);
  });
  expect(await exchange('signOut', { headers })).toBe(204);
  for (let failed = 0; failed < 10; failed++) await exchange('signIn', { body: '{"key":"unknown"}' });
  expect(await exchange('signIn', { body: '{"key":"unknown"}' })).toBe(429);
  for (const id of ['getConsoleSession', 'signIn', 'signOut']) await exchange(id, { method: 'PUT' });
}
