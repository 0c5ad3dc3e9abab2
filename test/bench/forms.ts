/** The two forms of the service, each with empty stores for every benchmark. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { randomUUID } from 'node:crypto';
import { freshDatabase } from '../support/fresh-database.ts';

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
          EVENT_LOG_URL: `lmdb:${join(folder, 'event-log')}`,
          PROFILES_URL: `pglite:${join(folder, 'profiles')}`,
          ANALYTICS_URL: `chdb:${join(folder, 'analytics')}`,
        },
      }),
    ),
};

/** Calls with the form on Kafka, a schema registry, Postgres and ClickHouse, started for it as `npm run servers` does. */
export async function withServers(use: (form: Form) => Promise<void>): Promise<void> {
  const script = join(import.meta.dirname, '../servers/run.ts');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  try {
    await use(formOn(await addressesOf(createInterface({ input: child.stdout }))));
  } finally {
    child.kill('SIGTERM');
    await exit;
  }
}

async function addressesOf(lines: AsyncIterable<string>): Promise<Readonly<Record<string, string>>> {
  const addresses: Record<string, string> = {};
  for await (const line of lines) {
    if (line === 'ready') return addresses;
    const [name = '', ...rest] = line.split('=');
    addresses[name] = rest.join('=');
  }
  throw new Error('the servers ended before they were ready');
}

function formOn(addresses: Readonly<Record<string, string>>): Form {
  const { EVENT_LOG_URL: kafka = '', PROFILES_URL = '', ANALYTICS_URL = '', SCHEMA_REGISTRY_URL = '' } = addresses;
  return {
    title: 'servers: ',
    install: (use) =>
      withFolder(async (folder) => {
        const [profiles, analytics] = await Promise.all([freshDatabase(PROFILES_URL), freshDatabase(ANALYTICS_URL)]);
        const prefix = `${randomUUID().slice(0, 8)}.`;
        try {
          return await use({
            folder,
            settings: {
              EVENT_LOG_URL: `${kafka}?topic_prefix=${prefix}${CLIENT === '' ? '' : `&client=${CLIENT}`}`,
              PROFILES_URL: profiles.url,
              ANALYTICS_URL: analytics.url,
              SCHEMA_REGISTRY_URL,
            },
          });
        } finally {
          await Promise.all([profiles.drop(), analytics.drop()]);
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
