/** What answers from the moment the port is bound until everything that the process works on is open. */
import { Registry } from 'prom-client';
import type { Logger } from '../runtime/logger.ts';
import { answeringBy, type AppParts } from './app.ts';
import { operationRoutes } from './operations.ts';
import type { Refusal } from './problems.ts';
import type { Route } from './route.ts';
import { RouteTable } from './route-table.ts';
import { type Answering, HttpServer, urlOf } from './server.ts';

const STARTING: Refusal = { refused: 'unavailable', detail: 'This process is starting. Send the same request again.' };

/**
 * `/healthz` is 200 and `/readyz` 503, each part `starting`; any other path is 503, not 404, because its routes are still unknown.
 *
 * @param pages What is there without stores.
 * @param twoStepBase Below it, refusals are worded as the two-step interface words them.
 * @param parts What `/readyz` names.
 */
export function answersWhileStarting(
  logger: Logger,
  twoStepBase: string,
  parts: readonly string[],
  pages: readonly Route[] = [],
): Answering {
  const registry = new Registry();
  const readiness = { ready: false, parts: Object.fromEntries(parts.map((part) => [part, 'starting'])) };
  const known = new RouteTable([
    operationRoutes({ readiness: () => readiness, registry }),
    { routes: pages, twoStepBase },
  ]);
  const table: AppParts['table'] = {
    find: (method, path) => {
      const match = known.find(method, path);
      return 'refused' in match && match.refused === 'not-found' ? STARTING : match;
    },
    styleOf: (path) => known.styleOf(path),
  };
  // None of these routes asks for a key, and no body is read before there is a route for it.
  return answeringBy({
    table,
    keys: { find: () => undefined, findProject: () => undefined },
    registry,
    logger,
    maxReceivingBytes: 0,
  });
}

/** A server that is bound to its port and says that it is starting. */
export interface BoundServer {
  readonly server: HttpServer;
  /** `http://HOST:PORT` with the port that was taken. */
  readonly address: string;
}

/** What `bindServer` needs of the configuration. */
interface ListenConfig {
  readonly host: string;
  readonly port: number;
  readonly legacyBasePath: string;
  readonly maxConnections: number;
}

/**
 * Before anything is made or opened, so that a port that is taken leaves nothing behind.
 *
 * @param pages What is there without stores.
 * @throws TidemarkError as `HttpServer.listen`.
 */
export async function bindServer(config: ListenConfig, logger: Logger, pages: readonly Route[]): Promise<BoundServer> {
  const starting = answersWhileStarting(logger, config.legacyBasePath, ['ingest', 'eventLog'], pages);
  const server = new HttpServer(starting, { maxConnections: config.maxConnections });
  return { server, address: urlOf(await server.listen(config.host, config.port)) };
}
