import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NotPackaged, startLocally, type Started } from './local.ts';
import { removeServersFolder, serversFolder } from './processes/reaped.ts';
import type { ServerName, StartedName } from './server.ts';

/** Where somebody else's servers are to be used. */
const ADDRESSES: Record<ServerName, string> = {
  kafka: 'TEST_KAFKA_URL',
  kafka3: 'TEST_KAFKA3_URL',
  'kafka-users': 'TEST_KAFKA_USERS_URL',
  registry: 'TEST_REGISTRY_URL',
  postgres: 'TEST_POSTGRES_URL',
  clickhouse: 'TEST_CLICKHOUSE_URL',
  'clickhouse-cluster': 'TEST_CLICKHOUSE_CLUSTER_URL',
  'clickhouse-shards': 'TEST_CLICKHOUSE_SHARDS_URL',
};

/** Starts each server when the first test process asks for it, tells all of them its address, and stops what it started. */
export class Keeper {
  readonly #http: Server;
  readonly #servers = new Map<ServerName, Promise<Started>>();
  #folder: Promise<string> | undefined;
  #stores: Promise<string> | undefined;
  #docker = true;

  constructor() {
    this.#http = createServer((request, response) => void this.#answer(request, response));
  }

  /** Resolves to the address that test processes ask. */
  async listen(): Promise<string> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
    // The run ends when vitest says so, not when this has nothing more to do.
    this.#http.unref();
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#http.close();
    this.#http.closeAllConnections();
    const started = await Promise.allSettled(this.#servers.values());
    await this.#stores?.catch(() => undefined);
    await Promise.all(started.map(async (one) => one.status === 'fulfilled' && one.value.stop()));
    if (this.#folder !== undefined) await removeServersFolder(await this.#folder);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = request.url?.slice(1) ?? '';
    try {
      response.end(name === 'stores' ? await (this.#stores ??= this.#makeStores()) : await this.#urlOf(name));
    } catch (error) {
      response.statusCode = error instanceof NotPackaged ? 404 : 503;
      response.end(describe(error));
    }
  }

  async #urlOf(name: string): Promise<string> {
    if (!isServerName(name)) throw new Error(`there is no server ${name}`);
    return (await this.#server(name)).url;
  }

  #server(name: ServerName): Promise<Started> {
    const known = this.#servers.get(name);
    if (known !== undefined) return known;
    const starting = this.#start(name);
    this.#servers.set(name, starting);
    return starting;
  }

  async #start(name: ServerName): Promise<Started> {
    const url = process.env[ADDRESSES[name]];
    if (url !== undefined && url !== '') return { url, stop: async () => undefined };
    if (name === 'kafka-users') return this.#kafkaWithUsers();
    return (await this.#startInDocker(name)) ?? (await this.#startLocally(name));
  }

  /** Somebody else's Kafka, and that of Docker, have none. */
  async #kafkaWithUsers(): Promise<Started> {
    const shared = await this.#server('kafka');
    if (shared.usersUrl !== undefined) return { url: shared.usersUrl, stop: async () => undefined };
    const { usersUrl, stop } = await this.#startLocally('kafka');
    if (usersUrl === undefined) throw new NotPackaged('this Kafka has no users');
    return { url: usersUrl, stop };
  }

  /** Undefined where Docker is not here or not of use. */
  async #startInDocker(name: StartedName): Promise<Started | undefined> {
    if (name === 'kafka3' || name === 'clickhouse-shards' || !this.#docker || !mayHaveDocker()) return undefined;
    try {
      const { startInDocker } = await import('./docker.ts');
      return await startInDocker[name]();
    } catch (error) {
      // An engine that cannot fetch one image will not fetch the next.
      this.#docker = false;
      process.stderr.write(`Docker has no ${name} (${describe(error)}): servers from packages are used\n`);
      return undefined;
    }
  }

  async #startLocally(name: StartedName): Promise<Started> {
    return startLocally[name](await this.#folderOf(name));
  }

  async #makeStores(): Promise<string> {
    const folder = await this.#folderOf('stores');
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'stores.ts'), folder]);
    return folder;
  }

  async #folderOf(name: string): Promise<string> {
    this.#folder ??= serversFolder();
    return join(await this.#folder, name);
  }
}

function isServerName(name: string): name is ServerName {
  return Object.hasOwn(ADDRESSES, name);
}

/** Whether a Docker engine may be here: testcontainers is loaded only where it may be of use. */
function mayHaveDocker(): boolean {
  const runtime = process.env['XDG_RUNTIME_DIR'] ?? '/nowhere';
  const sockets = ['/var/run/docker.sock', join(runtime, 'docker.sock'), join(homedir(), '.docker/run/docker.sock')];
  return process.env['DOCKER_HOST'] !== undefined || sockets.some((socket) => existsSync(socket));
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${describe(error.cause)}`;
}
