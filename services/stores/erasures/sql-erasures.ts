import { BASE36, randomText } from '../projects/keys.ts';
import type { Database, Queryable } from '../database/database.ts';
import { type ErasedUser, SOME_EVENTS, EVERYBODY } from './erased-users.ts';
import type { Erasure, ErasureFilter, NewErasure, NewestErasure } from './erasure.ts';
import { forgetInTexts } from './forgotten-texts.ts';

export interface ErasureTerms {
  readonly projectId: string;
  readonly suppress: boolean;
  readonly actor: string;
  /** As of an `Erasure`, of all people of the request. */
  readonly keptApart?: readonly string[];
}

/** A project that is being deleted. */
export interface DeletedProject {
  readonly id: string;
  readonly name: string;
  /** Whether the stores may have something of it. */
  readonly leaves: boolean;
  readonly actor: string;
}

/** Article 12 of the GDPR: one month. */
export const DUE_AFTER_US = 30n * 86_400_000_000n;

/**
 * How long after a lift messages are still dropped: readers may not know of it yet, and what is gone is to depend on the
 * message alone.
 */
const KNOWN_AFTER_US = 5_000_000n;

export const NOW_US = '(extract(epoch from clock_timestamp()) * 1000000)::int8';

/** The erasures of an installation, in a Postgres-compatible database. Methods throw `STORE_UNAVAILABLE`. */
export class SqlErasures {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Asks for people to be forgotten. Somebody whose messages are dropped already keeps the erasure, which is carried out
   * again. What the service has written down in texts loses these names in the same transaction.
   *
   * @param also Runs in the transaction too.
   * @returns The erasures in the order of the people.
   */
  request(
    people: readonly NewErasure[],
    terms: ErasureTerms,
    names: readonly string[],
    also: (transaction: Queryable) => Promise<void> = () => Promise.resolve(),
  ): Promise<readonly Erasure[]> {
    const keys = people.map(({ userKey }) => userKey);
    return this.#database.transaction(async (transaction) => {
      // The second of two requests at once finds the rows of the first.
      await transaction.query('lock table erasures in share row exclusive mode');
      const known = await openOf(transaction, terms, keys);
      await reopen(transaction, terms, [...known.values()]);
      for (const person of people) await nameAgain(transaction, known.get(person.userKey), person);
      for (const person of people.filter(({ userKey }) => !known.has(userKey)))
        known.set(person.userKey, await insert(transaction, person, terms, known.get(person.withUser ?? '') ?? null));
      await noteKeptApart(transaction, [...known.values()], terms.keptApart ?? []);
      await forgetInTexts(transaction, terms.projectId, names);
      await also(transaction);
      const made = await transaction.query<Erasure>(`${ERASURES} where id = any ($1::text[])`, [[...known.values()]]);
      const byKey = new Map(made.map((erasure) => [erasure.userKey, erasure]));
      return keys.flatMap((key) => byKey.get(key) ?? []);
    });
  }

  /** Asks for everybody of a deleted project to be erased. Does nothing where that was asked before. */
  static async addProject(transaction: Queryable, { id, name, leaves, actor }: DeletedProject): Promise<void> {
    await transaction.query(
      `insert into erasures
         (id, project_id, user_key, suppress, state, requested_at_us, due_at_us, finished_at_us, actor, project_name)
       select $1::text, $2::text, '', true, case when $3::boolean then 'pending' else 'done' end, asked, asked + $4::int8,
              case when not $3::boolean then asked end, $5::text, $6::text
       from (select ${NOW_US}) as given (asked)
       on conflict (project_id) where user_key = '' do nothing`,
      [newErasureId(), id, leaves, DUE_AFTER_US, actor, name],
    );
  }

  /** Newest first. @param after The id of the last of the page before. */
  async list({ projectId, state }: ErasureFilter, limit: number, after?: string): Promise<readonly Erasure[]> {
    const sql = `${ERASURES}
      where ($1::text is null or project_id = $1) and ($2::text is null or state = $2)
        and ($3::text is null or (requested_at_us, id) < (select requested_at_us, id from erasures where id = $3))
      order by requested_at_us desc, id desc limit $4::int4`;
    const values = [projectId ?? null, state ?? null, after ?? null, limit];
    return this.#database.query<Erasure>(sql, values);
  }

  async find(id: string): Promise<Erasure | undefined> {
    const [erasure] = await this.#database.query<Erasure>(`${ERASURES} where id = $1`, [id]);
    return erasure;
  }

  /** Those of people and events that are not done, oldest first. */
  async pending(): Promise<readonly Erasure[]> {
    const sql = `${ERASURES} where state = 'pending' and user_key <> '' order by requested_at_us, id`;
    return this.#database.query<Erasure>(sql);
  }

  /** The oldest that is not done; null where all are. */
  async oldestPending(): Promise<Erasure | null> {
    const sql = `${ERASURES} where state = 'pending' order by requested_at_us, id limit 1`;
    const [oldest] = await this.#database.query<Erasure>(sql);
    return oldest ?? null;
  }

  /** The one that was asked for last, of those that are not done where there are any; null where nobody was forgotten. */
  async newestOfProject(projectId: string): Promise<NewestErasure | null> {
    const sql = `select state, requested_at_us as "requestedAt" from erasures where project_id = $1
                 order by state = 'pending' desc, requested_at_us desc limit 1`;
    const [newest] = await this.#database.query<NewestErasure>(sql, [projectId]);
    return newest ?? null;
  }

  /**
   * Takes messages of the person again: those received five seconds from now on. Where the erasure is not done yet, from
   * when it is. Undefined where no erasure of a person has this id. Idempotent.
   */
  async lift(id: string): Promise<Erasure | undefined> {
    await this.#database.query(
      `update erasures
       set suppress = false, lifted_at_us = coalesce(lifted_at_us, ${NOW_US}),
           cut_us = case when state = 'done' then coalesce(cut_us, ${NOW_US} + $2::int8) end
       where id = $1 and suppress and user_key not in ('', 'events')`,
      [id, KNOWN_AFTER_US],
    );
    const erasure = await this.find(id);
    return erasure !== undefined && [EVERYBODY, SOME_EVENTS].includes(erasure.userKey) ? undefined : erasure;
  }

  /** @param report JSON of an `ErasureReport`. */
  async report(id: string, report: string): Promise<void> {
    await this.#database.query('update erasures set report = $2::text where id = $1', [id, report]);
  }

  /** Returns false where it was done before. */
  static async finish(transaction: Queryable, id: string, report: string): Promise<boolean> {
    const done = await transaction.query(
      `update erasures
       set state = 'done', finished_at_us = ${NOW_US}, report = $2::text,
           cut_us = case when not suppress then ${NOW_US} + $3::int8 end
       where id = $1 and state = 'pending' returning 1`,
      [id, report, KNOWN_AFTER_US],
    );
    return done.length > 0;
  }

  /** The newest erasure of each of these people, by name as in `ErasedUsers`. */
  async newestOf(people: readonly ErasedUser[]): Promise<readonly Erasure[]> {
    const sql = `${ERASURES}
      where id in (select distinct on (project_id, user_key) id from erasures
                   where (project_id, user_key) in (select * from unnest($1::text[], $2::text[]))
                   order by project_id, user_key, requested_at_us desc, id desc)`;
    const values = [people.map(({ projectId }) => projectId), people.map(({ userKey }) => userKey)];
    return this.#database.query<Erasure>(sql, values);
  }

  /** Takes the ids of these people out of texts once more, and forgets them. To be called when files have none any more. */
  async forgetNames(people: readonly Erasure[]): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      for (const [projectId, ofProject] of Map.groupBy(people, (one) => one.projectId))
        await forgetInTexts(transaction, projectId, [...new Set(ofProject.flatMap(({ names }) => names))]);
      const ids = people.map(({ id }) => id);
      await transaction.query('update erasures set names = null where id = any ($1::text[])', [ids]);
    });
  }
}

/** Internal id → id of the erasure by which the messages of this person are dropped now. */
async function openOf(
  transaction: Queryable,
  { projectId }: ErasureTerms,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const rows = await transaction.query<{ readonly id: string; readonly user_key: string }>(
    'select id, user_key from erasures where project_id = $1 and user_key = any ($2::text[]) and cut_us is null',
    [projectId, keys],
  );
  return new Map(rows.map(({ id, user_key: key }) => [key, id]));
}

async function reopen(transaction: Queryable, { suppress }: ErasureTerms, ids: readonly string[]): Promise<void> {
  await transaction.query(
    `update erasures
     set state = 'pending', finished_at_us = null, suppress = suppress or $2::boolean,
         requested_at_us = ${NOW_US}, due_at_us = ${NOW_US} + $3::int8
     where id = any ($1::text[]) and state = 'done'`,
    [ids, suppress, DUE_AFTER_US],
  );
}

/** The ids of somebody who is forgotten once more: those by which the person was known before are gone. */
async function nameAgain(transaction: Queryable, id: string | undefined, person: NewErasure): Promise<void> {
  if (id === undefined) return;
  const sql = `update erasures set names = coalesce(names, '{}') || $2::text[] where id = $1 and state = 'pending'`;
  await transaction.query(sql, [id, givenIds(person)]);
}

async function noteKeptApart(transaction: Queryable, ids: readonly string[], apart: readonly string[]): Promise<void> {
  if (apart.length === 0) return;
  await transaction.query(
    `update erasures set kept_apart = array(select distinct unnest(coalesce(kept_apart, '{}') || $2::text[]))
     where id = any ($1::text[])`,
    [ids, [...apart]],
  );
}

function givenIds({ userId, anonymousId }: Pick<NewErasure, 'userId' | 'anonymousId'>): readonly string[] {
  return [userId, anonymousId].filter((name) => name !== null);
}

export function newErasureId(): string {
  return `erasure_${randomText(20, BASE36)}`;
}

async function insert(
  transaction: Queryable,
  { userKey, userId, anonymousId }: NewErasure,
  { projectId, suppress, actor }: ErasureTerms,
  cameWith: string | null,
): Promise<string> {
  const id = newErasureId();
  await transaction.query(
    `insert into erasures
       (id, project_id, user_key, suppress, came_with, state, requested_at_us, due_at_us, actor, names)
     values ($1, $2, $3, $4::boolean, $5::text, 'pending', ${NOW_US}, ${NOW_US} + $6::int8, $7, $8::text[])`,
    [id, projectId, userKey, suppress, cameWith, DUE_AFTER_US, actor, givenIds({ userId, anonymousId })],
  );
  return id;
}

/** The reason of the newest of these jobs; why it failed before where it waits for nothing. */
function waitsBecause(jobs: string): string {
  return `
    select coalesce(case when state in ('queued', 'running') then progress::jsonb ->> 'waits_because' end,
                    case when failure_code is distinct from 'STOPPING' then failure end)
    from jobs where ${jobs} order by created_at_ms desc, id desc limit 1`;
}

const ERASURES = `
  select id, project_id as "projectId", user_key as "userKey", cut_us as cut, suppress, came_with as "cameWith", state,
         requested_at_us as "requestedAt", due_at_us as "dueAt", finished_at_us as "finishedAt",
         lifted_at_us as "liftedAt", actor, report, events, coalesce(names, '{}') as names,
         coalesce(kept_apart, '{}') as "keptApart",
         case when state <> 'pending' then null
              when user_key <> '' then (${waitsBecause(`kind = 'users erase'`)})
              else (${waitsBecause(`kind = 'project erase' and args::jsonb ->> 'project' = erasures.project_id`)})
         end as "waitsBecause"
  from erasures`;
