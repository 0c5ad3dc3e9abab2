import type { Micros } from '../messages/message.ts';
import { TidemarkError } from '../runtime/errors.ts';
import type { Database, Queryable, SqlValue } from '../stores/database/database.ts';
import { NOW_MS, STATEMENT_MS } from '../stores/database/sql-time.ts';
import { BASE36, randomText } from '../stores/projects/keys.ts';
import { DELIVERY_COLUMNS, type DeliveryRow, ENDPOINT_COLUMNS, toDelivery } from './endpoint-row.ts';
import {
  type DeliveriesQuery,
  type Delivery,
  type Endpoint,
  type EndpointChanges,
  type EndpointWithSecret,
  MAX_ENDPOINTS,
  type NewEndpoint,
} from './endpoint-store.ts';
import { makeSecret } from './signature.ts';

/**
 * Endpoints in a Postgres-compatible database (schemas/postgres/029-endpoints.compatible.sql). Those of the project null are
 * the installation's. Arguments and results can be cloned between threads. Every method throws `STORE_UNAVAILABLE` while the
 * store is unreachable, and all but `create` and `list` throw `ENDPOINT_UNKNOWN`.
 */
export class SqlEndpointStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * @throws TidemarkError `ENDPOINT_LIMIT` if there are as many as there may be; `AUDIENCE_UNKNOWN` if it has no such audience;
   *   `PROJECT_UNKNOWN`.
   */
  create(projectId: string | null, settings: NewEndpoint): Promise<EndpointWithSecret> {
    const { url, format, description, types, audiences, traits, initial, batchSize, isEnabled = true } = settings;
    const id = `end_${randomText(20, BASE36)}`;
    const secret = makeSecret();
    return this.#database.transaction(async (transaction) => {
      await lockForNewEndpoint(transaction, projectId);
      await refuseUnknownAudiences(transaction, projectId, audiences);
      await transaction.query(
        `insert into endpoints (id, project_id, url, description, types, audiences, traits, initial, batch_size, secret,
                                disabled, format, created_at_ms, updated_at_ms)
         values ($1, $2, $3, $4, $5::text[], $6::text[], $7, $8, $9::int4, $10,
                 case when not $11::boolean then 'request' end, $12, ${STATEMENT_MS}, ${STATEMENT_MS})`,
        [id, projectId, url, description, types, audiences, traits, initial, batchSize, secret, isEnabled, format],
      );
      await transaction.query(BEGIN_POSITIONS, [id]);
      return { endpoint: await found(transaction, projectId, id), secret };
    });
  }

  /** Newest first. */
  list(projectId: string | null): Promise<readonly Endpoint[]> {
    const sql = `select ${ENDPOINT_COLUMNS} from endpoints e where ${OF_PROJECT} order by e.created_at_ms desc, e.id desc`;
    return this.#database.query<Endpoint>(sql, [projectId]);
  }

  find(projectId: string | null, id: string): Promise<Endpoint> {
    return found(this.#database, projectId, id);
  }

  /**
   * An audience that comes to it begins as at the creation. Enabled, or at another URL, it is sent to at once.
   *
   * @throws TidemarkError `AUDIENCE_UNKNOWN`.
   */
  update(projectId: string | null, id: string, changes: EndpointChanges): Promise<Endpoint> {
    const { audiences } = changes;
    return this.#database.transaction(async (transaction) => {
      await refuseUnknownAudiences(transaction, projectId, audiences ?? null);
      await change(transaction, projectId, id, changes);
      if (audiences !== undefined) {
        await transaction.query(FORGET_POSITIONS, [id]);
        await transaction.query(BEGIN_POSITIONS, [id]);
      }
      return found(transaction, projectId, id);
    });
  }

  /** With its deliveries. */
  async remove(projectId: string | null, id: string): Promise<void> {
    const sql = `delete from endpoints e where ${OF_PROJECT} and id = $2 returning id`;
    if ((await this.#database.query(sql, [projectId, id])).length === 0) throw unknownEndpoint(id);
  }

  /** Gives it another secret; that of before signs too for this time. */
  async rotate(projectId: string | null, id: string, keepOldMs: number): Promise<EndpointWithSecret> {
    const secret = makeSecret();
    const rows = await this.#database.query(
      `update endpoints e set old_secret = secret, old_secret_until_ms = ${NOW_MS} + $4::int8, secret = $3,
         updated_at_ms = ${NOW_MS}
       where ${OF_PROJECT} and id = $2 returning id`,
      [projectId, id, secret, BigInt(keepOldMs)],
    );
    if (rows.length === 0) throw unknownEndpoint(id);
    return { endpoint: await this.find(projectId, id), secret };
  }

  /** Newest first. */
  async deliveries(
    projectId: string | null,
    id: string,
    { limit, state, before }: DeliveriesQuery,
  ): Promise<readonly Delivery[]> {
    await this.find(projectId, id);
    const rows = await this.#database.query<DeliveryRow>(
      `select ${DELIVERY_COLUMNS} from endpoint_deliveries
       where endpoint_id = $1 and ($2::text is null or state = $2::text) and ($3::int8 is null or sequence < $3::int8)
       order by sequence desc limit $4::int8`,
      [id, state ?? null, before ?? null, BigInt(limit)],
    );
    return rows.map(toDelivery);
  }

  /** Sends a delivery again under its id, as soon as the endpoint may be sent to. @throws TidemarkError `DELIVERY_UNKNOWN`. */
  async resend(projectId: string | null, id: string, deliveryId: string): Promise<Delivery> {
    await this.find(projectId, id);
    return this.#database.transaction(async (transaction) => {
      const [row] = await transaction.query<DeliveryRow>(
        `update endpoint_deliveries set state = 'waiting'
         where endpoint_id = $1 and id = $2 and (audience_id is not null or notice is not null)
         returning ${DELIVERY_COLUMNS}`,
        [id, deliveryId],
      );
      if (row === undefined) {
        throw new TidemarkError('DELIVERY_UNKNOWN', `This endpoint has no delivery ${JSON.stringify(deliveryId)}.`);
      }
      await transaction.query(SEND_NOW, [id]);
      return toDelivery(row);
    });
  }

  /** Sends every change of evaluations after this time again, in new messages, and what else was made since under its id. */
  async resendSince(projectId: string | null, id: string, since: Micros): Promise<Endpoint> {
    await this.find(projectId, id);
    await this.#database.transaction(async (transaction) => {
      await transaction.query(
        `update endpoint_positions set at = $2::int8, after_user = null, is_initial = false
         where endpoint_id = $1 and at > $2::int8`,
        [id, since],
      );
      await transaction.query(
        `update endpoint_deliveries set state = 'waiting'
         where endpoint_id = $1 and notice is not null and created_at_ms * 1000 > $2::int8`,
        [id, since],
      );
      await transaction.query(SEND_NOW, [id]);
    });
    return this.find(projectId, id);
  }
}

/**
 * Where an endpoint begins with the audiences that were evaluated before: behind all changes that can be read, after the
 * members, if these are wanted. Others begin with their first evaluation: see `SqlEndpointClaims`.
 */
const BEGIN_POSITIONS = `
  insert into endpoint_positions (endpoint_id, audience_id, is_initial, at)
  select e.id, a.id, e.initial = 'members', coalesce(a.changes_readable_at, a.evaluated_at)
  from endpoints e join audiences a on a.project_id = e.project_id
  where e.id = $1 and a.deleted_at_ms is null and (e.audiences is null or a.id = any (e.audiences))
    and coalesce(a.changes_readable_at, a.evaluated_at) is not null
  on conflict (endpoint_id, audience_id) do nothing`;

const FORGET_POSITIONS = `
  delete from endpoint_positions p using endpoints e
  where e.id = $1 and p.endpoint_id = e.id and e.audiences is not null and not p.audience_id = any (e.audiences)`;

/** Whether `endpoints e` are those of a project, or of the installation. */
const OF_PROJECT = 'e.project_id is not distinct from $1';

// An arbitrary number that no other program uses for an advisory lock in this database.
const INSTALLATION_LOCK = 'select pg_advisory_xact_lock(7418321993)::text';

const SEND_NOW = 'update endpoints set next_attempt_at_ms = 0 where id = $1';

async function found(database: Queryable, projectId: string | null, id: string): Promise<Endpoint> {
  const sql = `select ${ENDPOINT_COLUMNS} from endpoints e where ${OF_PROJECT} and e.id = $2`;
  const [endpoint] = await database.query<Endpoint>(sql, [projectId, id]);
  if (endpoint === undefined) throw unknownEndpoint(id);
  return endpoint;
}

/** Two that are made at once count each other. @throws TidemarkError `PROJECT_UNKNOWN`, `ENDPOINT_LIMIT`. */
async function lockForNewEndpoint(transaction: Queryable, projectId: string | null): Promise<void> {
  if (projectId === null) await transaction.query(INSTALLATION_LOCK);
  else await lockProject(transaction, projectId);
  const endpoints = await transaction.query(`select 1 from endpoints e where ${OF_PROJECT}`, [projectId]);
  if (endpoints.length < MAX_ENDPOINTS) return;
  const whose = projectId === null ? 'The installation' : 'This project';
  throw new TidemarkError(
    'ENDPOINT_LIMIT',
    `${whose} has ${MAX_ENDPOINTS} endpoints, as many as it may have. Delete one first.`,
  );
}

async function lockProject(transaction: Queryable, projectId: string): Promise<void> {
  const projects = await transaction.query('select 1 from projects where id = $1 for update', [projectId]);
  if (projects.length > 0) return;
  throw new TidemarkError('PROJECT_UNKNOWN', `There is no project ${JSON.stringify(projectId)}.`);
}

async function refuseUnknownAudiences(
  transaction: Queryable,
  projectId: string | null,
  audiences: readonly string[] | null,
): Promise<void> {
  const sql = `select id from unnest($2::text[]) as given (id)
    where not exists (select from audiences a where a.project_id = $1 and a.id = given.id and a.deleted_at_ms is null)`;
  const [unknown] = await transaction.query<{ readonly id: string }>(sql, [projectId, audiences ?? []]);
  if (unknown === undefined) return;
  throw new TidemarkError('AUDIENCE_UNKNOWN', `There is no saved audience ${JSON.stringify(unknown.id)}.`);
}

/** @throws TidemarkError `ENDPOINT_UNKNOWN`. */
async function change(
  transaction: Queryable,
  projectId: string | null,
  id: string,
  changes: EndpointChanges,
): Promise<void> {
  const { url, format, description, types, audiences, traits, initial, batchSize, isEnabled } = changes;
  const columns: readonly (readonly [sql: string, value: SqlValue | undefined])[] = [
    ['url = ?', url],
    ['format = ?', format],
    ['description = ?', description],
    ['types = ?::text[]', types],
    ['audiences = ?::text[]', audiences],
    ['traits = ?', traits],
    ['initial = ?', initial],
    ['batch_size = ?::int4', batchSize],
    ["disabled = case when ?::boolean then null else 'request' end", isEnabled],
  ];
  const given = columns.filter(([, value]) => value !== undefined);
  const set = given.map(([sql], index) => sql.replace('?', `$${index + 3}`));
  const isRetried = url !== undefined || isEnabled === true;
  const all = [...set, `updated_at_ms = ${NOW_MS}`, ...(isRetried ? ['failures = 0', 'next_attempt_at_ms = 0'] : [])];
  const sql = `update endpoints e set ${all.join(', ')} where ${OF_PROJECT} and id = $2 returning id`;
  const values = given.map(([, value]) => value ?? null);
  if ((await transaction.query(sql, [projectId, id, ...values])).length === 0) throw unknownEndpoint(id);
}

function unknownEndpoint(id: string): TidemarkError {
  return new TidemarkError('ENDPOINT_UNKNOWN', `There is no endpoint ${JSON.stringify(id)}.`);
}
