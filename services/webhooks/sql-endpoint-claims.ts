import { EARLIEST } from '../messages/timestamp.ts';
import { inCamelCase, type Queryable, type SqlValue } from '../stores/database/database.ts';
import { IS_FREE, IS_LEASED, Leases, NEW_LEASE } from '../stores/database/leases.ts';
import { NOW_MS } from '../stores/database/sql-time.ts';
import { BASE36, randomText } from '../stores/projects/keys.ts';
import {
  BEHIND,
  type ChangesRow,
  type ClaimRow,
  DELIVERY_COLUMNS,
  type DeliveryRow,
  ENDPOINT_COLUMNS,
  IS_BEHIND,
  IS_WAITING,
  IS_WANTED,
  PROJECT,
  SECRETS,
  SENT_TO_BY,
  toDelivery,
  UNCHANGED,
  WAITING,
  WAITING_COLUMNS,
  WAITING_SINCE,
} from './endpoint-row.ts';
import {
  type AudienceBehind,
  type AudiencePosition,
  type AudienceRange,
  type Delivery,
  type Endpoint,
  type EndpointClaim,
  type FailedAttempt,
  KEPT_DELIVERY_DAYS,
  type LastAttempt,
  type LeftTest,
  MAX_KEPT_DELIVERIES,
  TEST_TYPE,
  type WaitingDelivery,
  type WaitingMessage,
  type WaitingNotice,
} from './endpoint-store.ts';

/** The id of a message: 120 bits, and no full stop, which separates what is signed. */
export function makeMessageId(): string {
  return `msg_${randomText(24, BASE36)}`;
}

/**
 * Claims on endpoints to send to (schemas/postgres/029-endpoints.compatible.sql). Without its claim a method changes nothing,
 * and says so.
 */
export class SqlEndpointClaims extends Leases {
  readonly #database: Queryable;
  readonly #role: keyof typeof SENT_TO_BY;

  constructor(database: Queryable, role: keyof typeof SENT_TO_BY = 'others') {
    super(database, 'endpoints');
    this.#database = database;
    this.#role = role;
  }

  /**
   * Claims an endpoint that may be sent to now and does not have everything; of another project than the last, if there is
   * one, and the one whose last turn is longest ago. The installation is the project ''.
   *
   * @param fullProjects None of these.
   */
  async claimDue(
    leaseMs: number,
    lastProjectId: string,
    fullProjects: readonly string[] = [],
  ): Promise<EndpointClaim | undefined> {
    // Most installations have no endpoint, and what follows takes 2.5 ms of processor time there, on PGlite.
    const enabled = await this.#database.query('select 1 from endpoints where disabled is null limit 1');
    if (enabled.length === 0) return undefined;
    const token = Leases.newToken();
    const [row] = await this.#database.query<ClaimRow>(
      `update endpoints e set ${NEW_LEASE}
       where e.id = (select e.id from endpoints e where e.disabled is null and e.next_attempt_at_ms <= ${NOW_MS}
                       and ${IS_FREE} and ${SENT_TO_BY[this.#role]}
                       and ${PROJECT} <> all ($4::text[]) and (exists (${WAITING}) or exists (${BEHIND}))
                     order by ${PROJECT} <= $3, ${PROJECT}, greatest(e.next_attempt_at_ms, e.claimed_until_ms), e.id
                     limit 1 for update skip locked)
       returning ${ENDPOINT_COLUMNS}, ${SECRETS} as secrets`,
      [token, BigInt(leaseMs), lastProjectId, fullProjects],
    );
    if (row === undefined) return undefined;
    const { secrets, ...endpoint } = row;
    return { id: endpoint.id, token, endpoint, secrets };
  }

  /** The oldest message that was made and not delivered; undefined where the endpoint was changed or disabled since its claim. */
  async waiting(claim: EndpointClaim): Promise<WaitingMessage | undefined> {
    const sql = `select ${WAITING_COLUMNS}
                 from endpoint_deliveries d left join audiences a on a.id = d.audience_id
                 where d.endpoint_id = $1 and ${IS_WAITING} and exists (${UNCHANGED}) order by d.sequence limit 1`;
    const [row] = await this.#database.query<ChangesRow | WaitingNotice>(sql, unchangedValues(claim));
    if (row === undefined) return undefined;
    const { id, createdAtMs } = row;
    if (row.type !== 'audience.changed') return { id, type: row.type, createdAtMs, notice: row.notice };
    const { audienceId, audienceName, isInitial, changes, toUser } = row;
    const from = { isInitial, at: row.fromAt, afterUser: row.fromUser };
    const to = { isInitial: isInitial && toUser !== null, at: row.toAt, afterUser: toUser };
    return { id, createdAtMs, range: { audienceId, audienceName, from, to, changes } };
  }

  /** The audience that the endpoint is furthest behind with, as `waiting`. */
  async behind(claim: EndpointClaim): Promise<AudienceBehind | undefined> {
    await this.#database.query(BEGIN_NEW, [claim.endpoint.id, EARLIEST]);
    const [row] = await this.#database.query<Omit<AudienceBehind, 'position'> & AudiencePosition>(
      `select a.id as "audienceId", a.name as "audienceName", ${inCamelCase('is_initial, at, after_user', 'p.')}
       from endpoints e join audiences a on ${IS_WANTED}
       join endpoint_positions p on p.endpoint_id = e.id and p.audience_id = a.id
       where e.id = $1 and ${IS_BEHIND} and exists (${UNCHANGED})
       order by p.at, a.id limit 1`,
      unchangedValues(claim),
    );
    if (row === undefined) return undefined;
    const { audienceId, audienceName, ...position } = row;
    return { audienceId, audienceName, position };
  }

  /** Makes a message of a range, before it is sent. Undefined if the claim has expired. */
  async begin(claim: EndpointClaim, range: AudienceRange): Promise<WaitingDelivery | undefined> {
    const { audienceId, from, to, changes } = range;
    const id = makeMessageId();
    const [row] = await this.#database.query<Pick<WaitingDelivery, 'createdAtMs'>>(
      `insert into endpoint_deliveries (id, endpoint_id, type, state, created_at_ms, audience_id, is_initial, from_at, from_user,
                                        to_at, to_user, changes)
       select $3, id, 'audience.changed', 'waiting', ${NOW_MS}, $4, $5::boolean, $6::int8, $7, $8::int8, $9, $10::int4
       from endpoints where ${IS_LEASED} for share
       returning ${inCamelCase('created_at_ms::float8')}`,
      [claim.id, claim.token, id, audienceId, from.isInitial, from.at, from.afterUser, to.at, to.afterUser, changes],
    );
    return row && { id, range, ...row };
  }

  /** Moves the position where nothing was found up to there. */
  pass(claim: EndpointClaim, range: Omit<AudienceRange, 'changes'>): Promise<boolean> {
    return this.changeLeased(claim, 'claim = claim', positionValues(range), { alsoWrites: MOVED_POSITION });
  }

  /** Notes that a message was delivered, and moves the position past it. One of people who were forgotten loses their names. */
  delivered(claim: EndpointClaim, delivery: WaitingMessage, attempt: LastAttempt): Promise<boolean> {
    const moved = 'range' in delivery ? positionValues(delivery.range) : [];
    const note = noted(3 + moved.length, 'delivered');
    const values = [...moved, delivery.id, ...attemptValues(attempt)];
    return this.changeLeased(claim, 'failures = 0, next_attempt_at_ms = 0', values, {
      alsoWrites: moved.length === 0 ? note : `${MOVED_POSITION}, ${note}`,
    });
  }

  failed(
    claim: EndpointClaim,
    { id }: Pick<WaitingDelivery, 'id'>,
    { attempt, nextInMs, isGone }: FailedAttempt,
  ): Promise<boolean> {
    return this.changeLeased(
      claim,
      `failures = failures + 1, next_attempt_at_ms = ${NOW_MS} + $3::int8,
       disabled = case when $4::boolean then 'gone' else disabled end`,
      [BigInt(nextInMs), isGone, id, ...attemptValues(attempt)],
      { alsoWrites: noted(5, 'waiting') },
    );
  }

  /** Gives up a message of which nothing is left in the history. */
  drop(claim: EndpointClaim, { id, range }: WaitingDelivery): Promise<boolean> {
    return this.changeLeased(claim, 'claim = claim', [...positionValues(range), id], {
      alsoWrites: `${MOVED_POSITION}, dropped as (update endpoint_deliveries d
        set state = 'failed', error = 'nothing is left of these changes' from written where d.id = $10 returning d.id)`,
    });
  }

  /** Nothing is sent for this time, though nothing failed. */
  postpone(claim: EndpointClaim, forMs: number): Promise<boolean> {
    return this.changeLeased(claim, `next_attempt_at_ms = ${NOW_MS} + $3::int8`, [BigInt(forMs)]);
  }

  /** What a test needs. */
  async secretsOf({ id }: Pick<Endpoint, 'id'>): Promise<readonly string[]> {
    const sql = `select ${SECRETS} as secrets from endpoints e where e.id = $1`;
    const [row] = await this.#database.query<{ readonly secrets: readonly string[] }>(sql, [id]);
    return row?.secrets ?? [];
  }

  /** Leaves a test to the processes of the role `webhooks`, if it is theirs. Returns whether it did. */
  async leaveTest({ id: endpointId }: Pick<Endpoint, 'id'>, id: string): Promise<boolean> {
    const sql = `insert into endpoint_deliveries (id, endpoint_id, type, state, created_at_ms)
      select $1, e.id, '${TEST_TYPE}', 'waiting', ${NOW_MS} from endpoints e
      where e.id = $2 and not (${SENT_TO_BY[this.#role]}) returning id`;
    return (await this.#database.query(sql, [id, endpointId])).length > 0;
  }

  /** A test that was left to this process, which is failed until it is noted. @param fullProjects As in `claimDue`. */
  async takeTest(fullProjects: readonly string[]): Promise<LeftTest | undefined> {
    if (this.#role !== 'webhooks') return undefined;
    const [row] = await this.#database.query<ClaimRow & Pick<LeftTest, 'testId'>>(
      `update endpoint_deliveries t set state = 'failed' from endpoints e
       where e.id = t.endpoint_id and t.id = (
         select d.id from endpoint_deliveries d join endpoints e on e.id = d.endpoint_id
         where d.type = '${TEST_TYPE}' and d.state = 'waiting' and ${SENT_TO_BY.webhooks} and ${PROJECT} <> all ($1::text[])
         order by d.sequence limit 1 for update of d skip locked)
       returning t.id as "testId", ${ENDPOINT_COLUMNS}, ${SECRETS} as secrets`,
      [fullProjects],
    );
    if (row === undefined) return undefined;
    const { testId, secrets, ...endpoint } = row;
    return { testId, id: endpoint.id, token: '', endpoint, secrets };
  }

  /** What became of a test; undefined until it was noted. */
  async tested(id: string): Promise<Delivery | undefined> {
    const sql = `select ${DELIVERY_COLUMNS} from endpoint_deliveries where id = $1 and attempts > 0`;
    const [row] = await this.#database.query<DeliveryRow>(sql, [id]);
    return row && toDelivery(row);
  }

  /** Notes a test. */
  async noteTest(
    { id: endpointId }: Pick<Endpoint, 'id'>,
    id: string,
    isDelivered: boolean,
    attempt: LastAttempt,
  ): Promise<Delivery> {
    const [row] = await this.#database.query<DeliveryRow>(
      `insert into endpoint_deliveries (id, endpoint_id, type, state, created_at_ms, attempts, attempted_at_ms, status, error,
                                        took_ms, answer)
       values ($1, $2, '${TEST_TYPE}', $3, ${NOW_MS}, 1, $4::int8, $5::int4, $6, $7::int4, $8)
       on conflict (id) do update set (state, attempts, attempted_at_ms, status, error, took_ms, answer) = (excluded.state, 1,
         excluded.attempted_at_ms, excluded.status, excluded.error, excluded.took_ms, excluded.answer)
       returning ${DELIVERY_COLUMNS}`,
      [id, endpointId, isDelivered ? 'delivered' : 'failed', ...attemptValues(attempt)],
    );
    if (row === undefined) throw new Error('no row came');
    return toDelivery(row);
  }

  /** When the oldest message that waits was made, or could have been, of all endpoints that are enabled; null where none waits. */
  async oldestWaitingMs(): Promise<number | null> {
    const sql = `select min(${WAITING_SINCE})::float8 as at from endpoints e where e.disabled is null`;
    const [row] = await this.#database.query<{ readonly at: number | null }>(sql);
    return row?.at ?? null;
  }

  /** Deletes deliveries that are not kept any more. */
  async deleteOld(): Promise<void> {
    const oldestMs = BigInt(KEPT_DELIVERY_DAYS * 86_400_000);
    await this.#database.query(
      // Materialized: else the oldest that is kept would be looked for once for every delivery.
      `with kept as materialized (
         select e.id, (select d.sequence from endpoint_deliveries d where d.endpoint_id = e.id
                       order by d.sequence desc offset $2::int8 limit 1) as newest_old
         from endpoints e)
       delete from endpoint_deliveries d using kept
       where kept.id = d.endpoint_id and d.state <> 'waiting'
         and (d.created_at_ms < ${NOW_MS} - $1::int8 or d.sequence <= kept.newest_old)`,
      [oldestMs, BigInt(MAX_KEPT_DELIVERIES)],
    );
  }
}

/** Where an endpoint begins with audiences that were evaluated for the first time since it exists. */
const BEGIN_NEW = `
  insert into endpoint_positions (endpoint_id, audience_id, is_initial, at)
  select e.id, a.id, false, case when e.initial = 'members' then $2::int8 else coalesce(
    (select max(v.evaluated_at) from audience_evaluations v
     where v.audience_id = a.id and v.cause = 'first' and v.evaluated_at <= a.changes_readable_at), a.changes_readable_at) end
  from endpoints e join audiences a on ${IS_WANTED}
  where e.id = $1 and a.changes_readable_at is not null
  on conflict (endpoint_id, audience_id) do nothing`;

/** For `MOVED_POSITION`: where the range begins, and where it ends. */
function positionValues({ audienceId, from, to }: Omit<AudienceRange, 'changes'>): readonly SqlValue[] {
  return [audienceId, ...[from, to].flatMap(({ isInitial, at, afterUser }) => [isInitial, at, afterUser])];
}

/** Moves a position, if it is still where the range began: somebody may have moved it back. `$3` is the first value. */
const MOVED_POSITION = `moved as (update endpoint_positions p set is_initial = $7::boolean, at = $8::int8, after_user = $9
  from written where p.endpoint_id = written.id and p.audience_id = $3 and p.is_initial = $4::boolean and p.at = $5::int8
    and p.after_user is not distinct from $6 returning 1)`;

/** Notes an attempt. @param first The number of the first value: the delivery's id, then those of `attemptValues`. */
function noted(first: number, state: Delivery['state']): string {
  const [id, atMs, status, error, tookMs, answer] = Array.from({ length: 6 }, (_, index) => `$${first + index}`);
  return `noted as (update endpoint_deliveries d set state = '${state}', attempts = attempts + 1, attempted_at_ms = ${atMs}::int8,
    status = ${status}::int4, error = ${error}, took_ms = ${tookMs}::int4, answer = ${answer},
    notice = ${state === 'delivered' ? "case when d.type <> 'user.forgotten' then d.notice end" : 'd.notice'}
    from written where d.id = ${id} returning 1)`;
}

function unchangedValues({ id, token, endpoint }: EndpointClaim): readonly SqlValue[] {
  return [id, token, BigInt(endpoint.updatedAtMs)];
}

function attemptValues({ atMs, status, error, tookMs, answer }: LastAttempt): readonly SqlValue[] {
  return [BigInt(atMs), status, error, tookMs, answer];
}
