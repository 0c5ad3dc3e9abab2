import { Writable } from 'node:stream';
import { Registry } from 'prom-client';
import { createHttpServer } from '../../../services/http/app.ts';
import { operationRoutes } from '../../../services/http/operations.ts';
import { RouteTable } from '../../../services/http/route-table.ts';
import type { Route } from '../../../services/http/route.ts';
import type { HttpServer, ServerOptions } from '../../../services/http/server.ts';
import { type IngestLog, Ingestor } from '../../../services/ingest/ingestor.ts';
import { IngestClock } from '../../../services/ingest/ingest-clock.ts';
import { publicRoutes } from '../../../services/ingest/public-api.ts';
import { twoStepRoutes } from '../../../services/ingest/two-step.ts';
import { Codec } from '../../../services/messages/codec.ts';
import type { Message } from '../../../services/messages/message.ts';
import { EmbeddedSchemaIds } from '../../../services/messages/schema-ids.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { createLogger, type Logger } from '../../../services/runtime/logger.ts';
import {
  type AuthenticatedKey,
  type KeyRing,
  DEFAULT_SETTINGS,
  type Project,
} from '../../../services/stores/projects/project-store.ts';
import { FaultyLog } from '../event-log/faulty-log.ts';
import type { ReplyBody } from './reply.ts';

export const WRITE_KEY = 'write-key-of-the-first-project';
export const READ_KEY = 'read-key-of-the-first-project';
/** A key of the installation. */
export const ADMIN_KEY = 'admin-key-of-the-installation';
export const OTHER_KEY = 'write-key-of-the-other-project';
/** Its project may send two requests a second. */
export const LIMITED_KEY = 'write-key-of-the-limited-project';
/** A key of a project that may send a byte a second. */
export const BYTES_KEY = 'tm_write_of_a_byte_a_second_________';
/** Nobody knows it, and the store that might is unreachable. */
export const UNCHECKABLE_KEY = 'key-while-the-store-is-away';

export const codec = new Codec(new EmbeddedSchemaIds());

export function projectNamed(id: string, changes: Partial<Project> = {}): Project {
  const sessionSecret = Buffer.alloc(32, id);
  const settings = { timezone: 'Europe/Berlin', rateLimit: null, ...DEFAULT_SETTINGS, eventsFrom: null };
  return { id, name: id, ...settings, sessionSecret, createdAtMs: 0, ...changes };
}

export const PROJECT = projectNamed('proj_00000000000000000001');
export const OTHER_PROJECT = projectNamed('proj_00000000000000000002');

const BYTES_PROJECT = projectNamed('proj_00000000000000000004', { rateLimitBytes: 1 });
const LIMITED_PROJECT = projectNamed('proj_00000000000000000003', { rateLimit: 2 });

const KEYS = new Map<string, AuthenticatedKey>([
  [WRITE_KEY, { id: 'key_write', name: null, project: PROJECT, scopes: ['write'] }],
  [READ_KEY, { id: 'key_read', name: null, project: PROJECT, scopes: ['read'] }],
  [ADMIN_KEY, { id: 'key_admin', name: null, project: null, scopes: ['admin'] }],
  [OTHER_KEY, { id: 'key_other', name: null, project: OTHER_PROJECT, scopes: ['write'] }],
  [BYTES_KEY, { id: 'key_bytes', name: null, project: BYTES_PROJECT, scopes: ['write'] }],
  [LIMITED_KEY, { id: 'key_limited', name: null, project: LIMITED_PROJECT, scopes: ['write'] }],
]);

/** Known keys at once, unknown ones after a look, as the real one does. */
const keyRing: KeyRing = {
  find: (key) => {
    const known = KEYS.get(key);
    if (known !== undefined) return known;
    if (key === UNCHECKABLE_KEY)
      return Promise.reject(new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered'));
    return Promise.resolve(undefined);
  },
  findProject: (idOrName) => [PROJECT, OTHER_PROJECT].find(({ id }) => id === idOrName),
};

const WRITER_ENCODER = new URL('../../../services/ingest/record-encoder.ts', import.meta.url);

export interface IngestServerOptions {
  readonly metricsKey?: string;
  readonly log?: IngestLog;
  readonly server?: Partial<ServerOptions>;
  readonly maxUnacknowledgedBytes?: number;
  readonly maxReceivingBytes?: number;
  readonly corsOrigins?: readonly string[];
  readonly clock?: IngestClock;
  readonly routes?: readonly Route[];
  readonly logger?: Logger;
  /** Whether the log encodes bodies itself. */
  readonly offload?: boolean;
  /** Instead of the service's own. */
  readonly encoder?: URL;
}

/** The HTTP interface of ingest on a free port of the loopback, with keys of its own and a log in memory. */
export class IngestServer {
  readonly faulty: FaultyLog;
  readonly ingestor: Ingestor;
  readonly http: HttpServer;
  readonly registry = new Registry();
  ready = true;
  url = '';
  port = 0;

  private constructor(options: IngestServerOptions) {
    const { registry } = this;
    const logger = options.logger ?? createLogger('silent', new Writable());
    this.faulty = new FaultyLog();
    this.ingestor = new Ingestor({
      log: options.log ?? this.faulty,
      codec,
      clock: options.clock ?? new IngestClock({ maxSkewMs: 5_000 }),
      encoder: options.encoder ?? WRITER_ENCODER,
      maxUnacknowledgedBytes: options.maxUnacknowledgedBytes ?? 64 * 1_024 * 1_024,
      registry,
      logger,
      checkEveryMs: 5,
    });
    const readiness = () => ({ ready: this.ready, parts: { ingest: this.ingestor.state } });
    const table = new RouteTable([
      operationRoutes({
        readiness,
        registry,
        metricsKey: options.metricsKey,
        keys: keyRing,
        openapi: { openapi: '3.1.0' },
      }),
      { routes: publicRoutes(this.ingestor) },
      { routes: twoStepRoutes(this.ingestor, '/legacy'), twoStepBase: '/legacy' },
      { routes: options.routes ?? [] },
    ]);
    const { maxReceivingBytes = 64 * 1_024 * 1_024, corsOrigins = [] } = options;
    const parts = { table, keys: keyRing, registry, logger, maxReceivingBytes, corsOrigins };
    this.http = createHttpServer(parts, options.server);
  }

  static async start(options: IngestServerOptions = {}): Promise<IngestServer> {
    const server = new IngestServer(options);
    if (options.offload === true) await server.ingestor.openOffload();
    const { port } = await server.http.listen('127.0.0.1', 0);
    server.port = port;
    server.url = `http://127.0.0.1:${port}`;
    return server;
  }

  /** POSTs with the write key and as JSON, unless the headers say otherwise; null leaves a header out. */
  async post(path: string, body: unknown, headers: Record<string, string | null> = {}): Promise<Reply> {
    const all = { api_key: WRITE_KEY, 'content-type': 'application/json', ...headers };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
    const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
    const init = { method: 'POST', headers: given, body: raw ? body : JSON.stringify(body), duplex: 'half' } as const;
    return replyOf(await fetch(this.url + path, init));
  }

  async get(path: string, init: RequestInit = {}): Promise<Reply> {
    return replyOf(await fetch(this.url + path, init));
  }

  /** The messages in the log in memory. */
  messages(): Message[] {
    return this.faulty.records.map(({ topic, value }) => codec.decode(topic, value));
  }

  async stop(): Promise<void> {
    this.faulty.release();
    this.ingestor.close();
    await this.http.close(1_000);
  }
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: ReplyBody;
}

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  const body = (isJson && text ? JSON.parse(text) : undefined) as ReplyBody;
  return { status: response.status, headers: response.headers, text, json: body };
}
