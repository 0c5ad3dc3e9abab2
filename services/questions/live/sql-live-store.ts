import type { Micros } from '../../messages/message.ts';
import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';
import type { Database, Queryable, SqlValue } from '../../stores/database/database.ts';
import { IS_FREE } from '../../stores/database/leases.ts';
import { NOW_MS } from '../../stores/database/sql-time.ts';
import type { LiveEpoch } from '../../stores/analytics/live-history.ts';
import { LIVE_THROUGH, openEpoch } from '../saved/audience-row.ts';
import { MAX_EVALUATIONS } from '../saved/audience-store.ts';

/** What a tick changes of one audience. */
export interface LiveCounts {
  readonly audienceId: string;
  /** The definition's. */
  readonly version: number;
  readonly entered: number;
  readonly left: number;
}

/** A live audience as it is saved now. */
export interface LiveAudienceRow {
  readonly id: string;
  readonly projectId: string;
  readonly version: number;
  /** The project's. */
  readonly timezone: string;
  readonly joins: boolean;
  /** The instant before which events of the project are deleted; null where none are. */
  readonly eventsFrom: Micros | null;
}

/**
 * How far live audiences are, in the database of the audiences (schemas/postgres/030-live-audiences.sql, 036-folded-epochs.sql,
 * 039-live-touches.sql). Every method throws `STORE_UNAVAILABLE`, retryable, while the database cannot be reached.
 */
export class SqlLiveStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Opens an epoch, and holds it for a while: nobody else opens one until then, unless by force. Every live audience is due, to
   * be evaluated.
   *
   * @param byForce Whoever holds another epoch loses it.
   * @throws TidemarkError `AUDIENCE_BUSY` while another process holds one.
   */
  open(byForce: boolean): Promise<LiveEpoch> {
    return this.#database.transaction(async (transaction) => {
      // An advance under way ends before, and none of those epochs begins another.
      await transaction.query(
        `update live_epochs set closed_at_ms = ${NOW_MS} where closed_at_ms is null
         and ($1::boolean or held_until_ms is null or held_until_ms <= ${NOW_MS})`,
        [byForce],
      );
      const others = await transaction.query('select epoch from live_epochs where closed_at_ms is null');
      if (others.length > 0) throw overtaken();
      const opened = await newEpoch(transaction, null);
      // What was inserted before is found by the evaluations.
      await transaction.query('delete from live_touches');
      await transaction.query(
        `update audiences set is_held = false, due_at_ms = case when is_live then ${NOW_MS} else due_at_ms end
         where deleted_at_ms is null and (is_live or is_held)`,
      );
      return opened;
    });
  }

  /** Holds the open epoch for a while longer. Returns false if it is closed. */
  async renew(epoch: bigint): Promise<boolean> {
    const sql = `update live_epochs set held_until_ms = ${LEASED_UNTIL} where epoch = $1 and closed_at_ms is null returning epoch`;
    return (await this.#database.query(sql, [epoch])).length > 0;
  }

  /** Anybody may open another epoch from now on. */
  async release(epoch: bigint): Promise<void> {
    await this.#database.query('update live_epochs set held_until_ms = null where epoch = $1', [epoch]);
  }

  /**
   * Closes an epoch in which it is in doubt what counts, and opens another instead. Resolves with the new one, and with
   * where the closed one ends. Audiences that follow go on to.
   *
   * @throws TidemarkError `AUDIENCE_BUSY` if somebody else has opened an epoch since.
   */
  reopen(epoch: bigint): Promise<LiveEpoch> {
    return this.#database.transaction(async (transaction) => {
      const close = `update live_epochs set closed_at_ms = ${NOW_MS} where epoch = $1 and closed_at_ms is null returning through`;
      const [closed] = await transaction.query<{ through: Micros }>(close, [epoch]);
      if (closed === undefined) throw overtaken();
      const next = await newEpoch(transaction, closed.through);
      await transaction.query('update audiences set live_epoch = $2 where live_epoch = $1', [epoch, next.epoch]);
      return next;
    });
  }

  /** The time of the database's clock, later than this. */
  async now(after: Micros): Promise<Micros> {
    const sql = `select greatest((extract(epoch from clock_timestamp()) * 1000000)::int8, $1::int8 + 1) as now`;
    const [row] = await this.#database.query<{ now: Micros }>(sql, [after]);
    return row?.now ?? after + 1n;
  }

  /**
   * Makes the changes of the epoch count up to this instant, together with what they change of the audiences. Returns false,
   * and changes nothing, if the epoch is closed.
   */
  async advance(epoch: bigint, at: Micros, counts: readonly LiveCounts[]): Promise<boolean> {
    if (counts.length === 0) return move(this.#database, epoch, at);
    return this.#database.transaction(async (transaction) => {
      if (!(await move(transaction, epoch, at))) return false;
      await count(transaction, epoch, at, counts);
      return true;
    });
  }

  /**
   * The audience was evaluated and follows from now on: it is not due while it has this version of its definition. Returns
   * false, and changes nothing, if the epoch is closed.
   */
  async follow(id: string, version: number, epoch: bigint): Promise<boolean> {
    const rows = await this.#database.query(
      `with following as (update audiences set due_at_ms = null
         where id = $1 and version = $2::int4 and is_live and deleted_at_ms is null and exists (${openEpoch('$3')}))
       ${openEpoch('$3')}`,
      [id, version, epoch],
    );
    return rows.length > 0;
  }

  /**
   * The audience is from now on as far as the epoch is. Returns false where it is not live any more, has another version, or
   * is being evaluated, or where the epoch is closed.
   */
  async join(id: string, version: number, epoch: bigint): Promise<boolean> {
    const joined = await this.#database.query(
      `update audiences set live_epoch = $3, changes_readable_at =
         case when evaluated_cause = 'live' then greatest(changes_readable_at, evaluated_at) else changes_readable_at end
       where id = $1 and version = $2::int4 and is_live and deleted_at_ms is null
       and ${IS_FREE} and due_at_ms is null and exists (${openEpoch('$3')})
       returning id`,
      [id, version, epoch],
    );
    return joined.length > 0;
  }

  /**
   * These audiences are to be evaluated after this time, and are no longer as far as the epoch.
   *
   * @param failure What kept them from following; null: nothing did.
   */
  async makeDue(ids: readonly string[], afterMs: number, failure: ErrorCode | null = null): Promise<void> {
    await this.#database.query(
      `update audiences set due_at_ms = ${NOW_MS} + $2::int8, live_through = ${LIVE_THROUGH}, live_epoch = null,
         failure = coalesce($3, failure)
       where id = any($1::text[]) and is_live and deleted_at_ms is null`,
      [ids, BigInt(afterMs), failure],
    );
  }

  async list(): Promise<readonly LiveAudienceRow[]> {
    return this.#database.query<LiveAudienceRow>(
      `select a.id, a.project_id as "projectId", a.version, p.timezone, p.join_ids as joins, p.events_gone_us as "eventsFrom" from audiences a
       join projects p on p.id = a.project_id where a.is_live and a.deleted_at_ms is null`,
    );
  }

  /** Epochs that were closed this time ago or longer, the oldest first. */
  closedEpochs(closedForMs: number): Promise<readonly LiveEpoch[]> {
    return this.#database.query<LiveEpoch>(
      `select epoch, through from live_epochs where closed_at_ms <= ${NOW_MS} - $1::int8 order by epoch`,
      [BigInt(closedForMs)],
    );
  }

  /** Deletes the epochs before this closed one: their changes count as its own do. */
  fold(into: bigint): Promise<void> {
    return this.#database.transaction(async (transaction) => {
      await transaction.query(
        `update audiences set live_through = ${LIVE_THROUGH}, live_epoch = null where live_epoch < $1`,
        [into],
      );
      await transaction.query('delete from live_epochs where epoch < $1 and closed_at_ms is not null', [into]);
    });
  }
}

/** For how long nobody else opens an epoch after its holder was heard of last. */
export const LEAD_MS = 15_000;
const LEASED_UNTIL = `${NOW_MS} + ${LEAD_MS}`;

/** @param through Where it begins; null: where the last one ends. */
async function newEpoch(transaction: Queryable, through: Micros | null): Promise<LiveEpoch> {
  const [row] = await transaction.query<LiveEpoch>(
    `insert into live_epochs (epoch, through, held_until_ms)
     select coalesce(max(epoch), 0) + 1, coalesce($1::int8, max(through), 0), ${LEASED_UNTIL} from live_epochs
     returning epoch, through`,
    [through],
  );
  if (row === undefined) throw new Error('no epoch came');
  return row;
}

async function move(database: Queryable, epoch: bigint, at: Micros): Promise<boolean> {
  const sql =
    'update live_epochs set through = $2 where epoch = $1 and closed_at_ms is null and through < $2 returning epoch';
  return (await database.query(sql, [epoch, at])).length > 0;
}

const COUNTED = `unnest($2::text[], $3::int4[], $4::int8[], $5::int8[]) as counted (id, version, entered, went)`;

/**
 * What an audience has as its last evaluation, and one row for each minute of its history. Callers that wait for changes
 * learn of them once they can be read: those of an audience that is not as far as the epoch yet when it joins.
 */
async function count(transaction: Queryable, epoch: bigint, at: Micros, counts: readonly LiveCounts[]): Promise<void> {
  const values: SqlValue[] = [
    at,
    counts.map(({ audienceId }) => audienceId),
    counts.map(({ version }) => version),
    counts.map(({ entered }) => BigInt(entered)),
    counts.map(({ left }) => BigInt(left)),
  ];
  await transaction.query(
    `update audiences set evaluated_at = $1, evaluated_version = counted.version, evaluated_cause = 'live',
       entered = counted.entered, left_members = counted.went, members = coalesce(members, 0) + counted.entered - counted.went,
       changes_readable_at = case when live_epoch = $6 then greatest(changes_readable_at, $1) else changes_readable_at end
     from ${COUNTED} where audiences.id = counted.id and deleted_at_ms is null`,
    [...values, epoch],
  );
  const begun = await transaction.query<{ id: string }>(
    `with minute as (delete from audience_evaluations kept using ${COUNTED}
         where kept.audience_id = counted.id and kept.version = counted.version and kept.cause = 'live'
           and kept.evaluated_at >= $1::int8 / 60000000 * 60000000
         returning kept.audience_id, kept.entered, kept.left_members),
       kept as (insert into audience_evaluations
           (audience_id, evaluated_at, version, cause, entered, left_members, members)
         select audiences.id, $1, counted.version, 'live',
           counted.entered + coalesce((select sum(entered)::int8 from minute where audience_id = counted.id), 0),
           counted.went + coalesce((select sum(left_members)::int8 from minute where audience_id = counted.id), 0),
           audiences.members
         from ${COUNTED} join audiences on audiences.id = counted.id where deleted_at_ms is null
         returning audience_id)
     select audience_id as id from kept where audience_id not in (select audience_id from minute)`,
    values,
  );
  if (begun.length > 0) await trim(transaction, begun);
}

async function trim(transaction: Queryable, begun: readonly { readonly id: string }[]): Promise<void> {
  await transaction.query(
    `delete from audience_evaluations kept using unnest($1::text[]) as one (id)
     where kept.audience_id = one.id and kept.evaluated_at <= (
       select evaluated_at from audience_evaluations where audience_id = one.id
       order by evaluated_at desc offset ${MAX_EVALUATIONS} limit 1)`,
    [begun.map(({ id }) => id)],
  );
}

/** What is thrown where somebody else has the open epoch. */
export function overtaken(): TidemarkError {
  return new TidemarkError('AUDIENCE_BUSY', 'another process follows the audiences');
}
