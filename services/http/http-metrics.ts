import { collectDefaultMetrics, Counter, Gauge, type Registry } from 'prom-client';
import { programVersion } from '../runtime/version.ts';
import { DurationHistogram, type Durations } from './duration-histogram.ts';
import type { ReceivingBytes } from './receiving-bytes.ts';
import type { Route } from './route.ts';
import type { HttpServer } from './server.ts';

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Times every request, by route (never by path: a path names users), method and class of status. */
export class HttpMetrics {
  readonly #histogram: DurationHistogram;
  readonly #ofRoute = new Map<Route | undefined, Map<number, Durations>>();

  constructor(registry: Registry, receiving: Pick<ReceivingBytes, 'held'>) {
    this.#histogram = new DurationHistogram({
      name: 'tidemark_http_request_duration_seconds',
      help: 'From the head of a request to its answer',
      bucketsS: BUCKETS_S,
      registry,
    });
    gauge(registry, 'receiving_bytes', 'Bytes of bodies that are being received', () => receiving.held);
  }

  /** @param status 0 if the client disconnected before the answer. */
  observe(route: Route | undefined, status: number, ms: number): void {
    const statusClass = Math.floor(status / 100);
    const durations = this.#ofRoute.get(route)?.get(statusClass) ?? this.#add(route, statusClass);
    durations.observe(ms);
  }

  #add(route: Route | undefined, statusClass: number): Durations {
    const durations = this.#histogram.child({
      route: route?.path ?? 'none',
      method: route?.method ?? 'none',
      status: statusClass === 0 ? 'gone' : `${statusClass}xx`,
    });
    const byClass = this.#ofRoute.get(route) ?? new Map<number, Durations>();
    this.#ofRoute.set(route, byClass);
    byClass.set(statusClass, durations);
    return durations;
  }
}

/** What every process tells: Node's own figures, and which program it is. */
export function describeProcess(registry: Registry, role: string): void {
  collectDefaultMetrics({ register: registry });
  const common = { labelNames: ['version', 'role'], aggregator: 'first' as const, registers: [registry] };
  new Gauge({ name: 'tidemark_build_info', help: 'Always 1', ...common }).set({ version: programVersion(), role }, 1);
}

type Connections = Pick<HttpServer, 'openConnections' | 'refusedConnections' | 'unreadConnections'>;

/** Counts the connections of this server. */
export function countConnections(registry: Registry, server: Connections): void {
  gauge(registry, 'connections', 'Connections that are open', () => server.openConnections);
  const refused = 'Connections refused because MAX_CONNECTIONS were open';
  counter(registry, 'refused_connections_total', refused, () => server.refusedConnections);
  const unread = 'Connections closed because their client did not read its answers';
  counter(registry, 'unread_connections_total', unread, () => server.unreadConnections);
}

function gauge(registry: Registry, name: string, help: string, value: () => number): void {
  const metric: Gauge = new Gauge({
    name: `tidemark_http_${name}`,
    help,
    registers: [registry],
    collect: () => metric.set(value()),
  });
}

function counter(registry: Registry, name: string, help: string, value: () => number): void {
  const metric: Counter = new Counter({
    name: `tidemark_http_${name}`,
    help,
    registers: [registry],
    collect: () => {
      metric.reset();
      metric.inc(value());
    },
  });
}
