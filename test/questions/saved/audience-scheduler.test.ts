import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AnalyticsStore, AudienceHistory } from '../../../services/stores/analytics/analytics-store.ts';
import type { SavedAudience } from '../../../services/questions/saved/audience-store.ts';
import { AudienceScheduler, type SchedulerParts } from '../../../services/questions/saved/audience-scheduler.ts';
import type { SqlAudienceClaims } from '../../../services/questions/saved/sql-audience-claims.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { describeStores } from '../../support/stores/tested-stores.ts';

const PRO = '{"trait":"plan","is":"pro"}';
const FREE = '{"trait":"plan","is":"free"}';
const HOUR_MS = 3_600_000;
const BEFORE_ALL = { at: BigInt(Date.UTC(1900, 0)) * 1000n, user: 0n };
const PATIENTLY = { timeout: 20_000 };
const silent = { info: () => undefined, warn: () => undefined };
const losses = { expectNone: async () => undefined };

await describeStores('audiences kept', (analytics, database) => {
  let scene: Scene;
  beforeEach(async () => {
    await database().script('truncate projects, api_keys, audiences cascade');
    const projects = new SqlProjectStore(database());
    const { id } = await projects.createProject({ name: 'Shop', timezone: 'UTC', rateLimit: null });
    scene = new Scene(analytics(), new SqlAudienceStore(database(), 100), projects, id);
  });
  afterEach(() => scene.stop());

  test('who is in it is found at once, and then who came and went', async () => {
    await scene.identify({ ada: 'pro', bob: 'pro', eve: 'free' });
    const { id } = await scene.save(PRO);

    const first = await scene.keeper().evaluate(scene.projectId, id);
    await scene.identify({ bob: 'free', eve: 'pro', dan: 'pro' });
    const second = await scene.keeper().evaluate(scene.projectId, id);

    expect(first.evaluation).toMatchObject({ cause: 'first', version: 1, entered: 2, left: 0, members: 2 });
    expect(second.evaluation).toMatchObject({ cause: 'refresh', entered: 2, left: 1, members: 3 });
    expect(await scene.store.changesReadableAt([id])).toEqual(new Map([[id, second.evaluation?.at]]));
    expect(await scene.changes(id)).toEqual([
      'ada entered first',
      'bob entered first',
      'bob left refresh',
      'dan entered refresh',
      'eve entered refresh',
    ]);
  });

  test('the first evaluation of a changed definition is marked so', async () => {
    await scene.identify({ ada: 'pro', bob: 'free' });
    const { id } = await scene.save(PRO);
    await scene.keeper().evaluate(scene.projectId, id);
    await scene.store.update(scene.projectId, id, { definition: FREE });

    const changed = await scene.keeper().evaluate(scene.projectId, id);
    const after = await scene.keeper().evaluate(scene.projectId, id);

    expect(changed.evaluation).toMatchObject({ cause: 'definition', version: 2, entered: 1, left: 1 });
    expect(after.evaluation).toMatchObject({ cause: 'refresh', version: 2, entered: 0, left: 0 });
    expect(await scene.store.changesReadableAt([id])).toEqual(new Map([[id, changed.evaluation?.at]]));
    expect(await scene.changes(id)).toEqual(['ada entered first', 'ada left definition', 'bob entered definition']);
  });

  test('what has a refresh is evaluated by itself, by one of all who could', async () => {
    await scene.identify({ ada: 'pro' });
    const { id } = await scene.save(PRO, HOUR_MS);

    for (let n = 0; n < 3; n++) scene.keeper({ everyMs: 5 }).start();

    await expect.poll(() => scene.find(id), PATIENTLY).toMatchObject({ evaluation: { members: 1, cause: 'first' } });
    await expect.poll(() => scene.changes(id), PATIENTLY).toEqual(['ada entered first']);
    await scene.identify({ bob: 'pro' });
    await scene.store.update(scene.projectId, id, { definition: '{"not":{"trait":"plan","is":"free"}}' });
    await expect
      .poll(() => scene.find(id), PATIENTLY)
      .toMatchObject({ evaluation: { members: 2, cause: 'definition' } });
    await expect.poll(() => scene.changes(id), PATIENTLY).toEqual(['ada entered first', 'bob entered definition']);
  });

  test.each(['after the difference', 'after the commit'])(
    'after a crash %s nothing is missing or twice',
    async (when) => {
      await scene.identify({ ada: 'pro', bob: 'pro' });
      const { id } = await scene.save(PRO);
      await scene.keeper().evaluate(scene.projectId, id);
      await scene.identify({ bob: 'free', eve: 'pro' });

      await expect(scene.crashing(when).evaluate(scene.projectId, id)).rejects.toThrow('crashed');
      await scene.identify({ dan: 'pro' });
      const next = await scene.keeper().evaluate(scene.projectId, id);

      expect(next.evaluation).toMatchObject({ members: 3 });
      expect((await scene.changes(id)).sort()).toEqual([
        'ada entered first',
        'bob entered first',
        'bob left refresh',
        'dan entered refresh',
        'eve entered refresh',
      ]);
    },
  );

  test('who held the claim for too long changes nothing', async () => {
    await scene.identify({ ada: 'pro' });
    const { id } = await scene.save(PRO);
    const { keeper, reached, goOn } = scene.pausing();
    const late = keeper.evaluate(scene.projectId, id);
    await reached;

    await expect
      .poll(() => scene.keeper().evaluate(scene.projectId, id), PATIENTLY)
      .toMatchObject({ evaluation: { members: 1 } });
    goOn();

    await expect(late).rejects.toMatchObject({ code: 'AUDIENCE_BUSY' });
    expect(await scene.changes(id)).toEqual(['ada entered first']);
  });

  test('past the limits of its project it fails by name, and others go on', async () => {
    await scene.identify({ ada: 'pro' });
    const { id } = await scene.save(PRO, HOUR_MS);
    await scene.projects.updateProject(scene.projectId, { queryMaxRows: 1 });

    await expect(scene.keeper().evaluate(scene.projectId, id)).rejects.toMatchObject({ code: 'QUERY_LIMIT' });

    expect(await scene.find(id)).toMatchObject({ failure: 'QUERY_LIMIT', evaluation: null });
    await scene.projects.updateProject(scene.projectId, { queryMaxRows: null });
    expect(await scene.keeper().evaluate(scene.projectId, id)).toMatchObject({ failure: null });
  });

  test('a project with many audiences that are due holds up another by one evaluation', async () => {
    await scene.identify({ ada: 'pro' });
    const mine = await scene.projects.createProject({ name: 'Small', timezone: 'UTC', rateLimit: null });
    for (let n = 0; n < 10; n++) await scene.save(`{"trait":"plan","is":"${n}"}`, HOUR_MS);
    const { keeper, evaluated, reached, goOn } = scene.noting();
    keeper.start();
    await reached;
    await scene.store.create(mine.id, { name: 'Mine', definition: PRO, refreshMs: HOUR_MS });
    goOn();

    await expect.poll(() => evaluated.length, PATIENTLY).toBe(11);
    expect(evaluated.slice(0, 2)).toEqual([scene.projectId, mine.id]);
  });

  test('the history of an audience is deleted with it', async () => {
    await scene.identify({ ada: 'pro' });
    const { id } = await scene.save(PRO);
    await scene.keeper().evaluate(scene.projectId, id);
    await scene.store.remove(scene.projectId, id);

    scene.keeper({ everyMs: 5 }).start();

    await expect.poll(() => scene.changes(id), PATIENTLY).toEqual([]);
    await expect.poll(async () => (await database().query('select id from audiences')).length, PATIENTLY).toBe(0);
  });

  test('where its history was lost, everybody enters for the first time', async () => {
    await scene.identify({ ada: 'pro' });
    const { id } = await scene.save(PRO);
    await scene.keeper().evaluate(scene.projectId, id);
    await scene.keeper().evaluate(scene.projectId, id);
    await scene.analytics.forgetAudience(scene.projectId, id);
    await expect.poll(() => scene.membersLeft(id), PATIENTLY).toBe(0);
    await expect.poll(() => scene.analytics.finalizedAt(scene.projectId, id), PATIENTLY).toBeNull();

    const { evaluation } = await scene.keeper().evaluate(scene.projectId, id);

    expect(evaluation).toMatchObject({ cause: 'first', entered: 1 });
  });
});

class Scene {
  readonly analytics: AnalyticsStore;
  readonly store: SqlAudienceStore;
  readonly projects: SqlProjectStore;
  readonly projectId: string;
  readonly #keepers: AudienceScheduler[] = [];
  readonly #maker = new MessageMaker();

  constructor(analytics: AnalyticsStore, store: SqlAudienceStore, projects: SqlProjectStore, projectId: string) {
    this.analytics = analytics;
    this.store = store;
    this.projects = projects;
    this.projectId = projectId;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#keepers.map((keeper) => keeper.stop()));
  }

  keeper(parts: Partial<SchedulerParts> = {}): AudienceScheduler {
    const { analytics: history, projects, store } = this;
    const keeper = new AudienceScheduler({ store, projects, history, losses, limits: AMPLE, logger: silent, ...parts });
    this.#keepers.push(keeper);
    return keeper;
  }

  /** One that goes no further than this, as if its process had died. */
  crashing(when: string): AudienceScheduler {
    const crash = (): never => {
      throw new Error('crashed');
    };
    const history = this.#history(when === 'after the commit' ? { finalize: crash } : {});
    const store = this.#store({
      giveUp: async () => undefined,
      ...(when === 'after the difference' && { commit: crash }),
    });
    return this.keeper({ history, store });
  }

  /** One that stops between the difference and the commit, for longer than its claim holds. */
  pausing(): { keeper: AudienceScheduler; reached: Promise<void>; goOn: () => void } {
    const [reached, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const history = this.#history({
      difference: async (...args) => {
        const difference = await this.analytics.difference(...args);
        reached.resolve();
        await going.promise;
        return difference;
      },
    });
    const store = this.#store({ renew: async () => true });
    return { keeper: this.keeper({ history, store, leaseMs: 300 }), reached: reached.promise, goOn: going.resolve };
  }

  /** One that notes whose audiences it evaluates, and stops in the first until it is told to go on. */
  noting(): { keeper: AudienceScheduler; evaluated: string[]; reached: Promise<void>; goOn: () => void } {
    const [reached, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const evaluated: string[] = [];
    const history = this.#history({
      difference: async (evaluation, ...args) => {
        evaluated.push(evaluation.projectId);
        reached.resolve();
        await going.promise;
        return this.analytics.difference(evaluation, ...args);
      },
    });
    return { keeper: this.keeper({ history, everyMs: 5 }), evaluated, reached: reached.promise, goOn: going.resolve };
  }

  save(definition: string, refreshMs: number | null = null): Promise<SavedAudience> {
    return this.store.create(this.projectId, { name: definition, definition, refreshMs });
  }

  find(id: string): Promise<SavedAudience | undefined> {
    return this.store.find(this.projectId, id);
  }

  async identify(plans: Readonly<Record<string, string>>): Promise<void> {
    const messages = Object.entries(plans).map(([userId, plan]) => {
      const made = this.#maker.identify({ userId, traits: JSON.stringify({ plan }) });
      return { ...made, projectId: this.projectId };
    });
    await insert(this.analytics, messages);
  }

  /** `ada entered first`, by evaluation, sorted by name within each. */
  async changes(id: string): Promise<string[]> {
    const named = { projectId: this.projectId, audienceId: id, epochs: [] };
    const query = { ...named, after: BEFORE_ALL, until: 2n ** 52n, limit: null };
    const chunks = await Array.fromAsync(await this.analytics.audienceChanges(query, AMPLE));
    const lines = Buffer.concat(chunks).toString().split('\n').slice(0, -1);
    const rows = lines.map((line) => JSON.parse(line) as Record<'user_id' | 'change' | 'cause' | 'at', string>);
    const sorted = rows.toSorted((a, b) => (`${a.at} ${a.user_id}` < `${b.at} ${b.user_id}` ? -1 : 1));
    return sorted.map(({ user_id: user, change, cause }) => `${user} ${change} ${cause}`);
  }

  async membersLeft(id: string): Promise<number> {
    const sql = 'SELECT count() AS n FROM audience_members FINAL WHERE audience_id = {id:String}';
    const { rows } = await this.analytics.ask({ sql, params: { id } }, AMPLE);
    return Number(rows[0]?.['n']);
  }

  #history(changes: Partial<AudienceHistory>): AudienceHistory {
    const { analytics } = this;
    return {
      difference: (...args) => analytics.difference(...args),
      finalize: (evaluation) => analytics.finalize(evaluation),
      finalizedAt: (...args) => analytics.finalizedAt(...args),
      forgetAudience: (...args) => analytics.forgetAudience(...args),
      ...changes,
    };
  }

  #store(changes: Partial<SqlAudienceStore>): SqlAudienceStore & SqlAudienceClaims {
    return new Proxy(this.store, {
      get: (target, name: keyof SqlAudienceStore) => changes[name] ?? target[name].bind(target),
    });
  }
}
