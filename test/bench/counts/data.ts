/** The history of the audience benchmark with one more property, and the tables in which two peers keep its last months. */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Session } from 'chdb';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { EVENT_COLUMNS, eventsFrom, mergeMonths, traitRows, userRows } from '../audience/data.ts';

const EVENTS_AN_INSERT = 1_000_000;

/** `screen`: a property of ten values. */
const SCREEN = `concat(',"screen":"s', toString(intDiv(dice, 1000) % 10), '"')`;

/** A folder of chDB with so many events, made where it is not there yet. */
export async function madeHistory(root: string, events: number): Promise<string> {
  const folder = join(root, `counts-${events}`);
  const done = join(folder, 'made');
  const analytics = join(folder, 'analytics');
  if (existsSync(done)) return analytics;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await (await openAnalytics(`chdb:${analytics}`)).close();
  const session = new Session(join(analytics, 'store'));
  try {
    await make(session, events);
  } finally {
    session.close();
  }
  await writeFile(done, '');
  return analytics;
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
