import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface TokenServer {
  readonly url: string;
  /** How many tokens it gave. */
  readonly given: number;
  /** Answered in place of a token from now on; undefined: tokens again. */
  answer: { readonly status: number; readonly body: string } | undefined;
  readonly close: () => void;
}

/** Gives tokens that nobody signed, each good for a minute, to one client by its id and secret. */
export async function startTokenServer(clientId: string, secret: string): Promise<TokenServer> {
  const wanted = `Basic ${Buffer.from(`${clientId}:${encodeURIComponent(secret)}`).toString('base64')}`;
  let given = 0;
  const server = createServer((request, response) => {
    const { answer } = tokens;
    const isRight = request.method === 'POST' && request.headers.authorization === wanted;
    const denial = answer ?? (isRight ? undefined : { status: 401, body: '' });
    if (denial !== undefined) {
      response.writeHead(denial.status).end(denial.body);
      return;
    }
    given++;
    response.end(JSON.stringify({ access_token: unsignedToken(clientId), token_type: 'Bearer', expires_in: 60 }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const tokens: TokenServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    get given() {
      return given;
    },
    answer: undefined,
    close: () => server.close(),
  };
  return tokens;
}

export function unsignedToken(subject: string, seconds = 60): string {
  const now = Math.floor(Date.now() / 1000);
  return [{ alg: 'none' }, { sub: subject, iat: now, exp: now + seconds }]
    .map((part) => `${Buffer.from(JSON.stringify(part)).toString('base64url')}.`)
    .join('');
}
