import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Registry } from 'prom-client';
import { statusRoutes } from '../../../services/api/admin/status/status.ts';
import { limitsOf } from '../../../services/questions/query-budget.ts';
import type { AudienceEvaluator } from '../../../services/questions/saved/audience-scheduler.ts';
import type { SavedAudience } from '../../../services/questions/saved/audience-store.ts';
import type { EventLog } from '../../../services/event-log/event-log.ts';
import { importRoutes } from '../../../services/api/admin/imports/import-routes.ts';
import { UploadedFiles } from '../../../services/api/admin/imports/uploaded-files.ts';
import { adminRoutes } from '../../../services/api/admin/routes.ts';
import { type AppParts, createHttpServer } from '../../../services/http/app.ts';
import { operationRoutes } from '../../../services/http/operations.ts';
import { RouteTable } from '../../../services/http/route-table.ts';
import type { Route, RouteSet } from '../../../services/http/route.ts';
import type { HttpServer, ServerOptions } from '../../../services/http/server.ts';
import { Ingestor } from '../../../services/ingest/ingestor.ts';
import { IngestClock } from '../../../services/ingest/ingest-clock.ts';
import { RefusalCounts } from '../../../services/ingest/refusal-counts.ts';
import { publicRoutes } from '../../../services/ingest/public-api.ts';
import { twoStepRoutes } from '../../../services/ingest/two-step.ts';
import { ConsoleSessions } from '../../../services/api/console/console-sessions.ts';
import { sessionRoutes } from '../../../services/api/console/console-routes.ts';
import { Codec } from '../../../services/messages/codec.ts';
import { EmbeddedSchemaIds } from '../../../services/messages/schema-ids.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { openApiDocument } from '../../../services/api/openapi.ts';
import { ChangesWatch } from '../../../services/api/audiences/changes-watch.ts';
import { ProgressWatch } from '../../../services/api/receipts/progress-watch.ts';
import { readingRoutes } from '../../../services/api/routes.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { createLogger } from '../../../services/runtime/logger.ts';
import { MemoryProcessStore } from '../../../services/stores/service-state/process-store.ts';
import type { Profile } from '../../../services/stores/profiles/profile.ts';
import {
  type AuthenticatedKey,
  type KeyRing,
  DEFAULT_SETTINGS,
  type Project,
  type Scope,
} from '../../../services/stores/projects/project-store.ts';
import { FaultyLog } from '../event-log/faulty-log.ts';
import { MemoryLog } from '../event-log/memory-log.ts';
import { MemoryAudienceStore, NOT_LIVE } from './memory-audience-store.ts';
import { MemoryAdmin, SCHEDULE } from './admin-fakes.ts';
import { MemoryConsoleSessions } from './memory-console-sessions.ts';
import { MemoryAuditLog } from './memory-audit-log.ts';
import { MemoryEndpointStore } from './memory-endpoint-store.ts';
import { MemoryRefusalStore } from './memory-refusal-store.ts';
import { MemoryStoreFigures } from './memory-store-figures.ts';
import { type KeptEvent, MemoryAnalytics, MemoryProfiles, MemoryProgress, type GivenEvent } from './reading-fakes.ts';

export const READ_KEY = 'read-key-of-the-first-project';
export const WRITE_KEY = 'write-key-of-the-first-project';
/** Also with the scope `audiences`, as that of the other project. */
export const AUDIENCES_KEY = 'audiences-key-of-the-first-project';
export const ADMIN_KEY = 'admin-key-of-the-installation';
export const OTHER_READ_KEY = 'read-key-of-the-other-project';

/** A key that has each scope. */
export const SCOPE_KEYS = {
  write: WRITE_KEY,
  read: READ_KEY,
  audiences: AUDIENCES_KEY,
  admin: ADMIN_KEY,
} as const satisfies Record<Scope, string>;

function projectNamed(id: string, rateLimit: number | null = null): Project {
  const settings = { timezone: 'UTC', rateLimit, ...DEFAULT_SETTINGS };
  return { id, name: id, ...settings, sessionSecret: Buffer.alloc(32, id), createdAtMs: 0 };
}

export const PROJECT = projectNamed('proj_00000000000000000001');
export const OTHER_PROJECT = projectNamed('proj_00000000000000000002');

/** The read endpoints, and all others, on a free port of the loopback, over stores in memory. */
export class ReadingServer {
  readonly log = new FaultyLog();
  readonly codec = new Codec(new EmbeddedSchemaIds());
  readonly profiles = new MemoryProfiles();
  readonly analytics: MemoryAnalytics = Object.assign(new MemoryAnalytics(), { hasCatalog: false });
  readonly progress = new MemoryProgress();
  readonly saved = new MemoryAudienceStore();
  readonly endpoints = new MemoryEndpointStore((project, id) => this.saved.audiences.get(id)?.projectId === project);
  readonly audit = new MemoryAuditLog();
  readonly admin = new MemoryAdmin();
  /** Whether there is room for files that are uploaded. */
  hasRoom = true;
  readonly imports = {
    imports: this.admin.ports.imports,
    jobs: this.admin.runner,
    files: new UploadedFiles(join(tmpdir(), `tidemark-${randomUUID()}`), {
      maxBytes: 4_096,
      hasRoom: () => this.hasRoom,
    }),
    takesFiles: true,
  };
  readonly processes = new MemoryProcessStore();
  readonly figures = new MemoryStoreFigures();
  readonly refusals = new MemoryRefusalStore();
  readonly sessions = new MemoryConsoleSessions();
  /** What sign-ins wait for. */
  lookups: Promise<void> | undefined;
  readonly refusalCounts = new RefusalCounts(this.refusals, createLogger('silent', new Writable()));
  /** What an evaluation is refused with. */
  evaluating: Error | undefined;
  readonly evaluator: AudienceEvaluator = {
    expectLive: () => (this.evaluating === undefined ? Promise.resolve() : Promise.reject(this.evaluating)),
    evaluate: async (projectId, id) => {
      const audience = await this.saved.find(projectId, id);
      if (audience === undefined) throw new TidemarkError('AUDIENCE_UNKNOWN', id);
      if (this.evaluating !== undefined) throw this.evaluating;
      const counts = { entered: 1, left: 0, members: 1 };
      return { ...audience, evaluation: { ...counts, at: 1_000_000n, version: audience.version, cause: 'first' } };
    },
  };
  readonly watch = new ProgressWatch(this.progress, 1);
  readonly changesWatch = new ChangesWatch(this.saved, 1);
  /** What the log holds. */
  readonly recorded = new MemoryLog();
  /** Where the log says that it ends, if not where `recorded` does. */
  ends: Awaited<ReturnType<EventLog['ends']>> = [];
  ready = true;
  readonly routes: readonly Route[];
  readonly http: HttpServer;
  /** Ends live streams, as a stop of the service does. */
  readonly listening = new AbortController();
  /** What `http` was made of. */
  readonly parts: AppParts;
  url = '';
  port = 0;
  #instantMs = 0;
  readonly #projects = [PROJECT, OTHER_PROJECT];
  readonly #ingestor: Ingestor;
  readonly #keys = new Map<string, AuthenticatedKey>([
    [READ_KEY, { id: 'key_read', name: null, project: PROJECT, scopes: ['read'] }],
    [WRITE_KEY, { id: 'key_write', name: null, project: PROJECT, scopes: ['write'] }],
    [AUDIENCES_KEY, { id: 'key_audiences', name: 'Jobs', project: PROJECT, scopes: ['read', 'audiences'] }],
    [ADMIN_KEY, { id: 'key_admin', name: 'Operators', project: null, scopes: ['admin'] }],
    [OTHER_READ_KEY, { id: 'key_other', name: null, project: OTHER_PROJECT, scopes: ['read', 'audiences'] }],
  ]);

  private constructor(options: Partial<ServerOptions>) {
    const [registry, logger] = [new Registry(), createLogger('silent', new Writable())];
    this.#ingestor = new Ingestor({
      log: this.log,
      codec: this.codec,
      clock: new IngestClock({ maxSkewMs: 60_000 }),
      maxUnacknowledgedBytes: 1_000_000,
      registry,
      logger,
    });
    const sets = this.#routeSets(registry);
    const table = new RouteTable(sets);
    const keys: KeyRing = {
      find: (key) => this.#keys.get(key),
      findProject: (idOrName) => this.#projects.find(({ id }) => id === idOrName),
    };
    const sessions = this.#consoleSessions();
    this.routes = sets.flatMap(({ routes }) => routes);
    const maxReceivingBytes = 64 * 1_024 * 1_024;
    const onRefusal: AppParts['onRefusal'] = (call, refusal) => this.refusalCounts.add(call, refusal);
    this.parts = { table, keys, registry, logger, maxReceivingBytes, audit: this.audit, onRefusal, sessions };
    this.http = createHttpServer(this.parts, options);
  }

  static async start(options: Partial<ServerOptions> = {}): Promise<ReadingServer> {
    const server = new ReadingServer(options);
    const { port } = await server.http.listen('127.0.0.1', 0);
    server.port = port;
    server.url = `http://127.0.0.1:${port}`;
    return server;
  }

  /** A key of a project of its own, which has this rate limit. */
  addLimitedKey(scope: Scope, rateLimit: number): string {
    const key = `limited-key-${this.#keys.size}`;
    const project = projectNamed(`proj_${key}`, rateLimit);
    this.#keys.set(key, { id: `key_${key}`, name: null, project, scopes: [scope] });
    return key;
  }

  /** @param key Its text. */
  revoke(key: string): void {
    this.#keys.delete(key);
  }

  removeProject(projectId: string): void {
    this.#projects.splice(0, Infinity, ...this.#projects.filter(({ id }) => id !== projectId));
  }

  /** A known user of the project, of whom nothing else is known. */
  addProfile(userId: string, changes: Partial<Profile> = {}): Profile {
    const projectId = PROJECT.id;
    const seen = { firstSeen: 1_000_000n, lastSeen: 2_000_000n };
    const user = { projectId, userKey: userKeyOf(projectId, userId), userId };
    const profile = { ...user, anonymous: null, anonymousIds: [], traits: '{}', ...seen, ...changes };
    this.profiles.profiles.push(profile);
    return profile;
  }

  addEvent(userId: string, event: GivenEvent): KeptEvent {
    return this.analytics.add({ projectId: PROJECT.id, userKey: userKeyOf(PROJECT.id, userId) }, event);
  }

  /** A saved audience, as it is before anything was done to it but these changes. */
  addAudience(id: string, { projectId = PROJECT.id, ...changes }: Partial<SavedAudience> = {}): SavedAudience {
    const defined = { definition: '{"trait":"tier","is":"gold"}', version: 1, revision: 1, refreshMs: null };
    const never = { createdAtMs: 0, updatedAtMs: 0, evaluation: null, failure: null, ...NOT_LIVE };
    const audience = { id, projectId, name: id, note: '', tags: [], ...defined, ...never, ...changes };
    this.saved.audiences.set(id, audience);
    return audience;
  }

  /** The uploaded file that the examples of the OpenAPI document name. */
  async placeUpload(): Promise<string> {
    const id = 'file_0123456789abcdef0123';
    const folder = join(this.imports.files.folder, id);
    await mkdir(folder, { recursive: true });
    await Promise.all(['name', 'data'].map((file) => writeFile(join(folder, file), 'history.csv')));
    return id;
  }

  request(path: string, init: RequestInit = {}, key = AUDIENCES_KEY): Promise<Response> {
    return fetch(this.url + path, { ...init, headers: { api_key: key, 'content-type': 'application/json' } });
  }

  async stop(): Promise<void> {
    this.watch.stop();
    await this.admin.runner.stop();
    this.imports.files.close();
    await rm(this.imports.files.folder, { recursive: true, force: true });
    this.changesWatch.stop();
    this.#ingestor.close();
    await this.http.close(1_000);
  }

  #routeSets(registry: Registry): RouteSet[] {
    const { analytics, watch, endpoints, processes, figures, refusals, progress, recorded, codec } = this;
    const log = {
      ends: async (topics: readonly string[]) => {
        await this.recorded.check();
        return this.ends.length > 0 ? this.ends : this.recorded.ends(topics);
      },
      scan: this.recorded.scan.bind(this.recorded),
    };
    const readiness = () => ({ ready: this.ready, parts: { ingest: this.#ingestor.state } });
    const folders = { dataDir: '/nowhere', log: undefined, profiles: undefined, analytics: undefined };
    const projects = { listProjects: async () => [PROJECT, OTHER_PROJECT] };
    const status = { log: recorded, codec, progress, processes, figures, refusals, folders, readiness };
    return [
      { routes: statusRoutes({ role: 'all', schedule: SCHEDULE, ...status }) },
      { routes: sessionRoutes({ sessions: this.#consoleSessions(), projects, isOnKafka: false }) },
      operationRoutes({ readiness, registry, openapi: openApiDocument('/legacy') }),
      adminRoutes({ ...this.admin.ports, figures, timezone: 'UTC', schedule: SCHEDULE }),
      importRoutes(this.imports),
      { routes: publicRoutes(this.#ingestor, this.refusalCounts) },
      { routes: twoStepRoutes(this.#ingestor, '/legacy'), twoStepBase: '/legacy' },
      readingRoutes({
        profiles: this.profiles,
        erasures: this.admin.ports.erasures,
        leftOut: () => figures.leftOut(),
        analytics,
        watch,
        changesWatch: this.changesWatch,
        log,
        codec: this.codec,
        saved: this.saved,
        audit: this.audit,
        projects,
        refusals: this.refusals,
        evaluator: this.evaluator,
        endpoints,
        endpointTester: this.endpoints,
        addresses: this.endpoints.addresses,
        get isOnKafka() {
          return endpoints.isOnKafka;
        },
        limitsOf: (project) => limitsOf(project, { maxMs: 1_000, maxMemoryBytes: 1e9, maxRowsRead: 1e9 }),
        receiptsAtOnce: 4,
        changesAtOnce: 4,
        stopping: this.listening.signal,
        // Later than any answer is kept, each time.
        monotonicMs: () => (this.#instantMs += 3_600_000),
      }),
    ];
  }

  #consoleSessions(): ConsoleSessions {
    const find = async (key: string) => {
      await this.lookups;
      return this.#keys.get(key);
    };
    const findById = async (id: string) => [...this.#keys.values()].find((key) => key.id === id);
    return new ConsoleSessions({ store: this.sessions, keys: { find, findById } });
  }
}
