import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../processes/ports.ts';
import { controlsOf, ServerProcess, type ServerControls } from '../processes/server-process.ts';

export interface PgBouncer extends ServerControls {
  /** As that of the Postgres behind it. */
  readonly url: string;
}

/** A pooler before a Postgres, with few connections of its own, so that they change hands. */
export async function startPgBouncer(
  program: string,
  folder: string,
  postgres: string,
  mode: 'session' | 'transaction',
): Promise<PgBouncer> {
  const { hostname, port: behind, username, password, pathname } = new URL(postgres);
  const port = await freePort();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`, { mode: 0o644 });
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${behind}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${folder}/users
pool_mode = ${mode}
default_pool_size = ${mode === 'session' ? 60 : 4}
max_client_conn = 200
`,
    { mode: 0o644 },
  );
  // It refuses root, and has to read its files as somebody else.
  for (const one of [folder, dirname(folder)]) await chmod(one, 0o755);
  const url = `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`;
  const server = new ServerProcess({
    name: 'PgBouncer',
    command: program,
    args: [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), join(folder, 'pgbouncer.ini')],
    cwd: folder,
    log: join(folder, 'pgbouncer.log'),
    stopSignal: 'SIGTERM',
    answers: async () => {
      const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.query('select 1');
      } finally {
        await client.end().catch(() => undefined);
      }
    },
  });
  await server.start();
  return { url, ...controlsOf(server) };
}
