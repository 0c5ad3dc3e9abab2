/** A project with an audience whose evaluations find what a test says, and what sends that to endpoints. */
import type { Micros } from '../../../services/messages/message.ts';
import { readableChanges, readableUntil } from '../../../services/questions/saved/readable-history.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import type { AnalyticsStore, EvaluationCause, Query } from '../../../services/stores/analytics/analytics-store.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { WebhookAddresses } from '../../../services/webhooks/addresses.ts';
import type { Endpoint, EndpointSettings } from '../../../services/webhooks/endpoint-store.ts';
import { SqlEndpointClaims } from '../../../services/webhooks/sql-endpoint-claims.ts';
import { SqlEndpointStore } from '../../../services/webhooks/sql-endpoint-store.ts';
import { type DelivererParts, WebhookDeliverer } from '../../../services/webhooks/webhook-deliverer.ts';
import type { ProfileReader } from '../../../services/stores/profiles/profile-reader.ts';
import { SETTINGS } from '../../contract/endpoint-store.ts';
import { AMPLE } from '../stores/analytics.ts';

const FIRST_AT = BigInt(Date.UTC(2026, 10, 20)) * 1_000n;

export class WebhookScene {
  readonly projectId: string;
  readonly audienceId: string;
  readonly endpoints: SqlEndpointStore;
  readonly claims: SqlEndpointClaims;
  readonly warnings: object[] = [];
  readonly #analytics: AnalyticsStore;
  readonly #database: Database;
  readonly #deliverers: WebhookDeliverer[] = [];
  #evaluations = 0;

  private constructor(analytics: AnalyticsStore, database: Database, projectId: string, audienceId: string) {
    this.#analytics = analytics;
    this.#database = database;
    this.projectId = projectId;
    this.audienceId = audienceId;
    this.endpoints = new SqlEndpointStore(database);
    this.claims = new SqlEndpointClaims(database);
  }

  static async make(analytics: AnalyticsStore, database: Database): Promise<WebhookScene> {
    await database.script('truncate projects, api_keys, audiences cascade');
    const projects = new SqlProjectStore(database);
    const { id } = await projects.createProject({ name: 'Shop', timezone: 'UTC', rateLimit: null });
    const saved = new SqlAudienceStore(database, 100);
    const audience = { name: 'Pro', definition: '{"trait":"plan","is":"pro"}', refreshMs: null };
    return new WebhookScene(analytics, database, id, (await saved.create(id, audience)).id);
  }

  async endpoint(url: string, settings: Partial<EndpointSettings> = {}): Promise<Endpoint> {
    return (await this.endpoints.create(this.projectId, { ...SETTINGS, url, ...settings })).endpoint;
  }

  /** Evaluates the audience: from now on these users, of 1 to 9, are in it. Resolves with when that was. */
  async evaluate(...users: readonly number[]): Promise<Micros> {
    const at = FIRST_AT + BigInt(++this.#evaluations);
    const cause: EvaluationCause = this.#evaluations === 1 ? 'first' : 'refresh';
    const { projectId, audienceId } = this;
    const evaluation = { projectId, audienceId, at, version: 1, cause };
    const { entered, left, members } = await this.#analytics.difference(evaluation, membersAre(users), AMPLE);
    await this.#analytics.finalize(evaluation);
    const counts = [BigInt(members), BigInt(entered), BigInt(left)];
    await this.#database.query(
      'insert into audience_evaluations values ($1, $2::int8, 1, $3, $4::int8, $5::int8, $6::int8)',
      [audienceId, at, cause, ...counts],
    );
    const sql = 'update audiences set evaluated_at = $2::int8, changes_readable_at = $2::int8 where id = $1';
    await this.#database.query(sql, [audienceId, at]);
    return at;
  }

  state(id: string): Promise<Endpoint> {
    return this.endpoints.find(this.projectId, id);
  }

  /** Claims whose methods are partly others. */
  claimsWith(changes: Partial<SqlEndpointClaims>): SqlEndpointClaims {
    return new Proxy<SqlEndpointClaims>(this.claims, {
      get: (target, name: keyof SqlEndpointClaims) => changes[name] ?? target[name].bind(target),
    });
  }

  deliverer(parts: Partial<DelivererParts> = {}): WebhookDeliverer {
    const profiles: Pick<ProfileReader, 'traitsPage'> = {
      traitsPage: async (_, keys, paths) =>
        keys.map((key) => paths.map((path) => JSON.stringify([...path, key.length]))),
    };
    const readable = { saved: new SqlAudienceStore(this.#database, 100), analytics: this.#analytics };
    const deliverer = new WebhookDeliverer({
      analytics: this.#analytics,
      history: {
        until: (...of) => readableUntil(readable, ...of),
        changes: (...asked) => readableChanges(readable, ...asked),
        epochs: () => readable.saved.liveEpochs(),
      },
      profiles,
      claims: this.claims,
      endpoints: this.endpoints,
      addresses: new WebhookAddresses(['127.0.0.0/8']),
      limits: AMPLE,
      logger: { info: () => undefined, warn: (line: object) => void this.warnings.push(line) },
      everyMs: 5,
      ...parts,
    });
    this.#deliverers.push(deliverer);
    return deliverer;
  }

  /** Lets an endpoint be sent to, as if its wait were over. */
  async waitIsOver(): Promise<void> {
    await this.#database.query('update endpoints set next_attempt_at_ms = 0');
  }

  /** Puts the clock of all attempts forward. */
  async timePasses(ms: number): Promise<void> {
    const sql = 'update endpoints set next_attempt_at_ms = greatest(0, next_attempt_at_ms - $1::int8)';
    await this.#database.query(sql, [BigInt(Math.round(ms))]);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#deliverers.map((deliverer) => deliverer.stop()));
  }
}

/** Internal ids begin with the number of the user. */
function membersAre(users: readonly number[]): Query {
  return {
    sql: `SELECT bitShiftLeft(toUInt128(number), 120) AS user, concat('user-', toString(number)) AS user_id, '' AS anonymous_id,
                 concat('0', toString(number), repeat('0', 62)) AS internal_id, number IN {users:Array(UInt64)} AS is_in
          FROM numbers(1, 9)`,
    params: { users },
  };
}
