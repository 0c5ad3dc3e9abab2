import type { Micros } from '../../messages/message.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Database, Queryable } from '../database/database.ts';
import { NOW_MS } from '../database/sql-time.ts';
import { MAX_SIGHTINGS } from './sightings.ts';

/** What is said of an anonymous id: it is one user's, nobody's, or whose the rule says. */
export type JoinSays = 'join' | 'apart' | 'rule';

export interface JoinDecision {
  readonly projectId: string;
  /** The internal id of who is known by the anonymous id alone. */
  readonly userKey: string;
  /** Null where a person was forgotten, who leaves it. */
  readonly anonymousId: string | null;
  readonly says: JoinSays;
  /** The internal id of the user whose it is; null unless it is to be joined. */
  readonly personKey: string | null;
  /** A later decision has a higher one. */
  readonly number: bigint;
  readonly decidedAt: Micros;
  /** The id of a key, or `forgetting`. */
  readonly decidedBy: string;
}

export type NewDecision = Omit<JoinDecision, 'number' | 'decidedAt'>;

const FORGETTING = 'forgetting';

// Whoever has read a number has read all that are lower: two transactions may not end in another order.
const IN_TURN = 'lock table join_decisions in share row exclusive mode';

const COLUMNS = `
  project_id as "projectId", anonymous_key as "userKey", anonymous_id as "anonymousId", says, person_key as "personKey", number,
  decided_at_ms * 1000 as "decidedAt", decided_by as "decidedBy"`;

/**
 * What operators decided about anonymous ids, which beats the rule. They are of the installation, not of the log: a replay reads
 * them, and a backup has them. Methods throw TidemarkError `STORE_UNAVAILABLE`, retryable.
 */
export class SqlJoinDecisions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A number above all that were given before, for joins as for decisions. */
  async nextNumber(): Promise<bigint> {
    const [row] = await this.#database.query<{ readonly number: bigint }>("select nextval('join_numbers') as number");
    if (row === undefined) throw new Error('a sequence always has a next number');
    return row.number;
  }

  /** @throws TidemarkError `COMMAND_INVALID` where too many are decided to be one user's. */
  async decide(decision: NewDecision): Promise<JoinDecision> {
    return this.#database.transaction(async (transaction) => {
      const { projectId, userKey, anonymousId, says, personKey, decidedBy } = decision;
      await transaction.query(IN_TURN);
      const others = await transaction.query(
        'select 1 from join_decisions where project_id = $1 and person_key = $2 and anonymous_key <> $3',
        [projectId, personKey, userKey],
      );
      if (others.length >= MAX_SIGHTINGS)
        throw new TidemarkError(
          'COMMAND_INVALID',
          `${MAX_SIGHTINGS} anonymous ids were joined to this user by hand already.`,
        );
      const [made] = await transaction.query<JoinDecision>(
        `insert into join_decisions (project_id, anonymous_key, anonymous_id, says, person_key, number, decided_at_ms, decided_by)
         values ($1, $2, $3, $4, $5, nextval('join_numbers'), ${NOW_MS}, $6)
         on conflict (project_id, anonymous_key) do update
         set anonymous_id = excluded.anonymous_id, says = excluded.says, person_key = excluded.person_key,
             number = excluded.number, decided_at_ms = excluded.decided_at_ms, decided_by = excluded.decided_by
         returning ${COLUMNS}`,
        [projectId, userKey, anonymousId, says, personKey, decidedBy],
      );
      if (made === undefined) throw new Error('an insert returns its row');
      return made;
    });
  }

  async find(projectId: string, userKey: string): Promise<JoinDecision | undefined> {
    const sql = `select ${COLUMNS} from join_decisions where project_id = $1 and anonymous_key = $2`;
    return (await this.#database.query<JoinDecision>(sql, [projectId, userKey]))[0];
  }

  /** How many hold in a project. */
  async count(projectId: string): Promise<number> {
    const sql = `select count(*)::int4 as held from join_decisions where project_id = $1 and says <> 'rule'`;
    return (await this.#database.query<{ readonly held: number }>(sql, [projectId]))[0]?.held ?? 0;
  }

  /** Those of these anonymous users, and those that join any to one of these people. */
  async about(
    projectId: string,
    userKeys: readonly string[],
    people: readonly string[],
  ): Promise<readonly JoinDecision[]> {
    const sql = `select ${COLUMNS} from join_decisions
                 where project_id = $1 and (anonymous_key = any ($2::text[]) or person_key = any ($3::text[]))`;
    return this.#database.query<JoinDecision>(sql, [projectId, [...userKeys], [...people]]);
  }

  /** Those with a higher number, in its order. */
  async after(number: bigint, limit: number): Promise<readonly JoinDecision[]> {
    const sql = `select ${COLUMNS} from join_decisions where number > $1 order by number limit $2`;
    return this.#database.query<JoinDecision>(sql, [number, limit]);
  }

  /**
   * What forgetting people does to decisions: those about them go, and what they shared with others stays apart. Otherwise it
   * would become the others' once it is no longer known that the forgotten had it too.
   *
   * @param shared The internal ids of who is known by the shared anonymous ids alone.
   */
  static async forget(
    transaction: Queryable,
    projectId: string,
    people: readonly string[],
    shared: readonly string[],
  ): Promise<void> {
    await transaction.query(IN_TURN);
    await transaction.query(
      `delete from join_decisions
       where project_id = $1 and (anonymous_key = any ($2::text[]) or person_key = any ($2::text[]))`,
      [projectId, [...people]],
    );
    await transaction.query(
      `insert into join_decisions (project_id, anonymous_key, says, number, decided_at_ms, decided_by)
       select $1, key, 'apart', nextval('join_numbers'), ${NOW_MS}, '${FORGETTING}' from unnest($2::text[]) as key
       on conflict (project_id, anonymous_key) do update
       set says = 'apart', person_key = null, number = excluded.number, decided_at_ms = excluded.decided_at_ms,
           decided_by = excluded.decided_by
       where join_decisions.says = 'rule'`,
      [projectId, [...shared]],
    );
  }
}
