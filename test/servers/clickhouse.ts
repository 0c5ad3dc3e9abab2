import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { freePorts } from './processes/ports.ts';
import { controlsOf, runTool, ServerProcess, type ServerControls } from './processes/server-process.ts';

const NAME = 'tidemark';
// Asked again and again until it is up; what is asked once has longer.
const ANSWER_WITHIN_MS = 3_000;
const ONCE_WITHIN_MS = 30_000;

export interface ClickHouseOptions {
  /** An empty or missing folder; the server's data stays in it. */
  readonly folder: string;
  /** The address of this machine that it listens on: 127.0.0.1 unless told. */
  readonly host?: string;
  /** The port of HTTP; a free one by default. */
  readonly port?: number;
  /** The port of the native protocol, where others must know it beforehand. */
  readonly nativePort?: number;
  /** XML for inside `<clickhouse>`: settings of the server, a cluster. */
  readonly config?: string;
  /** The path of a file for `config.d`: the server merges it into its settings by its own rules, `remove` among them. */
  readonly overrides?: string;
  /** XML for inside `<users>` and `<profiles>`, beside those that are there. */
  readonly users?: string;
  readonly profiles?: string;
  /** Statements to run before it listens, each ended by `;`. */
  readonly first?: string;
}

export interface ClickHouse extends ServerControls {
  /** A user who may do everything, and an empty database. */
  readonly url: string;
  readonly port: number;
  readonly nativePort: number;
}

/** ClickHouse's own HTTP and native servers, out of the library inside npm's chdb. */
export async function startClickHouse(options: ClickHouseOptions): Promise<ClickHouse> {
  const { folder, host = '127.0.0.1' } = options;
  await mkdir(join(folder, 'data'), { recursive: true });
  const free = await freePorts(2);
  const port = options.port ?? free[0]!;
  const nativePort = options.nativePort ?? free[1]!;
  await writeConfiguration(options);
  const [command, ...loader] = await findLoader(folder);
  const url = new URL(`http://${NAME}:${NAME}@${host}:${port}`);
  const server = new ServerProcess({
    name: 'ClickHouse',
    command,
    args: [...loader, libchdb(), ...serverArguments(options, port, nativePort)],
    cwd: folder,
    log: join(folder, 'clickhouse.log'),
    // It has no clean end: what it acknowledged is in its files.
    stopSignal: 'SIGKILL',
    answers: () => query(url, 'select 1'),
  });
  await server.start();
  await query(url, `create database if not exists ${NAME}`, ONCE_WITHIN_MS);
  return {
    url: `${url.origin.replace('//', `//${NAME}:${NAME}@`)}/${NAME}`,
    port,
    nativePort,
    ...controlsOf(server),
  };
}

function serverArguments(
  { folder, host = '127.0.0.1', first = '' }: ClickHouseOptions,
  port: number,
  nativePort: number,
): string[] {
  // The program ends with its last query, so that one never ends.
  const forever =
    'SELECT sleepEachRow(3) FROM system.numbers SETTINGS max_block_size=1, function_sleep_max_microseconds_per_block=0 FORMAT Null';
  return [
    `--config-file=${join(folder, 'config.xml')}`,
    `--path=${join(folder, 'data')}`,
    `--listen_host=${host}`,
    `--http_port=${port}`,
    `--tcp_port=${nativePort}`,
    '--multiquery',
    '--query',
    `${first} SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP; ${forever}`,
  ];
}

async function writeConfiguration({
  folder,
  config = '',
  overrides,
  users = '',
  profiles = '',
}: ClickHouseOptions): Promise<void> {
  const logger = '<logger><level>warning</level><console>1</console></logger>';
  const usersConfig = `<users_config>${join(folder, 'users.xml')}</users_config>`;
  await writeFile(join(folder, 'config.xml'), `<clickhouse>${logger}${usersConfig}${config}</clickhouse>`);
  await writeFile(join(folder, 'users.xml'), usersOf(users, profiles));
  if (overrides === undefined) return;
  await mkdir(join(folder, 'config.d'), { recursive: true });
  await copyFile(overrides, join(folder, 'config.d', 'overrides.xml'));
}

const ALL = '<networks><ip>127.0.0.0/8</ip></networks><profile>default</profile><quota>default</quota>';
const usersOf = (users: string, profiles: string): string => `<clickhouse>
  <profiles><default/>${profiles}</profiles>
  <quotas><default/></quotas>
  <users>
    <default><password/>${ALL}</default>
    <${NAME}><password>${NAME}</password>${ALL}</${NAME}>
    ${users}
  </users>
</clickhouse>`;

function libchdb(): string {
  const chdb = createRequire(createRequire(import.meta.url).resolve('chdb'));
  const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`;
  return join(dirname(chdb.resolve(`@chdb/lib-${platform}/package.json`)), 'libchdb.so');
}

/** Python or C, whichever the machine has; not Node: ClickHouse checks its thread's stack. */
async function findLoader(folder: string): Promise<[string, ...string[]]> {
  const source = (name: string) => join(import.meta.dirname, name);
  const python = await runTool('python3', ['-c', 'import ctypes, sys; print(sys.executable)']).catch(() => undefined);
  if (python !== undefined) return [python.trim(), source('serve-chdb.py')];
  const program = join(folder, 'serve-chdb');
  await runTool('cc', ['-O1', '-o', program, source('serve-chdb.c'), '-ldl', '-lpthread']).catch((cause: unknown) => {
    throw new Error('neither python3 nor cc is here to load ClickHouse with', { cause });
  });
  return [program];
}

async function query(url: URL, sql: string, withinMs = ANSWER_WITHIN_MS): Promise<void> {
  const response = await fetch(url.origin, {
    method: 'POST',
    body: sql,
    headers: { 'x-clickhouse-user': url.username, 'x-clickhouse-key': url.password },
    signal: AbortSignal.timeout(withinMs),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
}
