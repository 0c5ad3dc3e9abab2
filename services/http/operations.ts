import type { Registry } from 'prom-client';
import { frontPage, isForPeople, referenceFile, referencePage } from './pages.ts';
import type { Answer, Route, RouteSet } from './route.ts';

/** Whether this process can do its work, and how each part of it is. */
export interface Readiness {
  readonly ready: boolean;
  /** Name of the part → its state in a word: `ready`, `starting`, `away`, … */
  readonly parts: Readonly<Record<string, string>>;
}

export interface OperationsParts {
  readonly readiness: () => Readiness;
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
  /** The OpenAPI document, as an object, of a process that serves the interface. */
  readonly openapi?: object;
  /** More entries for the front page: name → path. */
  readonly links?: Readonly<Record<string, string>>;
}

/** What operators and machines ask, without a key. Nothing here names a project or a user. */
export function operationRoutes({ readiness, registry, openapi, links }: OperationsParts): RouteSet {
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
      open('/metrics', async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() })),
      ...(openapi === undefined ? [] : referenceRoutes(JSON.stringify(openapi))),
    ],
  };
}

function referenceRoutes(document: string): Route[] {
  return [
    open('/openapi.json', () => ({ status: 200, body: document })),
    open('/docs', () => referencePage()),
    open('/docs/:file', ({ params }) => referenceFile(params['file'] ?? '')),
  ];
}

function open(path: string, handle: Route['handle']): Route {
  return { method: 'GET', path, scope: null, bodyLimitBytes: null, style: 'problem', handle };
}

function readinessAnswer({ ready, parts }: Readiness): Answer {
  const body = JSON.stringify({ ready, parts });
  return ready ? { status: 200, body } : { status: 503, body, headers: { 'Retry-After': '1' } };
}
