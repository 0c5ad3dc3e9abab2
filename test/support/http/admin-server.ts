import { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import { JobRunner, type JobRunnerOptions } from '../../../services/operations/jobs/job-runner.ts';
import type { JobCommands } from '../../../services/operations/jobs/job.ts';
import { SqlJobStore } from '../../../services/operations/jobs/sql-job-store.ts';
import type { AdminPorts } from '../../../services/operations/ports.ts';
import { adminRoutes } from '../../../services/api/admin/routes.ts';
import { LocalServer } from '../../../services/http/local-server.ts';
import { RouteTable } from '../../../services/http/route-table.ts';
import type { ServerOptions } from '../../../services/http/server.ts';
import { controlSocketPath } from '../../../services/runtime/control-socket.ts';
import { createLogger } from '../../../services/runtime/logger.ts';
import { ServiceClient } from '../../../services/cli/client/service-client.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlRepeatStore } from '../../../services/stores/service-state/repeat-store.ts';
import { SqlAuditLog } from '../../../services/stores/service-state/sql-audit-log.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { BreakableDatabase } from '../stores/breakable-database.ts';
import { emptiedDatabase } from '../stores/database.ts';

/** What the test serves; the rest is not to be asked. */
export interface Served extends Partial<Omit<AdminPorts, 'jobs'>> {
  readonly commands?: Partial<JobCommands>;
}

export interface AdminServerOptions {
  /** The worker's, emptied, where it is left out. */
  readonly database?: Database;
  readonly jobs?: Partial<JobRunnerOptions>;
  readonly server?: Partial<ServerOptions>;
}

export interface AdminServer {
  readonly path: string;
  readonly jobs: JobRunner;
  readonly server: LocalServer;
  readonly database: BreakableDatabase;
  readonly projects: SqlProjectStore;
  readonly audit: SqlAuditLog;
  readonly client: ServiceClient;
  /** The log lines. */
  readonly lines: readonly string[];
  /** As a service stops. */
  readonly stop: () => Promise<void>;
}

/** What a service serves at the socket of its data folder. Stopped at the end of the test. */
export async function serveAdmin(
  dataDir: string,
  { commands = {}, ...ports }: Served,
  { database: given, jobs: options = {}, server: limits = {} }: AdminServerOptions = {},
): Promise<AdminServer> {
  const database = new BreakableDatabase(given ?? (await emptiedDatabase()));
  const projects = new SqlProjectStore(database);
  const lines: string[] = [];
  const logger = createLogger('warn', { write: (line) => void lines.push(line) });
  const known = commands as JobCommands;
  const jobs = new JobRunner({ commands: known, jobs: new SqlJobStore(database), logger, options });
  const table = new RouteTable([
    adminRoutes({
      projects,
      ...ports,
      jobs,
      newProjects: { timezone: 'Asia/Tokyo', joinIds: true, keepEventsMonths: null },
    } as never),
  ]);
  const keys = { find: () => undefined, findProject: () => undefined };
  const audit = new SqlAuditLog(database);
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
  const stop = async (): Promise<void> => void (await Promise.all([jobs.stop(), server.close(2_000)]));
  onTestFinished(stop);
  const client = new ServiceClient({ url: 'http://tidemark', socketPath: path }, undefined);
  return { path, jobs, server, database, projects, audit, client, lines, stop };
}
