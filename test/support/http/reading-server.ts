import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Registry } from 'prom-client';
import type { AudienceScheduler } from '../../../services/questions/saved/audience-scheduler.ts';
import type { SavedAudience } from '../../../services/questions/saved/audience-store.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import type { EventLog } from '../../../services/event-log/event-log.ts';
import type { ImportParts } from '../../../services/api/admin/imports/import-answers.ts';
import { UploadedFiles } from '../../../services/api/admin/imports/uploaded-files.ts';
import { type AppParts, createHttpServer } from '../../../services/http/app.ts';
import { RouteTable } from '../../../services/http/route-table.ts';
import type { Route } from '../../../services/http/route.ts';
import type { HttpServer, ServerOptions } from '../../../services/http/server.ts';
import { Ingestor } from '../../../services/ingest/ingestor.ts';
import { IngestClock } from '../../../services/ingest/ingest-clock.ts';
import { RefusalCounts } from '../../../services/ingest/refusal-counts.ts';
import { ConsoleSessions } from '../../../services/api/console/console-sessions.ts';
import { Codec } from '../../../services/messages/codec.ts';
import { EmbeddedSchemaIds } from '../../../services/messages/schema-ids.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { ChangesWatch } from '../../../services/api/audiences/changes-watch.ts';
import { ProgressWatch } from '../../../services/api/receipts/progress-watch.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { createLogger } from '../../../services/runtime/logger.ts';
import { SqlConsoleSessionStore } from '../../../services/stores/service-state/console-session-store.ts';
import { MemoryProcessStore } from '../../../services/stores/service-state/process-store.ts';
import { SqlAuditLog } from '../../../services/stores/service-state/sql-audit-log.ts';
import { SqlRefusalStore } from '../../../services/stores/service-state/sql-refusal-store.ts';
import type { Profile } from '../../../services/stores/profiles/profile.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import {
  type AuthenticatedKey,
  type KeyRing,
  DEFAULT_SETTINGS,
  type Project,
  type Scope,
} from '../../../services/stores/projects/project-store.ts';
import { FaultyLog } from '../event-log/faulty-log.ts';
import { MemoryLog } from '../event-log/memory-log.ts';
import { insertAudience, insertProfile } from './inserted-rows.ts';
import { routeSetsOf } from './reading-routes.ts';
import { AdminParts } from './admin-parts.ts';
import { type KeptEvent, MemoryAnalytics, MemoryProgress, type GivenEvent } from './reading-fakes.ts';
import { type BreakableDatabase, breakableDatabase } from '../stores/breakable-database.ts';
import { SqlStoreFigures } from '../../../services/operations/status/store-figures.ts';
import { SqlEndpointStore } from '../../../services/webhooks/sql-endpoint-store.ts';

export const READ_KEY = 'read-key-of-the-first-project';
export const WRITE_KEY = 'write-key-of-the-first-project';
/** Also with the scope `audiences`, as that of the other project. */
export const AUDIENCES_KEY = 'audiences-key-of-the-first-project';
export const FLAGS_KEY = 'flags-key-of-the-first-project';
export const ADMIN_KEY = 'admin-key-of-the-installation';
export const OTHER_READ_KEY = 'read-key-of-the-other-project';

/** A key that has each scope. */
export const SCOPE_KEYS = {
  write: WRITE_KEY,
  read: READ_KEY,
  audiences: AUDIENCES_KEY,
  admin: ADMIN_KEY,
  flags: FLAGS_KEY,
} as const satisfies Record<Scope, string>;

/** What an audience that is not live has. */
const NOT_LIVE = { isLive: false, liveThrough: null, isFollowed: false } as const;

function projectNamed(id: string, rateLimit: number | null = null): Project {
  const settings = { timezone: 'UTC', rateLimit, ...DEFAULT_SETTINGS, eventsFrom: null };
  return { id, name: id, ...settings, sessionSecret: Buffer.alloc(32, id), createdAtMs: 0 };
}

export const PROJECT = projectNamed('proj_00000000000000000001');
export const OTHER_PROJECT = projectNamed('proj_00000000000000000002');

/** The read endpoints, and all others, on a free port of the loopback, on the worker's database. */
export class ReadingServer {
  readonly logger = createLogger('silent', new Writable());
  readonly log = new FaultyLog();
  readonly codec = new Codec(new EmbeddedSchemaIds());
  readonly database: BreakableDatabase;
  readonly profiles: SqlProfileStore;
  readonly analytics: MemoryAnalytics = Object.assign(new MemoryAnalytics(), { hasCatalog: false });
  readonly progress = new MemoryProgress();
  readonly saved: SqlAudienceStore;
  readonly endpoints: SqlEndpointStore;
  /** Whether endpoints may be topics. */
  isOnKafka = true;
  readonly audit: SqlAuditLog;
  readonly admin: AdminParts;
  /** Whether there is room for files that are uploaded. */
  hasRoom = true;
  readonly imports: Omit<ImportParts, 'takesFiles' | 'catalog'> & { takesFiles: boolean };
  readonly processes = new MemoryProcessStore();
  /** A test may say where data is. */
  readonly folders: Record<'dataDir', string> & Record<'log' | 'profiles' | 'analytics', string | undefined> = {
    dataDir: '/nowhere',
    log: undefined,
    profiles: undefined,
    analytics: undefined,
  };
  readonly figures: SqlStoreFigures;
  readonly refusals: SqlRefusalStore;
  readonly sessions: SqlConsoleSessionStore;
  /** What sign-ins wait for. */
  lookups: Promise<void> | undefined;
  readonly refusalCounts: RefusalCounts;
  /** What an evaluation is refused with. */
  evaluating: Error | undefined;
  readonly evaluator: Pick<AudienceScheduler, 'evaluate' | 'expectLive'> = {
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
  readonly changesWatch: ChangesWatch;
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
  readonly #projects = [PROJECT, OTHER_PROJECT];
  readonly #ingestor: Ingestor;
  readonly #keys = new Map<string, AuthenticatedKey>([
    [READ_KEY, { id: 'key_read', name: null, project: PROJECT, scopes: ['read'] }],
    [WRITE_KEY, { id: 'key_write', name: null, project: PROJECT, scopes: ['write'] }],
    [AUDIENCES_KEY, { id: 'key_audiences', name: 'Jobs', project: PROJECT, scopes: ['read', 'audiences'] }],
    [FLAGS_KEY, { id: 'key_flags', name: 'Pages', project: PROJECT, scopes: ['flags'] }],
    [ADMIN_KEY, { id: 'key_admin', name: 'Operators', project: null, scopes: ['admin'] }],
    [OTHER_READ_KEY, { id: 'key_other', name: null, project: OTHER_PROJECT, scopes: ['read', 'audiences'] }],
  ]);

  private constructor(database: BreakableDatabase, options: Partial<ServerOptions>) {
    const registry = new Registry();
    const { logger } = this;
    this.database = database;
    this.profiles = new SqlProfileStore(database, 1);
    this.saved = new SqlAudienceStore(database, 100);
    this.changesWatch = new ChangesWatch(this.saved, 1);
    this.endpoints = new SqlEndpointStore(database);
    this.audit = new SqlAuditLog(database);
    this.admin = new AdminParts(database);
    this.figures = new SqlStoreFigures(database, this.analytics);
    this.refusals = new SqlRefusalStore(database);
    this.refusalCounts = new RefusalCounts(this.refusals, logger);
    this.sessions = new SqlConsoleSessionStore(database);
    this.imports = this.#imports();
    this.#ingestor = new Ingestor({
      log: this.log,
      codec: this.codec,
      clock: new IngestClock({ maxSkewMs: 60_000 }),
      maxUnacknowledgedBytes: 1_000_000,
      registry,
      logger,
    });
    const sessions = this.#consoleSessions();
    const sets = routeSetsOf(this, { registry, sessions, ingestor: this.#ingestor });
    const table = new RouteTable(sets);
    const keys: KeyRing = {
      find: (key) => this.#keys.get(key),
      findProject: (idOrName) => this.#projects.find(({ id }) => id === idOrName),
    };
    this.routes = sets.flatMap(({ routes }) => routes);
    const maxReceivingBytes = 64 * 1_024 * 1_024;
    const onRefusal: AppParts['onRefusal'] = (call, refusal) => this.refusalCounts.add(call, refusal);
    this.parts = { table, keys, registry, logger, maxReceivingBytes, audit: this.audit, onRefusal, sessions };
    this.http = createHttpServer(this.parts, options);
  }

  static async start(options: Partial<ServerOptions> = {}): Promise<ReadingServer> {
    const database = await breakableDatabase();
    const server = new ReadingServer(database, options);
    for (const project of [PROJECT, OTHER_PROJECT]) await server.admin.projects.addLostProject(project);
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
  async addProfile(userId: string, changes: Partial<Profile> = {}): Promise<Profile> {
    const projectId = PROJECT.id;
    const seen = { firstSeen: 1_000_000n, lastSeen: 2_000_000n };
    const user = { projectId, userKey: userKeyOf(projectId, userId), userId };
    const profile = { ...user, anonymous: null, anonymousIds: [], joinedIds: null, traits: '{}', ...seen, ...changes };
    await insertProfile(this.database.real, profile);
    return profile;
  }

  addEvent(userId: string, event: GivenEvent): KeptEvent {
    return this.analytics.add({ projectId: PROJECT.id, userKey: userKeyOf(PROJECT.id, userId) }, event);
  }

  /** A saved audience, as it is before anything was done to it but these changes. */
  async addAudience(
    id: string,
    { projectId = PROJECT.id, ...changes }: Partial<SavedAudience> = {},
  ): Promise<SavedAudience> {
    const defined = { definition: '{"trait":"tier","is":"gold"}', version: 1, revision: 1, refreshMs: null };
    const never = { createdAtMs: 0, updatedAtMs: 0, evaluation: null, failure: null, ...NOT_LIVE };
    const audience = { id, projectId, name: id, note: '', tags: [], ...defined, ...never, ...changes };
    await insertAudience(this.database.real, audience);
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

  #imports(): ReadingServer['imports'] {
    const files = new UploadedFiles(join(tmpdir(), `tidemark-${randomUUID()}`), {
      maxBytes: 4_096,
      hasRoom: () => this.hasRoom,
    });
    const { ports, projects, runner } = this.admin;
    return { imports: ports.imports, projects, jobs: runner, files, takesFiles: true };
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
