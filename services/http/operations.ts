import { hash, timingSafeEqual } from 'node:crypto';
import type { Registry } from 'prom-client';
import type { KeyRing } from '../stores/projects/project-store.ts';
import { keyIn, UNAUTHORIZED } from './access/authenticate.ts';
import type { Call } from './call.ts';
import { frontPage, isForPeople, type Readiness, referenceFile, referencePage } from './pages.ts';
import { revalidated } from './etags.ts';
import type { Answer, Route, RouteSet } from './route.ts';

export interface OperationsParts {
  readonly readiness: () => Readiness;
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
  /** What `/metrics` asks for on the port; undefined where it needs no key. */
  readonly metricsKey?: string | undefined;
  /** An admin key opens the metrics too, where the process knows keys. */
  readonly keys?: Pick<KeyRing, 'find'>;
  /** The OpenAPI document, as an object, of a process that serves the interface. */
  readonly openapi?: object;
  /** More entries for the front page: name → path. */
  readonly links?: Readonly<Record<string, string>>;
}

/** What operators and machines ask, without a key but for the metrics, which may ask for one. Nothing here names a project or a user. */
export function operationRoutes(parts: OperationsParts): RouteSet {
  const { readiness, registry, openapi, links } = parts;
  const entries = {
    ...(openapi === undefined ? {} : { docs: '/docs', openapi: '/openapi.json' }),
    health: '/healthz',
    readiness: '/readyz',
    metrics: '/metrics',
    ...links,
  };
  const front = JSON.stringify({
    name: 'Tidemark',
    description: 'Event tracking service: identify, track and batch messages on a durable log',
    links: entries,
  });
  return {
    routes: [
      open('/', ({ headers }) =>
        isForPeople(headers)
          ? frontPage(readiness(), entries)
          : { status: 200, body: front, headers: { Vary: 'Accept' } },
      ),
      open('/healthz', () => ({ status: 200, body: '{"status":"up"}' })),
      open('/readyz', () => readinessAnswer(readiness())),
      open('/metrics', async (call) =>
        (await mayRead(call, parts))
          ? { status: 200, type: registry.contentType, body: await registry.metrics() }
          : UNAUTHORIZED,
      ),
      ...(openapi === undefined ? [] : referenceRoutes(JSON.stringify(openapi))),
    ],
  };
}

function referenceRoutes(document: string): Route[] {
  return [
    open('/openapi.json', (call) => revalidated(call, { status: 200, body: document })),
    open('/docs', (call) => revalidated(call, referencePage())),
    open('/docs/:file', async (call) => revalidated(call, await referenceFile(call.params['file'] ?? ''))),
  ];
}

async function mayRead({ headers, isLocal }: Call, { metricsKey, keys }: OperationsParts): Promise<boolean> {
  if (metricsKey === undefined || isLocal) return true;
  const key = keyIn(headers);
  if (key === undefined) return false;
  return isSame(key, metricsKey) || (await keys?.find(key))?.scopes.includes('admin') === true;
}

/** Hashes are compared: the time that it takes tells nothing of the key. */
function isSame(key: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', key, 'buffer'), hash('sha256', other, 'buffer'));
}

function open(path: string, handle: Route['handle']): Route {
  return { method: 'GET', path, scope: null, bodyLimitBytes: null, style: 'problem', handle };
}

function readinessAnswer({ ready, parts }: Readiness): Answer {
  const body = JSON.stringify({ ready, parts });
  return ready ? { status: 200, body } : { status: 503, body, headers: { 'Retry-After': '1' } };
}
