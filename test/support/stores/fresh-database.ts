import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface FreshDatabase {
  /** The server's URL with the new database in place of its own. */
  readonly url: string;
  /** Also where others are still connected to it. */
  readonly drop: () => Promise<void>;
}

/**
 * A new, empty database with a random name on the server of a `postgres:` URL or of ClickHouse's `http(s):` one. With
 * `?cluster=NAME` it is made and dropped on every node of that cluster.
 */
export async function freshDatabase(url: string): Promise<FreshDatabase> {
  const server = new URL(url);
  const name = `test_${randomBytes(8).toString('hex')}`;
  const run = /^https?:$/.test(server.protocol) ? askClickhouse : askPostgres;
  const { create, drop } = run === askClickhouse ? clickhouseStatements(server, name) : postgresStatements(name);
  await run(server, create);
  const fresh = new URL(url);
  fresh.pathname = `/${name}`;
  return { url: fresh.href, drop: () => run(server, drop) };
}

function postgresStatements(name: string) {
  // Nobody is connected to template0; a connection to template1 would refuse the copy.
  return { create: `create database ${name} template template0`, drop: `drop database if exists ${name} with (force)` };
}

function clickhouseStatements({ searchParams }: URL, name: string) {
  const cluster = searchParams.get('cluster');
  const where = cluster === null ? '' : ` ON CLUSTER \`${cluster}\``;
  return { create: `CREATE DATABASE ${name}${where}`, drop: `DROP DATABASE IF EXISTS ${name}${where} SYNC` };
}

async function askPostgres({ href }: URL, sql: string): Promise<void> {
  const client = new Client({ connectionString: href, connectionTimeoutMillis: 10_000 });
  // A server may close the connection once it has answered.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function askClickhouse({ protocol, host, username, password }: URL, sql: string): Promise<void> {
  const credentials = Buffer.from(`${decodeURIComponent(username || 'default')}:${decodeURIComponent(password)}`);
  const response = await fetch(`${protocol}//${host}/`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials.toString('base64')}` },
    body: sql,
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`ClickHouse answers ${response.status}: ${answer.slice(0, 500)}`);
}
