import { Writable } from 'node:stream';
import { Registry } from 'prom-client';
import type { EventLog } from '../../services/event-log/event-log.ts';
import { createApp } from '../../services/http/app.ts';
import type { AuthenticatedKey, KeyRing } from '../../services/http/key-ring.ts';
import { RouteTable } from '../../services/http/route-table.ts';
import { HttpServer } from '../../services/http/server.ts';
import { userKeyOf } from '../../services/messages/user-key.ts';
import type { Profile } from '../../services/profiles/profile.ts';
import type { Project } from '../../services/projects/project-store.ts';
import { ProgressWatch } from '../../services/reading/progress-watch.ts';
import { readingRoutes } from '../../services/reading/routes.ts';
import { createLogger } from '../../services/runtime/logger.ts';
import { type KeptEvent, MemoryAnalytics, MemoryProfiles, MemoryProgress } from './reading-fakes.ts';

export const READ_KEY = 'read-key-of-the-first-project';
export const WRITE_KEY = 'write-key-of-the-first-project';
export const OTHER_READ_KEY = 'read-key-of-the-other-project';

function projectNamed(id: string): Project {
  return { id, name: id, timezone: 'UTC', rateLimit: null, sessionSecret: Buffer.alloc(32, id), createdAtMs: 0 };
}

export const PROJECT = projectNamed('proj_00000000000000000001');
const OTHER_PROJECT = projectNamed('proj_00000000000000000002');

const KEYS = new Map<string, AuthenticatedKey>([
  [READ_KEY, { project: PROJECT, scope: 'read' }],
  [WRITE_KEY, { project: PROJECT, scope: 'write' }],
  [OTHER_READ_KEY, { project: OTHER_PROJECT, scope: 'read' }],
]);
const keys: KeyRing = { find: (key) => KEYS.get(key) };

/** The read endpoints on a free port of the loopback, over stores in memory. */
export class ReadingServer {
  readonly profiles = new MemoryProfiles();
  readonly analytics = new MemoryAnalytics();
  readonly progress = new MemoryProgress();
  readonly watch = new ProgressWatch(this.progress, 1);
  ends: Awaited<ReturnType<EventLog['ends']>> = [];
  readonly http: HttpServer;
  url = '';

  private constructor() {
    const { profiles, analytics, watch } = this;
    const log = { ends: () => Promise.resolve(this.ends) };
    const table = new RouteTable([readingRoutes({ profiles, analytics, watch, log })]);
    const logger = createLogger('silent', new Writable());
    const app = createApp({ table, keys, registry: new Registry(), logger });
    this.http = new HttpServer(app.callback(), (path) => table.styleOf(path));
  }

  static async start(): Promise<ReadingServer> {
    const server = new ReadingServer();
    const { port } = await server.http.listen('127.0.0.1', 0);
    server.url = `http://127.0.0.1:${port}`;
    return server;
  }

  /** A known user of the project, of whom nothing else is known. */
  addProfile(userId: string, changes: Partial<Profile> = {}): Profile {
    const projectId = PROJECT.id;
    const seen = { firstSeen: 1_000_000n, lastSeen: 2_000_000n };
    const profile = {
      projectId,
      userKey: userKeyOf(projectId, userId),
      userId,
      anonymous: null,
      traits: '{}',
      ...seen,
    };
    this.profiles.profiles.push({ ...profile, ...changes });
    return { ...profile, ...changes };
  }

  addEvent(userId: string, event: Partial<KeptEvent> & Pick<KeptEvent, 'messageId'>): KeptEvent {
    const place = { projectId: PROJECT.id, userKey: userKeyOf(PROJECT.id, userId) };
    const times = { timestamp: 1_000_000n, receivedAt: 1_000_000n };
    const kept = { ...place, ...times, event: 'Ran', sessionId: null, properties: '{}', ...event };
    this.analytics.events.push(kept);
    return kept;
  }

  request(path: string, init: RequestInit = {}, key = READ_KEY): Promise<Response> {
    return fetch(this.url + path, { ...init, headers: { api_key: key, 'content-type': 'application/json' } });
  }

  async stop(): Promise<void> {
    this.watch.stop();
    await this.http.close(1_000);
  }
}
