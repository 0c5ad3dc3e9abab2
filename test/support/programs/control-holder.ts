import { Registry } from 'prom-client';
import { LocalServer } from '../../../services/http/local-server.ts';
import { operationRoutes } from '../../../services/http/operations.ts';
import { RouteTable } from '../../../services/http/route-table.ts';
import { controlSocketPath } from '../../../services/runtime/control-socket.ts';
import { lockFolder } from '../../../services/runtime/folder-lock.ts';
import { createLogger } from '../../../services/runtime/logger.ts';

/** A program of its own: locks the folder, answers on its socket and prints that it does, until it is killed. */
const [folder = ''] = process.argv.slice(2);
lockFolder(folder);
const table = new RouteTable([
  operationRoutes({ readiness: () => ({ ready: true, parts: {} }), registry: new Registry() }),
]);
const keys = { find: () => undefined, findProject: () => undefined };
const logger = createLogger('silent', { write: () => undefined });
const registry = new Registry();
await LocalServer.open({ table, keys, registry, logger, maxReceivingBytes: 0 }, controlSocketPath(folder));
process.stdout.write('serving\n');
