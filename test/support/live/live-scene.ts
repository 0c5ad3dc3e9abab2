import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { Joins } from '../../../services/consumers/sink/joins.ts';
import type { TouchedUser } from '../../../services/consumers/sink/touched.ts';
import type { Message, Micros } from '../../../services/messages/message.ts';
import { EpochFolder } from '../../../services/questions/live/epoch-folder.ts';
import { LiveAudiences, type LiveParts } from '../../../services/questions/live/live-audiences.ts';
import { SqlLiveStore } from '../../../services/questions/live/sql-live-store.ts';
import { SqlTouches } from '../../../services/questions/live/sql-touches.ts';
import { AudienceScheduler } from '../../../services/questions/saved/audience-scheduler.ts';
import type { SavedAudience } from '../../../services/questions/saved/audience-store.ts';
import { readableChanges } from '../../../services/questions/saved/readable-history.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import type { AnalyticsStore } from '../../../services/stores/analytics/analytics-store.ts';
import { userNumber } from '../../../services/stores/analytics/columns.ts';
import type { LiveHistory } from '../../../services/stores/analytics/live-history.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlJoinDecisions } from '../../../services/stores/profiles/sql-join-decisions.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { AMPLE, insert } from '../stores/analytics.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const losses = { expectNone: async () => undefined };
const BEFORE_ALL = { at: BigInt(Date.UTC(1900, 0)) * 1000n, user: 0n };

/** What of a tick fails once: what is named is done before it, or not. */
export type Fault =
  'changes are refused' | 'changes are written' | 'it is refused' | 'it counts' | 'members are refused';

/** Live audiences of one project on stores that exist, with a clock that can be put forward. */
export class LiveScene {
  readonly saved: SqlAudienceStore;
  readonly projectId: string;
  readonly joinsIds: boolean;
  fault: Fault | undefined;
  /** What the members of a tick wait for before they are written. */
  membersGate: Promise<void> | undefined;
  /** The people who were forgotten, as `ErasedUsers`. */
  readonly forgotten = new Map<string, Micros>();
  readonly #analytics: AnalyticsStore;
  readonly #database: Database;
  #ahead = 0n;
  #generation = 1;
  #processes: readonly { readonly live: LiveAudiences; readonly scheduler: AudienceScheduler }[] = [];
  /** Where there are several processes. */
  #touches: SqlTouches | undefined;
  readonly #inserted: Message[] = [];
  readonly #joins: Joins;
  #numbers = 0n;

  private constructor(analytics: AnalyticsStore, database: Database, projectId: string, joinsIds: boolean) {
    this.joinsIds = joinsIds;
    this.#analytics = analytics;
    this.#database = database;
    this.projectId = projectId;
    this.saved = new SqlAudienceStore(database, 100);
    const nextNumber = () => Promise.resolve((this.#numbers += 1n));
    const joins = Object.assign(new SqlJoinDecisions(database), { nextNumber });
    this.#joins = new Joins({ analytics, plans: { joins } });
  }

  static async begin(
    analytics: AnalyticsStore,
    database: Database,
    projectId: string,
    joinIds = false,
  ): Promise<LiveScene> {
    await database.script('truncate projects, api_keys, audiences, live_epochs, join_decisions cascade');
    const { id } = await new SqlProjectStore(database).createProject({
      name: 'Shop',
      timezone: 'UTC',
      rateLimit: null,
    });
    await database.query('update projects set id = $2, join_ids = $3 where id = $1', [id, projectId, joinIds]);
    return new LiveScene(analytics, database, projectId, joinIds);
  }

  /** @param rest What live audiences do after each tick. */
  start(rest?: (workedMs: number, stopping: AbortSignal) => Promise<void>): void {
    this.#processes = [this.#process({ ...(rest && { rest }) })];
  }

  /** Two processes, one of which follows the audiences, and is told by the database what is inserted. */
  startTwo(): void {
    this.#touches = new SqlTouches(this.#database);
    this.#processes = [this.#process({ touches: this.#touches }), this.#process({ touches: this.#touches })];
  }

  /** The process that follows the audiences goes on although another one may follow them now. */
  async overtake(): Promise<void> {
    const store = this.#store();
    const { epoch } = await store.open(true);
    await store.release(epoch);
  }

  #process(parts: Pick<LiveParts, 'rest' | 'touches'>): { live: LiveAudiences; scheduler: AudienceScheduler } {
    const projects = new SqlProjectStore(this.#database);
    const common = { projects, losses, limits: AMPLE, logger: silent };
    const { saved, store, history } = { saved: this.saved, store: this.#store(), history: this.#history() };
    const analytics = {
      ask: this.#analytics.ask.bind(this.#analytics),
      askHistory: this.#analytics.askHistory.bind(this.#analytics),
      placementOf: this.#analytics.placementOf.bind(this.#analytics),
    };
    const more = {
      analytics,
      history,
      generationOf: async () => this.#generation,
      lagMs: async () => 0,
      leftOut: async () => this.forgotten,
      everyMs: 20,
      ...parts,
    };
    const live = new LiveAudiences({ ...common, ...more, store, saved });
    const scheduler = new AudienceScheduler({
      ...common,
      store: saved,
      history: this.#analytics,
      follower: live,
      everyMs: 20,
    });
    live.start();
    scheduler.start();
    return { live, scheduler };
  }

  /** How many audiences are followed, and whether anything follows inserts. */
  get follows(): readonly [following: number, wants: boolean] {
    const lives = this.#processes.map(({ live }) => live);
    const following = lives.reduce((sum, live) => sum + live.figures().following, 0);
    return [following, lives.some((live) => live.wants(this.#generation))];
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.flatMap(({ live, scheduler }) => [live.stop(), scheduler.stop()]));
  }

  /** Asks one process after the other to evaluate it, whichever follows it. */
  async evaluate(id: string): Promise<readonly SavedAudience[]> {
    const evaluated: SavedAudience[] = [];
    for (const { scheduler } of this.#processes) evaluated.push(await scheduler.evaluate(this.projectId, id));
    return evaluated;
  }

  /** Makes the epochs that are over one, as the service does an hour later. */
  async foldEpochs(): Promise<void> {
    await new EpochFolder({ store: this.#store(), history: this.#history(), logger: silent }).fold(0);
    const { length } = await this.saved.liveEpochs();
    if (length > 2) expect.fail(`${length} epochs are kept`);
  }

  save(name: string, definition: string): Promise<SavedAudience> {
    return this.saved.create(this.projectId, { name, definition, refreshMs: null, isLive: true });
  }

  edit(id: string, definition: string): Promise<SavedAudience> {
    return this.saved.update(this.projectId, id, { definition });
  }

  get messages(): readonly Message[] {
    return this.#inserted;
  }

  /** Inserts messages and tells of them, as the sink does. */
  async insert(messages: readonly Message[]): Promise<void> {
    const joined = await this.#insertUntold(messages);
    const named = messages.map((message) => ({ projectId: this.projectId, userKey: message.userKey, names: null }));
    const users = [...named, ...joined];
    if (this.#touches === undefined) for (const { live } of this.#processes) live.inserted(this.#generation, users);
    else if (await this.#touches.areWanted()) await this.#touches.write(this.#generation, users);
  }

  /** From now on another generation answers, which has these messages besides. Nobody who follows this one knows. */
  async swap(messages: readonly Message[]): Promise<void> {
    await this.#insertUntold(messages);
    this.#generation++;
  }

  async #insertUntold(messages: readonly Message[]): Promise<readonly TouchedUser[]> {
    await insert(this.#analytics, messages, BigInt(this.#inserted.length));
    this.#inserted.push(...messages);
    return this.#joins.keep([], messages, undefined);
  }

  putForward(micros: Micros): void {
    this.#ahead += micros;
  }

  /** Waits until every audience is as far as now, by its last definition, and resolves with how far it is. */
  async upToNow(ids: readonly string[]): Promise<ReadonlyMap<string, SavedAudience & { liveThrough: Micros }>> {
    const now = await this.#store().now(0n);
    const found = new Map<string, SavedAudience & { liveThrough: Micros }>();
    for (const id of ids) {
      for (const until = Date.now() + 60_000; ; await delay(10)) {
        const audience = await this.saved.find(this.projectId, id);
        const isOfDefinition = audience?.evaluation?.version === audience?.version;
        if (audience?.liveThrough && isOfDefinition && audience.liveThrough > now) {
          found.set(id, { ...audience, liveThrough: audience.liveThrough });
          break;
        }
        if (Date.now() > until) expect.fail(`audience ${id} does not follow: ${audience?.liveThrough} of ${now}`);
      }
    }
    return found;
  }

  /** The members as `difference` and the ticks know them, by internal id. */
  async members(id: string): Promise<Set<string>> {
    const sql = `SELECT user FROM audience_members FINAL WHERE audience_id = {id:String} AND change = 'entered'`;
    const { rows } = await this.#analytics.ask({ sql, params: { id } }, AMPLE);
    const byNumber = new Map(this.#inserted.map(({ userKey }) => [userNumber(userKey), userKey]));
    return new Set(rows.map(({ user }) => byNumber.get(user as string) ?? `unknown ${user as string}`));
  }

  /** The changes that can be read, folded; fails where somebody enters or leaves twice. */
  async folded(id: string, until: Micros): Promise<Set<string>> {
    const parts = { saved: this.saved, analytics: this.#analytics };
    const query = { projectId: this.projectId, audienceId: id, after: BEFORE_ALL, until, limit: null };
    const chunks = await Array.fromAsync(await readableChanges(parts, query, AMPLE));
    const members = new Set<string>();
    for (const line of Buffer.concat(chunks).toString().split('\n').slice(0, -1)) {
      const { internal_id: user, change } = JSON.parse(line) as Record<'internal_id' | 'change', string>;
      expect([line, members.has(user)]).toEqual([line, change === 'left']);
      if (change === 'entered') members.add(user);
      else members.delete(user);
    }
    return members;
  }

  #store(): SqlLiveStore {
    const store = new SqlLiveStore(this.#database);
    const changes: Partial<SqlLiveStore> = {
      now: async (after) => {
        const now = (await store.now(0n)) + this.#ahead;
        return now > after ? now : after + 1n;
      },
      advance: async (epoch, at, counts) => {
        if (counts.length > 0) this.#failIf('it is refused');
        const isDone = await store.advance(epoch, at, counts);
        if (counts.length > 0) this.#failIf('it counts');
        return isDone;
      },
    };
    return new Proxy(store, { get: (target, name: keyof SqlLiveStore) => changes[name] ?? target[name].bind(target) });
  }

  #history(): Pick<LiveHistory, 'writeChanges' | 'writeMembers' | 'dropUncounted'> {
    const { liveHistory } = this.#analytics;
    return {
      writeChanges: async (changes) => {
        this.#failIf('changes are refused');
        await liveHistory.writeChanges(changes);
        this.#failIf('changes are written');
      },
      writeMembers: async (changes) => {
        this.#failIf('members are refused');
        await this.membersGate;
        await liveHistory.writeMembers(changes);
      },
      dropUncounted: (closed) => liveHistory.dropUncounted(closed),
    };
  }

  #failIf(fault: Fault): void {
    if (this.fault !== fault) return;
    this.fault = undefined;
    throw new Error(fault);
  }
}
