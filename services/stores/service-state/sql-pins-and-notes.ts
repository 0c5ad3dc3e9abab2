import type { Micros } from '../../messages/message.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Database, Queryable } from '../database/database.ts';
import { NOW_MS } from '../database/sql-time.ts';
import { BASE36, randomText } from '../projects/keys.ts';

export interface Pin {
  /** Unique in the project. */
  readonly name: string;
  /** A page of the console: what stands behind its `#/`. */
  readonly address: string;
}

export interface Note {
  /** What marks itself has the id of what it is about; null where it has none. */
  readonly kind: 'note' | 'audience' | 'import' | 'replay';
  readonly id: string | null;
  readonly at: Micros;
  /** A name, where it marks itself. */
  readonly text: string;
  /** The name of the key; null where that is not known. */
  readonly by: string | null;
}

export const MAX_PINS = 6;
const MAX_NOTES = 1_000;
/** In one answer. */
export const MAX_LISTED_NOTES = 500;

/**
 * What people keep on the first page of the console, and what happened on a day, in a Postgres-compatible database
 * (schemas/postgres/051-pins-and-notes.compatible.sql). Arguments and results can be cloned between threads. Every method
 * throws `STORE_UNAVAILABLE` while the store is unreachable.
 */
export class SqlPinsAndNotes {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** In the order in which they were pinned. */
  pins(projectId: string): Promise<readonly Pin[]> {
    const sql = 'select name, address from pins where project_id = $1 order by pinned_at_ms, name';
    return this.#database.query<Pin>(sql, [projectId]);
  }

  /** Under this name, in place of what had it. @throws TidemarkError `KEPT_LIMIT` where there are six others. */
  pin(projectId: string, { name, address }: Pin): Promise<void> {
    return this.#database.transaction(async (transaction) => {
      await refuseMore(transaction, projectId, MAX_PINS, { in: 'pins', but: ['name', name] });
      await transaction.query(
        `insert into pins (project_id, name, address, pinned_at_ms)
         select $1, $2, $3, greatest(${NOW_MS}, max(pinned_at_ms) + 1) from pins where project_id = $1
         on conflict (project_id, name) do update set address = excluded.address`,
        [projectId, name, address],
      );
    });
  }

  /** Returns whether there was one. */
  async unpin(projectId: string, name: string): Promise<boolean> {
    const sql = 'delete from pins where project_id = $1 and name = $2 returning name';
    return (await this.#database.query(sql, [projectId, name])).length > 0;
  }

  /** What people wrote, and what the service knows: imports, replays, and definitions of audiences that changed. Newest first. */
  notes(projectId: string, since: Micros, until: Micros): Promise<readonly Note[]> {
    return this.#database.query<Note>(NOTES, [projectId, since, until]);
  }

  /** Returns its id. @throws TidemarkError `KEPT_LIMIT` where the project has 1,000. */
  addNote(projectId: string, { at, text }: Pick<Note, 'at' | 'text'>, by: string | null): Promise<string> {
    const id = `note_${randomText(20, BASE36)}`;
    return this.#database.transaction(async (transaction) => {
      await refuseMore(transaction, projectId, MAX_NOTES, { in: 'notes', but: ['id', id] });
      const sql = 'insert into notes (id, project_id, at, text, noted_by) values ($1, $2, $3::int8, $4, $5)';
      await transaction.query(sql, [id, projectId, at, text, by]);
      return id;
    });
  }

  /** Returns whether there was one. */
  async removeNote(projectId: string, id: string): Promise<boolean> {
    const sql = 'delete from notes where project_id = $1 and id = $2 returning id';
    return (await this.#database.query(sql, [projectId, id])).length > 0;
  }
}

interface Kept {
  readonly in: 'pins' | 'notes' | 'watches';
  readonly but: readonly [column: 'name' | 'id', value: string];
}

/** Two that are made at once count each other. @param kept Where, and by which column the new one is known. */
export async function refuseMore(
  transaction: Queryable,
  projectId: string,
  most: number,
  { in: table, but: [column, value] }: Kept,
): Promise<void> {
  await transaction.query('select 1 from projects where id = $1 for update', [projectId]);
  const others = `select 1 from ${table} where project_id = $1 and ${column} <> $2`;
  if ((await transaction.query(others, [projectId, value])).length < most) return;
  throw new TidemarkError('KEPT_LIMIT', `This project has ${most} ${table}, as many as it may have. Delete one first.`);
}

const NOTES = `
  select kind, id, at, text, (select name from api_keys where api_keys.id = by_key) as by
  from (
    select 'note' as kind, id, at, text, noted_by as by_key
    from notes where project_id = $1
    union all
    select 'audience', a.id, v.changed_at_ms * 1000, a.name, v.changed_by
    from audience_versions v join audiences a on a.id = v.audience_id
    where a.project_id = $1 and a.deleted_at_ms is null and v.version > 1
    union all
    select 'import', id, finished_at_ms * 1000, args::jsonb ->> 'name', principal
    from jobs where kind = 'import' and state = 'done' and args::jsonb ->> 'project' = $1
    union all
    select 'replay', null, finished_at_ms * 1000, args::jsonb ->> 'kind', principal
    from jobs where kind in ('replay swap', 'replay rollback') and state = 'done' and coalesce(args::jsonb ->> 'project', $1) = $1
  ) as marks
  where at >= $2::int8 and at < $3::int8
  order by at desc, id
  limit ${MAX_LISTED_NOTES}`;
