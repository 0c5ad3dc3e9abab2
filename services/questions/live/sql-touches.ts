import type { JoinChange } from '../../stores/analytics/joins.ts';
import type { Database } from '../../stores/database/database.ts';
import type { Inserted, TouchedUser } from './followed.ts';

/** What one insert wrote, as a sink noted it. */
export interface NotedInsert {
  readonly id: bigint;
  readonly generation: number;
  readonly users: Inserted;
}

/**
 * A user: the internal id; the names of events and of traits, null where these are not known; cause and person of a
 * `JoinChange`. What is not there at the end is left out.
 */
type NotedUser = readonly [string, Known?, Known?, (readonly [JoinChange['cause'], string])?];
type Known = readonly string[] | null;

/** By project. */
type NotedUsers = Readonly<Record<string, readonly NotedUser[]>>;

/** A row of more users takes long to read, and nothing is decided meanwhile. */
const USERS_A_ROW = 10_000;
const READ_ROWS = 20;

/**
 * Hands on what sinks insert to the process that decides live audiences, whichever has which
 * (schemas/postgres/039-live-touches.sql). Every method throws TidemarkError `STORE_UNAVAILABLE`, retryable, while the database
 * cannot be reached.
 */
export class SqlTouches {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Whether anybody wants to know of an insert. Ask after it: an audience that is live from then on is evaluated later, and so
   * finds what was inserted.
   */
  async areWanted(): Promise<boolean> {
    const sql = 'select 1 from audiences where is_live and deleted_at_ms is null limit 1';
    return (await this.#database.query(sql)).length > 0;
  }

  async write(generation: number, users: Inserted): Promise<void> {
    for (let from = 0; from < users.length; from += USERS_A_ROW) {
      const noted: Record<string, NotedUser[]> = {};
      for (const user of users.slice(from, from + USERS_A_ROW)) (noted[user.projectId] ??= []).push(notedUser(user));
      await this.#database.query('insert into live_touches (generation, users) values ($1::int4, $2)', [
        generation,
        JSON.stringify(noted),
      ]);
    }
  }

  /** Some of what is noted; a row stays until it is dropped. */
  async read(): Promise<readonly NotedInsert[]> {
    const rows = await this.#database.query<{ id: bigint; generation: number; users: string }>(
      `select id, generation, users from live_touches order by id limit ${READ_ROWS}`,
    );
    return rows.map(({ id, generation, users }) => ({
      id,
      generation,
      users: toUsers(JSON.parse(users) as NotedUsers),
    }));
  }

  /** Nothing is dropped once another process has opened an epoch: it may not have read them. */
  async drop(ids: readonly bigint[], epoch: bigint): Promise<void> {
    await this.#database.query(
      `delete from live_touches where id = any($1::int8[])
       and exists (select from live_epochs where epoch = $2 and closed_at_ms is null)`,
      [ids, epoch],
    );
  }
}

function toUsers(noted: NotedUsers): Inserted {
  return Object.entries(noted).flatMap(([projectId, users]) =>
    users.map(([userKey, events, traits, joinChange]) => ({
      projectId,
      userKey,
      names: !events ? null : { events: new Set(events), traits: new Set(traits) },
      ...(joinChange && { joinChange: { cause: joinChange[0], person: joinChange[1] } }),
    })),
  );
}

function notedUser({ userKey, names, joinChange }: TouchedUser): NotedUser {
  const [events, traits] = names === null ? [null, null] : [[...names.events], [...names.traits]];
  if (joinChange) return [userKey, events, traits, [joinChange.cause, joinChange.person]];
  return names === null ? [userKey] : [userKey, events, traits];
}
