import { type Database, inCamelCase, type Queryable, type SqlValue } from '../database/database.ts';
import { NOW_MS } from '../database/sql-time.ts';
import {
  type CountedRefusals,
  dayOf,
  KEPT_DAYS,
  type ListedRefusals,
  MAX_GROUPS_A_DAY,
  otherGroup,
  type RefusalCursor,
  type RefusalGroup,
} from './refusal-store.ts';

/**
 * What was refused, in a Postgres-compatible database (schemas/postgres/013-refusals.sql). Arguments and results can be
 * cloned between threads. Every method throws `STORE_UNAVAILABLE` if the store cannot answer.
 */
export class SqlRefusalStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Adds these counts, each group once at most, all or none of them. Where the answer was lost they may have been added.
   */
  async add(counted: readonly CountedRefusals[]): Promise<void> {
    if (counted.length === 0) return;
    await this.#database.transaction(async (transaction) => {
      const known = await transaction.query<GroupOfDay>(ADD_COUNTS, refusalColumns(counted));
      const names = new Set(known.map(nameOfDay));
      const added = counted.filter((one) => !names.has(nameOfGroup(one)));
      if (added.length === 0) return;
      await transaction.query(ADD_GROUPS, refusalColumns(await withinBound(transaction, added)));
    });
  }

  /** The groups of a project of the last 30 days, that which was refused last first. */
  list(projectId: string, limit: number, after?: RefusalCursor): Promise<readonly ListedRefusals[]> {
    const { lastAtMs = null, id = null } = after ?? {};
    return this.#database.query<ListedRefusals>(LIST_GROUPS, [projectId, limit, lastAtMs, id]);
  }

  /** How many since midnight (UTC), by code. */
  async today(projectId: string): Promise<Readonly<Record<string, number>>> {
    const rows = await this.#database.query<{ readonly code: string; readonly count: bigint }>(TODAY, [projectId]);
    return Object.fromEntries(rows.map(({ code, count }) => [code, Number(count)]));
  }

  /** How many from the beginning of this day (UTC) on, and how many of them on the day itself. */
  async since(projectId: string, day: number): Promise<{ readonly all: number; readonly ofDay: number }> {
    const [row] = await this.#database.query<Record<'all' | 'of_day', bigint>>(SINCE, [projectId, day]);
    return { all: Number(row?.all ?? 0), ofDay: Number(row?.of_day ?? 0) };
  }

  /** Deletes what is older than 30 days. */
  async deleteOld(): Promise<void> {
    await this.#database.query(`delete from refusals where day <= ${OLDEST_DAY}`);
  }
}

type GroupOfDay = RefusalGroup & { readonly day: number };

function nameOfDay({ projectId, keyId, path, code, pointer, day }: GroupOfDay): string {
  return JSON.stringify([projectId, keyId, path, code, pointer, day]);
}

function nameOfGroup(one: CountedRefusals): string {
  return nameOfDay({ ...one, day: dayOf(one.lastAtMs) });
}

/** New groups, those beyond the bound of their project and day in one group. */
async function withinBound(
  transaction: Queryable,
  added: readonly CountedRefusals[],
): Promise<readonly CountedRefusals[]> {
  const rows = await transaction.query<{ project_id: string; day: number; groups: number }>(COUNT_GROUPS, [
    [...new Set(added.map(({ projectId }) => projectId))],
    [...new Set(added.map(({ lastAtMs }) => dayOf(lastAtMs)))],
  ]);
  const groups = new Map(rows.map(({ project_id, day, groups: count }) => [`${project_id} ${day}`, count]));
  const kept = new Map<string, CountedRefusals>();
  for (const one of added) {
    const ofDay = `${one.projectId} ${dayOf(one.lastAtMs)}`;
    const count = groups.get(ofDay) ?? 0;
    groups.set(ofDay, count + 1);
    const group = count < MAX_GROUPS_A_DAY ? one : { ...one, ...otherGroup(one), example: null, userAgent: null };
    const name = nameOfGroup(group);
    const before = kept.get(name);
    kept.set(name, before === undefined ? group : addedUp(before, group));
  }
  return [...kept.values()];
}

function addedUp(one: CountedRefusals, other: CountedRefusals): CountedRefusals {
  return {
    ...one,
    count: one.count + other.count,
    firstAtMs: Math.min(one.firstAtMs, other.firstAtMs),
    lastAtMs: Math.max(one.lastAtMs, other.lastAtMs),
  };
}

function refusalColumns(all: readonly CountedRefusals[]): readonly SqlValue[] {
  return [
    all.map(({ projectId }) => projectId),
    all.map(({ keyId }) => keyId),
    all.map(({ path }) => path),
    all.map(({ code }) => code),
    all.map(({ pointer }) => pointer),
    all.map(({ lastAtMs }) => dayOf(lastAtMs)),
    all.map(({ count }) => count),
    all.map(({ firstAtMs }) => firstAtMs),
    all.map(({ lastAtMs }) => lastAtMs),
    all.map(({ message }) => message),
    all.map(({ example }) => example),
    all.map(({ userAgent }) => userAgent),
  ];
}

const GIVEN = `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int4[], $7::int8[], $8::int8[],
  $9::int8[], $10::text[], $11::text[], $12::text[])
  as given (project_id, key_id, path, code, pointer, day, count, first_at_ms, last_at_ms, message, example, user_agent)`;

const GROUP_COLUMNS = 'project_id, key_id, path, code, pointer, day';

const ADD_COUNTS = `
  update refusals as kept
  set count = kept.count + given.count,
      first_at_ms = least(kept.first_at_ms, given.first_at_ms),
      last_at_ms = greatest(kept.last_at_ms, given.last_at_ms),
      message = given.message,
      user_agent = given.user_agent,
      example = coalesce(given.example, kept.example)
  from ${GIVEN}
  where (kept.project_id, kept.key_id, kept.path, kept.code, kept.pointer, kept.day)
      = (given.project_id, given.key_id, given.path, given.code, given.pointer, given.day)
  returning ${inCamelCase('project_id, key_id, path, code, pointer, day', 'kept.')}`;

const COUNT_GROUPS = `
  select project_id, day, count(*)::int4 as groups
  from refusals
  where project_id = any($1::text[]) and day = any($2::int4[])
  group by project_id, day`;

// Another process may have added the same group since.
const ADD_GROUPS = `
  insert into refusals as kept (${GROUP_COLUMNS}, count, first_at_ms, last_at_ms, message, example, user_agent)
  select ${GROUP_COLUMNS}, count, first_at_ms, last_at_ms, message, example, user_agent
  from ${GIVEN}
  order by ${GROUP_COLUMNS}
  on conflict (${GROUP_COLUMNS}) do update
  set count = kept.count + excluded.count,
      first_at_ms = least(kept.first_at_ms, excluded.first_at_ms),
      last_at_ms = greatest(kept.last_at_ms, excluded.last_at_ms),
      message = excluded.message,
      user_agent = excluded.user_agent,
      example = coalesce(excluded.example, kept.example)`;

/** The newest day that is not kept any more. */
const OLDEST_DAY = `(${NOW_MS} / 86400000 - ${KEPT_DAYS})::int4`;

const TODAY = `
  select code, sum(count)::int8 as count
  from refusals
  where project_id = $1 and day = (${NOW_MS} / 86400000)::int4
  group by code`;

const SINCE = `
  select coalesce(sum(count), 0)::int8 as all, coalesce(sum(count) filter (where day = $2::int4), 0)::int8 as of_day
  from refusals
  where project_id = $1 and day >= $2::int4 and code <> 'adjusted'`;

// Messages and examples, a kilobyte each, are looked up for the groups of the page alone.
const LIST_GROUPS = `
  with groups as (
    select key_id, path, code, pointer,
           sum(count)::int8 as count, min(first_at_ms) as first_at_ms, max(last_at_ms) as last_at_ms,
           md5(jsonb_build_array(key_id, path, code, pointer)::text) as id
    from refusals
    where project_id = $1 and day > ${OLDEST_DAY}
    group by key_id, path, code, pointer
  ), page as (
    select * from groups
    where $3::int8 is null or (last_at_ms, id) < ($3::int8, $4::text)
    order by last_at_ms desc, id desc
    limit $2::int8
  )
  select $1::text as "projectId", ${inCamelCase('key_id, path, code, pointer, count::float8, first_at_ms::float8, last_at_ms::float8, id', 'page.')},
         newest.message, newest.user_agent as "userAgent", example.example,
         (select name from api_keys where api_keys.id = page.key_id) as "keyName"
  from page
  cross join lateral (
    select message, user_agent from refusals
    where (project_id, key_id, path, code, pointer) = ($1, page.key_id, page.path, page.code, page.pointer)
    order by day desc limit 1
  ) newest
  left join lateral (
    select example from refusals
    where (project_id, key_id, path, code, pointer) = ($1, page.key_id, page.path, page.code, page.pointer)
      and example is not null
    order by day desc limit 1
  ) example on true
  order by page.last_at_ms desc, page.id desc`;
