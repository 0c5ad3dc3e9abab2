/** A project with watches, by a clock that the test sets, and whom they tell. */
import { RowChunks } from '../../../services/consumers/sink/row-chunks.ts';
import { rowsOf } from '../../../services/consumers/sink/row.ts';
import type { Track } from '../../../services/messages/message.ts';
import { microsAt } from '../../../services/messages/timestamp.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { SqlWatchStore } from '../../../services/questions/watches/sql-watch-store.ts';
import type { Concern, Watch, WatchClaim } from '../../../services/questions/watches/watch.ts';
import { Watches } from '../../../services/questions/watches/watches.ts';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { SqlRefusalStore } from '../../../services/stores/service-state/sql-refusal-store.ts';
import type { WebhookType } from '../../../services/webhooks/endpoint-store.ts';
import { note } from '../../../services/webhooks/notices.ts';
import { SqlEndpointStore } from '../../../services/webhooks/sql-endpoint-store.ts';
import { SETTINGS } from '../../contract/endpoint-store.ts';
import { AMPLE, insert, MessageMaker } from '../stores/analytics.ts';

export const WATCHED_MINUTE = 60_000;
export const WATCHED_HOUR = 60 * WATCHED_MINUTE;
const WATCH_TYPES: readonly WebhookType[] = ['watch.raised', 'watch.ended', 'attention.raised', 'attention.ended'];

interface Saved {
  readonly question: object;
  readonly rule: object;
  readonly endpoints?: readonly string[] | null;
}

interface Passing {
  /** An event that is sent, and the minutes between two. */
  readonly sends?: string;
  readonly every?: number;
  /** Minutes between two looks. */
  readonly step?: number;
  /** How many evaluate at once. */
  readonly processes?: number;
}

export class WatchScene {
  readonly projectId: string;
  nowMs: number;
  attention: readonly Concern[] | undefined = [];
  readonly #analytics: AnalyticsStore;
  readonly #database: Database;
  readonly #store: SqlWatchStore;
  readonly #maker: MessageMaker;
  readonly #timezone: string;
  readonly #watches: Watches;
  #sinkAtMs: number | null = null;
  #takenSinceMs = 0;
  #isCrashing = false;
  #offset = 0n;

  private constructor(
    analytics: AnalyticsStore,
    database: Database,
    projectId: string,
    nowMs: number,
    timezone: string,
  ) {
    this.projectId = projectId;
    this.nowMs = nowMs;
    this.#analytics = analytics;
    this.#database = database;
    this.#timezone = timezone;
    this.#store = new SqlWatchStore(database);
    this.#maker = new MessageMaker(projectId);
    this.#watches = new Watches({
      watches: this.#store,
      saved: new SqlAudienceStore(database, 100),
      projects: new SqlProjectStore(database),
      analytics,
      refusals: new SqlRefusalStore(database),
      losses: { expectNone: async () => undefined },
      limitsOf: () => AMPLE,
      traffic: async () => ({ sinceMs: this.#takenSinceMs, untilMs: this.#sinkAtMs ?? this.nowMs }),
      attention: async () => this.attention,
      tell: async (transaction, message) => {
        await note(transaction, message);
        if (this.#isCrashing) throw new Error('crashed');
      },
      logger: { warn: () => undefined },
      nowMs: () => this.nowMs,
      everyMs: 0,
    });
  }

  /** One endpoint of the project, and one of the installation, take all types of it. */
  static async make(
    analytics: AnalyticsStore,
    database: Database,
    { nowMs = Date.parse('2026-11-20T10:00:00Z'), timezone = 'UTC' } = {},
  ): Promise<WatchScene> {
    await database.script(
      "truncate projects, api_keys, audiences, endpoints, refusals cascade; delete from watches; insert into watches (id, name, definition) values ('attention', 'attention', '{}')",
    );
    const { id } = await new SqlProjectStore(database).createProject({ name: 'Shop', timezone, rateLimit: null });
    const scene = new WatchScene(analytics, database, id, nowMs, timezone);
    await scene.endpoint(WATCH_TYPES.slice(0, 2));
    await scene.endpoint(WATCH_TYPES.slice(2), null);
    return scene;
  }

  async save(name: string, { endpoints = null, ...body }: Saved): Promise<void> {
    await this.#store.save(this.projectId, name, JSON.stringify({ ...body, endpoints }));
  }

  /** Minutes pass: in each somebody looks, after what is sent. */
  async passes(minutes: number, { sends, every = 1, step = 1, processes = 1 }: Passing = {}): Promise<void> {
    for (let n = 0; n < minutes; n += step) {
      this.nowMs += step * WATCHED_MINUTE;
      if (sends !== undefined && n % every === 0) await this.sends(sends);
      await Promise.all(Array.from({ length: processes }, () => this.#lookOnce()));
    }
  }

  /** Each watch is due all the time: one look evaluates as many as there are. */
  async #lookOnce(): Promise<void> {
    const [row] = await this.#database.query<{ n: bigint }>('select count(*) as n from watches');
    for (let n = 0; n < Number(row?.n); n++) await this.#watches.evaluateNext();
  }

  /** Nobody looks meanwhile. */
  clockGoes(ms: number): void {
    this.nowMs += ms;
  }

  /** Up to when what arrives can be counted; null: all the time. */
  sinkStopsAt(ms: number | null): void {
    this.#sinkAtMs = ms;
  }

  restarted(): void {
    this.#takenSinceMs = this.nowMs;
  }

  /** Whoever evaluates dies before the transaction ends. */
  crashes(isCrashing: boolean): void {
    this.#isCrashing = isCrashing;
  }

  /** An event that arrives a second ago. */
  async sends(
    event: string,
    { messageId, ageMs = 0, properties = '{}' }: { messageId?: string; ageMs?: number; properties?: string } = {},
  ): Promise<void> {
    await this.#insert([
      this.#event(event, this.nowMs - 1_000, { properties, ageMs, ...(messageId && { messageId }) }),
    ]);
  }

  /** Events that arrived in this time, `rate` minutes between two. */
  async hasSent(
    event: string,
    { fromMs, toMs, rate }: { fromMs: number; toMs: number; rate: (ms: number) => number },
  ): Promise<void> {
    const events: Track[] = [];
    for (let ms = fromMs; ms < toMs; ms += WATCHED_MINUTE) {
      if (Math.floor(ms / WATCHED_MINUTE) % rate(ms) === 0) events.push(this.#event(event, ms + 1));
    }
    await this.#insert(events);
  }

  /** Imports an event of each of the last days, and some of these minutes. */
  async imports(event: string, days: number): Promise<void> {
    const ages = Array.from({ length: days }, (_, day) => day * 24 * WATCHED_HOUR);
    const chunks = new RowChunks();
    for (const ageMs of [...ages, ...ages.map((_, n) => (n % 30) * 1_000)]) {
      const message = this.#event(event, this.nowMs - 1_000, { ageMs });
      chunks.addAll(rowsOf(message, { topic: 'tidemark.import-track', partition: 0, offset: this.#offset++ }));
    }
    await this.#analytics.insert([], chunks.rows());
  }

  async rejects(count: number): Promise<void> {
    const group = { projectId: this.projectId, keyId: 'k', path: '/v1/track', code: 'invalid-body', pointer: '' };
    const texts = { message: 'no', example: null, userAgent: null };
    const times = { firstAtMs: this.nowMs, lastAtMs: this.nowMs };
    await new SqlRefusalStore(this.#database).add([{ ...group, ...texts, ...times, count }]);
  }

  /** An audience of this size, which is evaluated now. Resolves with its id. */
  async audienceOf(members: number, known?: string): Promise<string> {
    const store = new SqlAudienceStore(this.#database, 100);
    const saved = { name: 'Pro', definition: '{"trait":"plan","is":"pro"}', refreshMs: null };
    const id = known ?? (await store.create(this.projectId, saved)).id;
    const sql = `update audiences set evaluated_at = 1, evaluated_version = 1, evaluated_cause = 'first', entered = 0,
                   left_members = 0, members = $2::int8 where id = $1`;
    await this.#database.query(sql, [id, BigInt(members)]);
    return id;
  }

  /** Sizes that an audience had, as evaluations of a version of its definition. */
  async hadSizes(id: string, sizes: readonly { at: string; members: number; version?: number }[]): Promise<void> {
    for (const { at, members, version = 1 } of sizes)
      await this.#database.query(
        `insert into audience_evaluations (audience_id, evaluated_at, version, cause, members, entered, left_members)
         values ($1, $2::int8, $3::int4, 'refresh', $4::int8, 0, 0)`,
        [id, microsAt(Date.parse(at)), version, BigInt(members)],
      );
  }

  async endpoint(types: readonly WebhookType[], projectId: string | null = this.projectId): Promise<string> {
    return (await new SqlEndpointStore(this.#database).create(projectId, { ...SETTINGS, types })).endpoint.id;
  }

  /** What the first endpoints of the scene are told: the type, and the sentence. */
  async messages(): Promise<readonly string[]> {
    const sql = `select d.type, d.notice from endpoint_deliveries d
                 where endpoint_id in (select id from endpoints where cardinality(types) > 1) order by sequence`;
    const rows = await this.#database.query<Record<'type' | 'notice', string>>(sql);
    return rows.map(({ type, notice }) => `${type} ${(JSON.parse(notice) as { text: string }).text}`);
  }

  async typesTo(endpoint: string): Promise<readonly string[]> {
    const sql = 'select type from endpoint_deliveries where endpoint_id = $1 order by sequence';
    return (await this.#database.query<{ type: string }>(sql, [endpoint])).map(({ type }) => type);
  }

  async watch(name: string): Promise<Watch> {
    const found = (await this.#store.list(this.projectId)).find((one) => one.name === name);
    if (found === undefined) throw new Error(`no watch ${name}`);
    return found;
  }

  async stateOf(name: string): Promise<Watch['state']> {
    return (await this.watch(name)).state;
  }

  async value(name: string): Promise<number | undefined> {
    return (await this.stateOf(name)).value;
  }

  /** Claims all watches of the project, and keeps them. */
  async claims(): Promise<readonly WatchClaim[]> {
    const claims: WatchClaim[] = [];
    for (
      let claim = await this.#store.claimDue(WATCHED_HOUR, 0, '');
      claim;
      claim = await this.#store.claimDue(WATCHED_HOUR, 0, '')
    ) {
      if (claim.watch.projectId !== null) claims.push(claim);
    }
    return claims;
  }

  commitRaised(claim: WatchClaim | undefined): Promise<boolean> {
    if (claim === undefined) throw new Error('nothing is claimed');
    const message = { type: 'watch.raised', projectId: this.projectId, data: { text: 'delayed' } } as const;
    return this.#store.commit(claim, { raisedAtMs: 1 }, [message], note);
  }

  localHour(ms: number): number {
    const options = { timeZone: this.#timezone, hour: 'numeric', hourCycle: 'h23' } as const;
    return Number(new Intl.DateTimeFormat('en', options).format(ms));
  }

  #event(event: string, atMs: number, { ageMs = 0, ...given }: { ageMs?: number } & Partial<Track> = {}): Track {
    const times = { receivedAt: BigInt(atMs) * 1_000n, timestamp: BigInt(atMs - ageMs) * 1_000n };
    return this.#maker.track({ event, ...times, ...given });
  }

  async #insert(events: readonly Track[]): Promise<void> {
    await insert(this.#analytics, events, this.#offset);
    this.#offset += BigInt(events.length);
  }
}
