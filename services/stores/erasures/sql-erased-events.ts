/** The events that were erased by a condition, in a Postgres-compatible database. */
import type { Database, Queryable } from '../database/database.ts';
import { SOME_EVENTS } from './erased-users.ts';
import type { Erasure } from './erasure.ts';
import { DUE_AFTER_US, newErasureId, NOW_US } from './sql-erasures.ts';

/** By the internal id of their user, the keys of events. */
export type EventKeys = ReadonlyMap<string, readonly string[]>;

export interface EventsToErase extends Pick<Erasure, 'projectId' | 'actor'> {
  /** JSON: what was asked for, without the values of the condition. */
  readonly described: string;
  readonly events: EventKeys;
}

/** Asks for events to be erased, in one transaction. Returns the id of the erasure. */
export function requestEvents(database: Database, asked: EventsToErase): Promise<string> {
  const { projectId, actor, described, events } = asked;
  const id = newErasureId();
  return database.transaction(async (transaction) => {
    await transaction.query(
      `insert into erasures (id, project_id, user_key, suppress, state, requested_at_us, due_at_us, actor, events)
       values ($1, $2, '${SOME_EVENTS}', true, 'pending', ${NOW_US}, ${NOW_US} + $3::int8, $4, $5)`,
      [id, projectId, DUE_AFTER_US, actor, described],
    );
    await transaction.query(
      `insert into erased_events (erasure_id, project_id, user_key, keys)
       select $1::text, $2::text, user_key, string_to_array(keys, ' ')
       from unnest($3::text[], $4::text[]) as given (user_key, keys)`,
      [id, projectId, [...events.keys()], Array.from(events.values(), (keys) => keys.join(' '))],
    );
    return id;
  });
}

/** Those of an erasure, in one order always: a deletion that is under way is found again by it. */
export async function eventsOf(database: Queryable, { id }: Pick<Erasure, 'id'>): Promise<EventKeys> {
  const rows = await database.query<{ readonly user_key: string; readonly keys: readonly string[] }>(
    'select user_key, keys from erased_events where erasure_id = $1 order by user_key',
    [id],
  );
  return new Map(rows.map((row) => [row.user_key, row.keys]));
}
