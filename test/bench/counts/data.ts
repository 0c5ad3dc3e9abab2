/** The history of the audience benchmark with one more property, and the tables in which two peers keep its last months. */
import { join } from 'node:path';
import type { Session } from 'chdb';
import { EVENT_COLUMNS, eventsFrom, madeOnce, mergeMonths, traitRows, userRows } from '../audience/data.ts';

const EVENTS_AN_INSERT = 1_000_000;

/** `screen`: a property of ten values. */
const SCREEN = `concat(',"screen":"s', toString(intDiv(dice, 1000) % 10), '"')`;

/** A folder of chDB with this number of events, made where it is missing. */
export function madeHistory(root: string, events: number): Promise<string> {
  return madeOnce(join(root, `counts-${events}`), (session) => make(session, events));
}

async function make(session: Session, events: number): Promise<void> {
  // One user's events in their own order are asked by no question here; they would take as much time and disk again.
  const feed = session.query('SHOW CREATE TABLE user_event_rows_of_tracks FORMAT TSVRaw', 'TSVRaw');
  session.query('DROP VIEW user_event_rows_of_tracks');
  session.query(userRows());
  for (const trait of traitRows()) session.query(trait);
  for (let from = 0; from < events; from += 2 * EVENTS_AN_INSERT) {
    process.stderr.write(`${new Date().toISOString().slice(11, 19)} events from ${from} of ${events}\n`);
    await Promise.all([insert(session, events, from), insert(session, events, from + EVENTS_AN_INSERT)]);
  }
  session.query(feed);
  await mergeMonths(session);
}

export async function insert(session: Session, events: number, from: number): Promise<void> {
  const to = Math.min(events, from + EVENTS_AN_INSERT);
  if (to <= from) return;
  await session.queryAsync(`INSERT INTO track_rows ${EVENT_COLUMNS} ${eventsFrom(events, from, to, 0, SCREEN)}`);
}
