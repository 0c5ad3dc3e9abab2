import type { Micros } from '../../messages/message.ts';
import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';
import type { Difference, Evaluation } from '../../stores/analytics/analytics-store.ts';
import type { Database, SqlValue } from '../../stores/database/database.ts';
import { IS_FREE, Leases, NEW_LEASE } from '../../stores/database/leases.ts';
import { NOW_MS } from '../../stores/database/sql-time.ts';
import { KEPT_EVALUATION, SqlAudiencePast } from './audience-past-sql.ts';
import { AUDIENCE_COLUMNS, type ClaimRow, LIVE_THROUGH, openEpoch, toAudience, unknown } from './audience-row.ts';
import type { Claim, ClaimantEpoch } from './audience-store.ts';

/** Claims on audiences to evaluate, in a Postgres-compatible database. */
export class SqlAudienceClaims extends SqlAudiencePast {
  readonly #database: Database;

  constructor(database: Database) {
    super(database);
    this.#database = database;
  }

  /**
   * Claims an unclaimed audience that is due or deleted; undefined if there is no such audience. It prefers
   * one of the project after `lastProjectId` in the cyclic order of ids, so that each project has its turn.
   */
  async claimDue(leaseMs: number, lastProjectId = '', epoch: ClaimantEpoch = null): Promise<Claim | undefined> {
    return this.#claim(
      `id = (select id from audiences where due_at_ms <= ${NOW_MS} and ${IS_FREE} and ${MAY_CLAIM}
             order by project_id <= $4, project_id, due_at_ms limit 1 for update skip locked)`,
      { leaseMs, epoch },
      [lastProjectId],
    );
  }

  /** @throws TidemarkError `AUDIENCE_BUSY`, retryable; `AUDIENCE_UNKNOWN`. */
  async claim(projectId: string, id: string, leaseMs: number, epoch: ClaimantEpoch = null): Promise<Claim> {
    const which = `project_id = $4 and id = $5 and deleted_at_ms is null and ${IS_FREE} and ${MAY_CLAIM}`;
    const claim = await this.#claim(which, { leaseMs, epoch }, [projectId, id]);
    if (claim !== undefined) return claim;
    const sql = 'select 1 from audiences where project_id = $1 and id = $2 and deleted_at_ms is null';
    if ((await this.#database.query(sql, [projectId, id])).length === 0) throw unknown(id);
    throw new TidemarkError('AUDIENCE_BUSY', 'This audience is being evaluated now.');
  }

  /**
   * Records a successful evaluation, and that it was the last; the next is due after the refresh. Returns false, and changes nothing, if the
   * claim has expired.
   */
  async commit(claim: Claim, { at, version, cause }: Evaluation, difference: Difference): Promise<boolean> {
    const { entered, left, members } = difference;
    return this.changeLeased(
      claim,
      `evaluated_at = $3::int8, evaluated_version = $4::int4, evaluated_cause = $5, entered = $6::int8,
       left_members = $7::int8, members = $8::int8, failure = null,
       due_at_ms = case when refresh_ms is null and not is_live then null when version <> $4::int4 then ${NOW_MS}
                        else ${NOW_MS} + ${INTERVAL} end`,
      [at, version, cause, BigInt(entered), BigInt(left), BigInt(members)],
      { and: 'deleted_at_ms is null', alsoWrites: KEPT_EVALUATION },
    );
  }

  /** Notes that the changes of this evaluation can be read. */
  async noteReadable({ id }: Claim, at: Micros): Promise<void> {
    const sql = 'update audiences set changes_readable_at = greatest(changes_readable_at, $2::int8) where id = $1';
    await this.#database.query(sql, [id, at]);
  }

  /** The evaluation failed. The next is due after this time, or after the refresh if that is shorter. */
  async giveUp(claim: Claim, failure: ErrorCode, againInMs: number): Promise<void> {
    const due = `due_at_ms = case when deleted_at_ms is not null then ${NOW_MS} + least($4::int8, 15000)
      when refresh_ms is null and not is_live then null else ${NOW_MS} + least(${INTERVAL}, $4::int8) end`;
    await this.changeLeased(claim, `failure = $3, ${due}`, [failure, BigInt(againInMs)]);
  }

  /** Deletes the row of a deleted audience. */
  async forget({ id, token }: Claim): Promise<void> {
    const sql = 'delete from audiences where id = $1 and claim = $2 and deleted_at_ms is not null';
    await this.#database.query(sql, [id, token]);
  }

  /** Makes a live audience due now, for whoever may claim it, and forgets that an evaluation failed. */
  async makeDue(projectId: string, id: string): Promise<void> {
    const sql = `update audiences set due_at_ms = ${NOW_MS}, failure = null
                 where project_id = $1 and id = $2 and is_live and deleted_at_ms is null`;
    await this.#database.query(sql, [projectId, id]);
  }

  /** Whether the audience is due or being evaluated; null: neither. */
  async isAwaited(id: string): Promise<'due' | 'claimed' | null> {
    const sql = `select case when not ${IS_FREE} then 'claimed' when due_at_ms <= ${NOW_MS} then 'due' end as state
                 from audiences where id = $1`;
    const [row] = await this.#database.query<{ state: 'due' | 'claimed' | null }>(sql, [id]);
    return row?.state ?? null;
  }

  async #claim(
    which: string,
    { leaseMs, epoch }: { readonly leaseMs: number; readonly epoch: ClaimantEpoch },
    values: readonly SqlValue[],
  ): Promise<Claim | undefined> {
    const token = Leases.newToken();
    const sql = `update audiences set ${NEW_LEASE},
                   is_held = is_live and deleted_at_ms is null and $3::int8 is not null,
                   claimed_at = greatest(${NOW_MICROS}, claimed_at + 1, evaluated_at + 1, ${LIVE_THROUGH} + 1),
                   live_through = ${LIVE_THROUGH}, live_epoch = null
                 where ${which} returning ${AUDIENCE_COLUMNS}, claimed_at as "claimedAt", deleted_at_ms is not null as "isDeleted"`;
    const [row] = await this.#database.query<ClaimRow>(sql, [token, BigInt(leaseMs), epoch, ...values]);
    if (row === undefined) return undefined;
    const { claimedAt: at, isDeleted, ...audience } = row;
    return { id: row.id, token, audience: toAudience(audience), at, isDeleted };
  }
}

const NOW_MICROS = '(extract(epoch from clock_timestamp()) * 1000000)::int8';
/** See `ClaimantEpoch`. */
const MAY_CLAIM = `($3::int8 is null or (not is_live and not is_held) or exists (${openEpoch('$3::int8')}))`;
/** Live audiences are evaluated every minute where nobody follows their messages. */
const INTERVAL = 'coalesce(refresh_ms, 60000)';
