/** The tables of all generations and of the live ones, in a Postgres-compatible database. */
import { type AsOf, asOfFromJson, asOfToJson } from '../../messages/as-of.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { LiveNumbers } from '../analytics/analytics-store.ts';
import type { Database, Queryable } from '../database/database.ts';
import { NOW_MS } from '../database/sql-time.ts';
import { FIRST_GENERATION, type Generation, type GenerationKind } from './generation.ts';

/** The live generation of a project, or of all projects without a row of their own. */
export interface LiveRow {
  readonly kind: GenerationKind;
  /** Null for all projects. */
  readonly projectId: string | null;
  /** Null for the generation of all projects. */
  readonly number: number | null;
  /** The previous live generation; null as above. */
  readonly previous: number | null;
  /** How long it has been live, by the clock of the database. */
  readonly forMs: number;
}

export interface NewGeneration {
  readonly kind: GenerationKind;
  readonly projectId: string | null;
  readonly rateLimit: number | null;
  readonly asOf?: readonly AsOf[];
}

export interface Swap {
  readonly kind: GenerationKind;
  readonly projectId: string | null;
  readonly from: number;
  readonly to: number;
  readonly asAll?: boolean;
}

export class SqlGenerations {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** All generations, including dropped ones, oldest first. */
  async list(): Promise<readonly Generation[]> {
    const rows = await this.#database.query<GenerationRow>(`${SELECT} order by kind, number`);
    return rows.map(toGeneration);
  }

  async find(kind: GenerationKind, number: number): Promise<Generation | undefined> {
    const [row] = await this.#database.query<GenerationRow>(`${SELECT} where kind = $1 and number = $2`, [
      kind,
      number,
    ]);
    return row && toGeneration(row);
  }

  async live(): Promise<readonly LiveRow[]> {
    const rows = await this.#database.query<LiveTableRow>(LIVE);
    return rows.map(({ kind, project_id, number, previous, for_ms }) => ({
      kind,
      projectId: project_id === '' ? null : project_id,
      number,
      previous,
      forMs: for_ms,
    }));
  }

  /** Returns the generation that is being built for this target, or a new one, and whether it is new. */
  async make({ kind, projectId, rateLimit, asOf = [] }: NewGeneration): Promise<Generation> {
    const [row] = await this.#database.transaction(async (transaction) => {
      await transaction.query(GENERATIONS_LOCK);
      const building = await transaction.query<GenerationRow>(
        `${SELECT} where kind = $1 and state = 'building' and project_id is not distinct from $2`,
        [kind, projectId],
      );
      if (building.length > 0) return building;
      return transaction.query<GenerationRow>(MAKE, [kind, projectId, rateLimit, asOfToJson(asOf)]);
    });
    if (row === undefined) throw new Error('no row came back');
    return toGeneration(row);
  }

  async setRateLimit(kind: GenerationKind, number: number, rateLimit: number | null): Promise<void> {
    await this.#database.query('update generations set rate_limit = $3 where kind = $1 and number = $2', [
      kind,
      number,
      rateLimit,
    ]);
  }

  /** Records the first time only. */
  async noteCaughtUp(kind: GenerationKind, number: number, messages: bigint): Promise<void> {
    await this.#database.query(
      `update generations set caught_up_at_ms = ${NOW_MS}, messages = $3
       where kind = $1 and number = $2 and caught_up_at_ms is null`,
      [kind, number, messages],
    );
  }

  /** Pauses its readers for this time, and resolves when none of their steps is in progress. 0 resumes them. */
  async hold(kind: GenerationKind, number: number, forMs: number): Promise<void> {
    await this.#database.query(
      `update generations set held_until_ms = case when $3::int8 = 0 then 0 else ${NOW_MS} + $3 end
       where kind = $1 and number = $2`,
      [kind, number, forMs],
    );
  }

  async isAnyPaused(): Promise<boolean> {
    return (await this.#database.query(`select 1 from generations where held_until_ms > ${NOW_MS} limit 1`)).length > 0;
  }

  /**
   * Runs `check` (of the positions of the readers, which cannot move meanwhile) and makes `to` live, in one
   * transaction. Returns false if `check` does. `asAll`: the project follows the generation of all projects, which is
   * `to`.
   *
   * @throws TidemarkError `POSITION_MOVED` if another generation than `from` is live, or the pause of `from` is over.
   */
  async swap(
    { kind, projectId, from, to, asAll = false }: Swap,
    check: (transaction: Queryable) => Promise<boolean>,
  ): Promise<boolean> {
    return this.#database.transaction(async (transaction) => {
      await transaction.query(GENERATIONS_LOCK);
      const locked = await transaction.query(
        `select number from generations
         where kind = $1 and (number = $2 and held_until_ms > ${NOW_MS} or number = $3 and state in ('building', 'built'))
         order by number for update`,
        [kind, from, to],
      );
      const answering = await liveNumberOf(transaction, kind, projectId);
      if (locked.length !== 2 || answering !== from) throw moved(kind);
      if (!(await check(transaction))) return false;
      await transaction.query(FLIP, [kind, projectId ?? '', asAll ? null : to]);
      await transaction.query(
        `update generations set held_until_ms = 0, state = case when number = $3 then 'built' else state end
         where kind = $1 and number in ($2, $3)`,
        [kind, from, to],
      );
      return true;
    });
  }

  /** Marks it as being dropped, unless it is live. Its readers take no further step. */
  async beginDrop(kind: GenerationKind, number: number): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      await transaction.query(GENERATIONS_LOCK);
      const live = await transaction.query('select 1 from live_generations where kind = $1 and number = $2', [
        kind,
        number,
      ]);
      if (live.length > 0) {
        throw new TidemarkError('COMMAND_INVALID', `generation ${number} of ${kind} is the live one: it stays`);
      }
      await transaction.query(
        `update generations set state = 'dropping' where kind = $1 and number = $2 and state <> 'dropped'`,
        [kind, number],
      );
      // A dropped generation cannot be the target of a rollback.
      await transaction.query('update live_generations set previous = number where kind = $1 and previous = $2', [
        kind,
        number,
      ]);
    });
  }

  async endDrop(kind: GenerationKind, number: number): Promise<void> {
    await this.#database.query(
      `update generations set state = 'dropped' where kind = $1 and number = $2 and state = 'dropping'`,
      [kind, number],
    );
  }
}

/** The live generation of this project, or of all projects. */
export async function liveNumberOf(
  database: Queryable,
  kind: GenerationKind,
  projectId: string | null,
): Promise<number> {
  const [row] = await database.query<{ readonly number: number }>(
    `select coalesce(
       (select number from live_generations where kind = $1 and project_id = $2),
       (select number from live_generations where kind = $1 and project_id = '')) as number`,
    [kind, projectId ?? ''],
  );
  if (row === undefined) throw new Error('there is always a live generation');
  return row.number;
}

/**
 * Leaves a deleted project without a live generation, and marks its own generations as being dropped. Returns how many
 * those are.
 */
export async function forgetLive(transaction: Queryable, projectId: string): Promise<number> {
  await transaction.query(GENERATIONS_LOCK);
  await transaction.query('delete from live_generations where project_id = $1', [projectId]);
  const dropping = await transaction.query(
    `update generations set state = 'dropping' where project_id = $1 and state <> 'dropped' returning number`,
    [projectId],
  );
  return dropping.length;
}

interface GenerationRow {
  readonly kind: GenerationKind;
  readonly number: number;
  readonly project_id: string | null;
  readonly state: Generation['state'];
  readonly rate_limit: number | null;
  readonly as_of: string;
  readonly created_at_ms: bigint;
  readonly caught_up_at_ms: bigint | null;
  readonly messages: bigint | null;
}

interface LiveTableRow {
  readonly kind: GenerationKind;
  readonly project_id: string;
  readonly number: number | null;
  readonly previous: number | null;
  readonly for_ms: number;
}

// An arbitrary number that no other program uses for an advisory lock in this database. It serializes changes of these
// rows.
const GENERATIONS_LOCK = 'select pg_advisory_xact_lock(7418321992)::text';

const GENERATION_COLUMNS = `kind, number, project_id, state, rate_limit, as_of, created_at_ms, caught_up_at_ms, messages`;
const SELECT = `select ${GENERATION_COLUMNS} from generations`;

const LIVE = `
  select kind, project_id, number, previous, (${NOW_MS} - since_ms)::float8 as for_ms
  from live_generations
  order by kind, project_id`;

const MAKE = `
  insert into generations (kind, number, project_id, state, rate_limit, as_of, created_at_ms)
  select $1, max(number) + 1, $2, 'building', $3::float8, $4, ${NOW_MS}
  from generations
  where kind = $1
  returning ${GENERATION_COLUMNS}`;

const FLIP = `
  insert into live_generations as live (kind, project_id, number, previous, since_ms)
  values ($1, $2, $3, null, ${NOW_MS})
  on conflict (kind, project_id) do update
  set number = excluded.number, previous = live.number, since_ms = excluded.since_ms`;

function toGeneration(row: GenerationRow): Generation {
  return {
    kind: row.kind,
    number: row.number,
    projectId: row.project_id,
    state: row.state,
    rateLimit: row.rate_limit,
    asOf: asOfFromJson(row.as_of),
    createdAtMs: Number(row.created_at_ms),
    caughtUpAtMs: row.caught_up_at_ms === null ? null : Number(row.caught_up_at_ms),
    messages: row.messages,
  };
}

function moved(kind: GenerationKind): TidemarkError {
  return new TidemarkError('POSITION_MOVED', `the live generation of ${kind} has changed meanwhile`);
}

/** Which generation is live for which projects, from the rows of analytics. */
export function liveNumbersOf(rows: readonly LiveRow[]): LiveNumbers {
  const analytics = rows.filter(({ kind }) => kind === 'analytics');
  const all = analytics.find(({ projectId }) => projectId === null)?.number ?? FIRST_GENERATION;
  const own = analytics.flatMap(({ projectId, number }) =>
    projectId === null || number === null || number === all ? [] : [[projectId, number] as const],
  );
  return { all, own: new Map(own) };
}
