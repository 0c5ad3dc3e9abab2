import type { Queryable } from '../database/database.ts';
import { ALL_TIME, eventName, SOME_EVENTS, userName, type ErasedUser, type ErasedUsers } from './erased-users.ts';

interface ErasedRow {
  readonly project_id: string;
  readonly user_key: string;
  readonly cut_us: bigint | number | null;
}

/** The events of a user that an erasure is of, as their table has them. */
export interface ErasedEventsRow {
  readonly erasure_id: string;
  readonly project_id: string;
  readonly user_key: string;
  readonly keys: readonly string[];
}

/** Everybody who was ever forgotten, and every event that was erased. @throws TidemarkError `STORE_UNAVAILABLE`. */
export async function readErasedUsers(database: Queryable): Promise<ErasedUsers> {
  const rows = await database.query<ErasedRow>('select project_id, user_key, cut_us from erasures');
  if (!rows.some((row) => row.user_key === SOME_EVENTS)) return erasedOf(rows);
  return erasedOf(rows, await database.query<ErasedEventsRow>('select * from erased_events'));
}

export function erasedOf(rows: readonly ErasedRow[], events: readonly ErasedEventsRow[] = []): ErasedUsers {
  const erased = new Map<string, bigint>();
  for (const { project_id: projectId, user_key: userKey, keys } of events)
    for (const key of ['', ...keys]) erased.set(eventName(userName(projectId, userKey), key), ALL_TIME);
  for (const row of rows) {
    if (row.user_key === SOME_EVENTS) continue;
    const name = userName(row.project_id, row.user_key);
    const cut = row.cut_us === null ? ALL_TIME : BigInt(row.cut_us);
    if (cut > (erased.get(name) ?? -ALL_TIME)) erased.set(name, cut);
  }
  return erased;
}

/**
 * The instants up to which messages of these people are gone, where messages of them are taken again: the newest of each, by
 * name as in `ErasedUsers`.
 */
export async function newestCuts(database: Queryable, people: readonly ErasedUser[]): Promise<ErasedUsers> {
  if (people.length === 0) return new Map();
  const rows = await database.query<ErasedRow>(
    `select project_id, user_key, max(cut_us) as cut_us from erasures
     where cut_us is not null and (project_id, user_key) in (select * from unnest($1::text[], $2::text[]))
     group by project_id, user_key`,
    [people.map(({ projectId }) => projectId), people.map(({ userKey }) => userKey)],
  );
  return erasedOf(rows);
}

/** Reads the list again and again. It is the same object while nothing changed. */
export class ErasedUsersReader {
  readonly #database: Queryable;
  #known: { readonly version: string; readonly users: ErasedUsers } | undefined;

  constructor(database: Queryable) {
    this.#database = database;
  }

  /** @throws TidemarkError `STORE_UNAVAILABLE`. */
  async read(): Promise<ErasedUsers> {
    const version = await this.#version();
    // A row that comes between the two changes the version of the next time.
    if (this.#known?.version !== version) this.#known = { version, users: await readErasedUsers(this.#database) };
    return this.#known.users;
  }

  /** Rows only come, and get their cut once. */
  async #version(): Promise<string> {
    const sql = 'select count(*) as people, count(cut_us) as cuts from erasures';
    const [row] = await this.#database.query<Record<'people' | 'cuts', bigint>>(sql);
    return `${row?.people}/${row?.cuts}`;
  }
}
