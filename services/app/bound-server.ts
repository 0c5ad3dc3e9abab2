import { HttpServer, urlOf } from '../http/server.ts';
import { answersWhileStarting } from '../http/starting.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';

/** A server that is bound to its port and says that it is starting. */
export interface BoundServer {
  readonly server: HttpServer;
  /** `http://HOST:PORT` with the port that was taken. */
  readonly address: string;
}

/**
 * Before anything is made or opened, so that a port that is taken leaves nothing behind.
 *
 * @throws TidemarkError as `HttpServer.listen`.
 */
export async function bindServer(config: Config, logger: Logger): Promise<BoundServer> {
  const { listener, styleOf } = answersWhileStarting(logger, config.legacyBasePath, ['ingest', 'eventLog']);
  const server = new HttpServer(listener, styleOf, { maxConnections: config.maxConnections });
  return { server, address: urlOf(await server.listen(config.host, config.port)) };
}
