/** The two forms of the service, each with empty stores for every benchmark. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { installOn, type ServerAddresses } from '../support/service/server-settings.ts';

/** Where the stores of one benchmark are. */
export interface Installation {
  readonly folder: string;
  /** The service's settings. */
  readonly settings: Readonly<Record<'EVENT_LOG_URL' | 'PROFILES_URL' | 'ANALYTICS_URL', string>> &
    Readonly<Record<string, string>>;
}

export interface Form {
  /** What stands before the names of its figures. */
  readonly title: string;
  /** Calls with empty stores, and removes them afterwards. */
  install<T>(use: (installation: Installation) => Promise<T>): Promise<T>;
}

/** `BENCH_KAFKA_CLIENT=kafkajs` measures the other client. */
const CLIENT = process.env['BENCH_KAFKA_CLIENT'] ?? '';

export const EMBEDDED: Form = {
  title: '',
  install: (use) =>
    withFolder((folder) =>
      use({
        folder,
        settings: {
          EVENT_LOG_URL: `log:${join(folder, 'event-log')}`,
          PROFILES_URL: `pglite:${join(folder, 'profiles')}`,
          ANALYTICS_URL: `chdb:${join(folder, 'analytics')}`,
        },
      }),
    ),
};

/**
 * Calls with the form on Kafka, a schema registry, Postgres and ClickHouse, started for it as `npm run servers` does.
 *
 * @param shards How many ClickHouse has.
 */
export async function withServers(use: (form: Form) => Promise<void>, shards: 1 | 2 = 1): Promise<void> {
  const script = join(import.meta.dirname, '../servers/run.ts');
  // Each benchmark makes a database of its own.
  const args = [script, '--superuser', '--shards', String(shards)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  try {
    const title = shards === 1 ? 'servers: ' : 'two shards: ';
    await use(formOn(title, await addressesOf(createInterface({ input: child.stdout }))));
  } finally {
    child.kill('SIGTERM');
    await exit;
  }
}

async function addressesOf(lines: AsyncIterable<string>): Promise<ServerAddresses> {
  const addresses: Record<string, string> = {};
  for await (const line of lines) {
    // `npm run servers` prints all four before it.
    if (line === 'ready') return addresses as ServerAddresses;
    const [name = '', ...rest] = line.split('=');
    addresses[name] = rest.join('=');
  }
  throw new Error('the servers ended before they were ready');
}

function formOn(title: string, addresses: ServerAddresses): Form {
  const kafka = CLIENT === '' ? addresses.EVENT_LOG_URL : `${addresses.EVENT_LOG_URL}?client=${CLIENT}`;
  return {
    title,
    install: (use) =>
      withFolder(async (folder) => {
        const installation = await installOn({ ...addresses, EVENT_LOG_URL: kafka });
        try {
          return await use({ folder, settings: installation.settings });
        } finally {
          await installation.drop();
        }
      }),
  };
}

async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-bench-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
