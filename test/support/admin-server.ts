import { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import { AdminCommands, type AdminCommandsOptions } from '../../services/admin/admin-commands.ts';
import { SqlJobStore } from '../../services/admin/jobs/sql-job-store.ts';
import { adminRoutes } from '../../services/admin/routes.ts';
import { LocalServer } from '../../services/http/local-server.ts';
import { RouteTable } from '../../services/http/route-table.ts';
import type { ServerOptions } from '../../services/http/server.ts';
import type { Command } from '../../services/runtime/command.ts';
import { controlSocketPath } from '../../services/runtime/control-socket.ts';
import { createLogger } from '../../services/runtime/logger.ts';
import { ServiceClient } from '../../services/cli/client/service-client.ts';
import type { Database } from '../../services/stores/database/database.ts';
import { SqlRepeatStore } from '../../services/stores/repeats/repeat-store.ts';
import { MemoryAuditLog } from './memory-audit-log.ts';

export interface AdminServerOptions {
  /** Where jobs are; without it none can be started. */
  readonly database?: Database;
  readonly commands?: Partial<AdminCommandsOptions>;
  readonly server?: Partial<ServerOptions>;
}

export interface AdminServer {
  readonly path: string;
  readonly admin: AdminCommands;
  readonly server: LocalServer;
  readonly audit: MemoryAuditLog;
  readonly client: ServiceClient;
  /** The log lines. */
  readonly lines: readonly string[];
  /** As a service stops. */
  readonly stop: () => Promise<void>;
}

const NO_DATABASE = { query: () => Promise.reject(new Error('this test has no jobs')) } as unknown as Database;

/** What a service serves at the socket of its data folder, with these commands. Stopped at the end of the test. */
export async function serveCommands(
  dataDir: string,
  commands: Readonly<Record<string, Command>>,
  { database = NO_DATABASE, commands: options = {}, server: limits = {} }: AdminServerOptions = {},
): Promise<AdminServer> {
  const lines: string[] = [];
  const logger = createLogger('warn', { write: (line) => void lines.push(line) });
  const find = (name: string): Command | undefined => (Object.hasOwn(commands, name) ? commands[name] : undefined);
  const admin = new AdminCommands({ find, jobs: new SqlJobStore(database), logger, options });
  const table = new RouteTable([adminRoutes(admin)]);
  const keys = { find: () => undefined, findProject: () => undefined };
  const audit = new MemoryAuditLog();
  const parts = {
    table,
    keys,
    registry: new Registry(),
    logger,
    maxReceivingBytes: 1e8,
    audit,
    repeats: new SqlRepeatStore(database),
  };
  const path = controlSocketPath(dataDir);
  const server = await LocalServer.open(parts, path, limits);
  const stop = async (): Promise<void> => void (await Promise.all([admin.stop(), server.close(2_000)]));
  onTestFinished(stop);
  const client = new ServiceClient({ url: 'http://tidemark', socketPath: path }, undefined);
  return { path, admin, server, audit, client, lines, stop };
}
