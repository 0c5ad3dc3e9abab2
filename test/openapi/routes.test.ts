import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Route } from '../../services/http/route.ts';
import { Document, type Operation } from '../support/openapi/document.ts';
import { ReadingServer, SCOPE_KEYS } from '../support/http/reading-server.ts';

const document = new Document();
let server: ReadingServer;

beforeAll(async () => {
  server = await ReadingServer.start();
});

afterAll(() => server.stop());

function registered({ method, path, scope, bodyLimitBytes, streamsBody = false }: Route): string {
  const isRepeatable = method === 'POST' && (scope === 'admin' || scope === 'audiences') && !streamsBody;
  const body = bodyLimitBytes !== null || streamsBody;
  return `${method} ${path.replace(/:(\w+)/g, '{$1}')}, scope ${scope}, body ${body}, repeats ${isRepeatable}`;
}

function documented({ method, path, security, requestBody, parameters }: Operation): string {
  // Where messages are recorded the header has another meaning.
  const isRepeatable = parameters.some(({ description = '' }) => description.includes('Idempotency-Replayed'));
  const scopes = new Set(security.flatMap((one) => Object.values(one)).map((roles) => roles.join() || 'any'));
  const scope = scopes.size === 0 ? null : [...scopes].join();
  const body = requestBody !== undefined;
  return `${method.toUpperCase()} ${path}, scope ${scope}, body ${body}, repeats ${isRepeatable}`;
}

/** The headers that carry a key as a security scheme of the document says. */
function headersOf(scheme: string, key: string): Record<string, string> {
  const { type, name } = schemes()[scheme] ?? {};
  if (type === 'apiKey') return { [name ?? '']: key };
  if (scheme === 'bearer') return { authorization: `Bearer ${key}` };
  return { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` };
}

function schemes(): Record<string, { type: string; name?: string }> {
  return (document.raw as unknown as { components: { securitySchemes: ReturnType<typeof schemes> } }).components
    .securitySchemes;
}

test('every route is documented, and everything documented is a route, under the same scope', () => {
  expect(document.operations.map(documented).sort()).toEqual(server.routes.map(registered).sort());
});

test('a key is taken in every header that the document names, and only one of the right scope', async () => {
  for (const { operationId, method, path, scope, security } of document.operations) {
    for (const [scheme, roles] of security.flatMap((one) => Object.entries(one))) {
      const right = SCOPE_KEYS[scope ?? 'read'];
      const wrong = scope === 'write' ? SCOPE_KEYS.read : SCOPE_KEYS.write;
      const statusWith = async (key: string): Promise<number> =>
        (await fetch(server.url + path, { method: method.toUpperCase(), headers: headersOf(scheme, key) })).status;

      expect(await statusWith(right), `${operationId} ${scheme}`).not.toBe(401);
      if (roles.length > 0) expect(await statusWith(wrong), `${operationId} ${scheme}`).toBe(401);
    }
  }
});

test('a security scheme that no operation uses is not described', () => {
  const all = Object.values(document.raw.paths).flatMap((item) => Object.values(item));
  const used = all.flatMap(({ security }) => security.flatMap((one) => Object.keys(one)));

  expect([...new Set(used)].sort()).toEqual(Object.keys(schemes()).sort());
});
