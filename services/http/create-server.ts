import { type AppParts, createApp } from './app.ts';
import { countConnections } from './http-metrics.ts';
import { HttpServer, type ServerOptions } from './server.ts';

/** The server of a role's routes, which counts what it does. */
export function createHttpServer(parts: AppParts, options: Partial<ServerOptions> = {}): HttpServer {
  const { table, registry } = parts;
  const server = new HttpServer(createApp(parts).callback(), (path) => table.styleOf(path), options);
  countConnections(registry, server);
  return server;
}
