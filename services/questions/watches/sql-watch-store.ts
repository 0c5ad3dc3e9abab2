import type { ErrorCode } from '../../runtime/errors.ts';
import type { Database, Queryable } from '../../stores/database/database.ts';
import { IS_FREE, Leases, NEW_LEASE } from '../../stores/database/leases.ts';
import { NOW_MS } from '../../stores/database/sql-time.ts';
import { BASE36, randomText } from '../../stores/projects/keys.ts';
import { refuseMore } from '../../stores/service-state/sql-pins-and-notes.ts';
import type { WatchMessage, Watch, WatchClaim, WatchState } from './watch.ts';

/** Makes the messages for endpoints, in the transaction. */
export type Tell = (transaction: Queryable, message: WatchMessage) => Promise<void>;

/**
 * Watches in a Postgres-compatible database (schemas/postgres/053-watches.compatible.sql). Arguments and results of what has
 * a project can be cloned between threads. Every method throws `STORE_UNAVAILABLE` while the store is unreachable.
 */
export class SqlWatchStore extends Leases {
  readonly #database: Database;
  #isAttentionThere = false;

  constructor(database: Database) {
    super(database, 'watches');
    this.#database = database;
  }

  /** By name. */
  async list(projectId: string): Promise<readonly Watch[]> {
    const sql = `select ${WATCH_COLUMNS} from watches where project_id = $1 order by name`;
    return (await this.#database.query<WatchRow>(sql, [projectId])).map(toWatch);
  }

  /**
   * Under this name, in place of what had it; it stays raised until it is evaluated, which is at once.
   *
   * @throws TidemarkError `KEPT_LIMIT` where there are 50 others.
   */
  save(projectId: string, name: string, definition: string): Promise<Watch> {
    return this.#database.transaction(async (transaction) => {
      await refuseMore(transaction, projectId, 50, { in: 'watches', but: ['name', name] });
      const [row] = await transaction.query<WatchRow>(
        `insert into watches (id, project_id, name, definition) values ($1, $2, $3, $4)
         on conflict (project_id, name) do update set definition = excluded.definition, due_at_ms = 0
         returning ${WATCH_COLUMNS}`,
        [`watch_${randomText(20, BASE36)}`, projectId, name, definition],
      );
      return toWatch(row as WatchRow);
    });
  }

  /** Returns whether there was one. Nobody is told that it has ended. */
  async remove(projectId: string, name: string): Promise<boolean> {
    const sql = 'delete from watches where project_id = $1 and name = $2 returning id';
    return (await this.#database.query(sql, [projectId, name])).length > 0;
  }

  /** Claims a watch that is due, as `SqlAudienceClaims.claimDue` an audience; the next time is due after this time. */
  async claimDue(leaseMs: number, everyMs: number, lastProjectId: string): Promise<WatchClaim | undefined> {
    // No migration makes it: a restore needs tables that are empty.
    if (!this.#isAttentionThere) await this.#database.query(MAKE_ATTENTION);
    this.#isAttentionThere = true;
    const token = Leases.newToken();
    const [row] = await this.#database.query<WatchRow>(
      `update watches set ${NEW_LEASE}, due_at_ms = ${NOW_MS} + $3::int8
       where id = (select id from watches where due_at_ms <= ${NOW_MS} and ${IS_FREE} and ${IS_WANTED}
                   order by coalesce(project_id, '') <= $4, project_id, due_at_ms limit 1 for update skip locked)
       returning ${WATCH_COLUMNS}`,
      [token, BigInt(leaseMs), BigInt(everyMs), lastProjectId],
    );
    return row && { id: row.id, token, watch: toWatch(row) };
  }

  /**
   * Keeps what was found and makes the messages, both or none. Returns false, and does neither, where the claim has run out or the
   * watch was changed meanwhile.
   */
  commit(claim: WatchClaim, state: WatchState, messages: readonly WatchMessage[], tell: Tell): Promise<boolean> {
    return this.#database.transaction(async (transaction) => {
      const values = [JSON.stringify(state), claim.watch.definition];
      const leases = new Leases(transaction, 'watches');
      const isOurs = await leases.changeLeased(claim, 'state = $3, failure = null', values, { and: 'definition = $4' });
      if (isOurs) for (const one of messages) await tell(transaction, one);
      return isOurs;
    });
  }

  async giveUp(claim: WatchClaim, failure: ErrorCode): Promise<void> {
    await this.changeLeased(claim, 'failure = $3', [failure]);
  }
}

const MAKE_ATTENTION = `
  insert into watches (id, name, definition) values ('attention', 'attention', '{}') on conflict do nothing`;

/** Nobody looks around for what no endpoint is told of. */
const IS_WANTED = `(project_id is not null or exists (
  select from endpoints where types && array['attention.raised', 'attention.ended']))`;

const WATCH_COLUMNS = 'id, project_id, name, definition, state, failure';

type WatchRow = Omit<Watch, 'projectId' | 'state'> & { readonly project_id: string | null; readonly state: string };

function toWatch({ project_id: projectId, state, ...row }: WatchRow): Watch {
  return { ...row, projectId, state: JSON.parse(state) as WatchState };
}
