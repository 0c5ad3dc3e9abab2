/** Synthetic histories for the benchmarks of questions, made inside ClickHouse and kept on disk for the next run. */
import { existsSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Session } from 'chdb';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { type Peer, PEERS } from './layouts.ts';
import { DAYS, NOW_MS, PROJECT, TRAITS, USERS } from './shape.ts';

const EVENTS_AN_INSERT = 2_500_000;
/** Fresh parts on top: a second's insert each. */
const FRESH_INSERTS = 20;
const FRESH_EVENTS = 50_000;

const SHARED_FROM_BYTES = 64 * 1024;

interface History {
  readonly name: string;
  readonly events: number;
  /** Peers whose tables hold the same. */
  readonly peers?: readonly Peer[];
  /** SQL of the JSON of further properties, each with a comma before it. */
  readonly more?: string;
}

/** The analytics of this history, in a folder below `root`: made where that has not been done to its end. */
export async function madeHistory(root: string, history: History): Promise<string> {
  const folder = join(root, `${history.name}-${history.events}`);
  const done = join(folder, 'made');
  const analytics = join(folder, 'analytics');
  if (existsSync(done)) return analytics;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await (await openAnalytics(`chdb:${analytics}`)).close();
  const session = new Session(join(analytics, 'store'));
  try {
    await make(session, history);
  } finally {
    session.close();
  }
  await writeFile(done, '');
  return analytics;
}

async function make(session: Session, { events, peers = [], more }: History): Promise<void> {
  // One user's events in their own order are asked by no audience; they would take as much time and disk again.
  const feed = session.query('SHOW CREATE TABLE user_track_rows_of_tracks FORMAT TSVRaw', 'TSVRaw');
  session.query('DROP VIEW user_track_rows_of_tracks');
  step('users and traits');
  session.query(userRows());
  for (const trait of traitRows()) session.query(trait);
  for (const { tables, people } of peers) for (const sql of [...tables, people]) session.query(sql);
  for (let from = 0; from < events; from += EVENTS_AN_INSERT) {
    const to = Math.min(events, from + EVENTS_AN_INSERT);
    step(`events ${from.toLocaleString('en')} to ${to.toLocaleString('en')} of ${events.toLocaleString('en')}`);
    const selected = eventsFrom(events, from, to, 0, more);
    await session.queryAsync(`INSERT INTO track_rows ${EVENT_COLUMNS} ${selected}`);
    for (const { events: rows } of peers) await session.queryAsync(rows(selected));
  }
  session.query(feed);
  await mergeMonths(session);
}

/** As the service has it a day after a month has ended (min_age_to_force_merge_seconds): of the last one, what merges have left. */
async function mergeMonths(session: Session): Promise<void> {
  const months = `SELECT DISTINCT partition FROM system.parts WHERE active AND database = 'default' AND table = 'track_rows'`;
  const ended = session.query(`${months} ORDER BY partition`, 'TSV').trim().split('\n').slice(0, -1);
  for (const month of ended) {
    step(`merging ${month}`);
    await session.queryAsync(`OPTIMIZE TABLE track_rows PARTITION ${month} FINAL`);
  }
}

/** Stops merges and inserts what came within the last seconds, into a folder that is open in this process. */
export function makeFresh(folder: string, events: number, more?: string): void {
  const session = new Session(join(folder, 'store'));
  try {
    session.query('SYSTEM STOP MERGES');
    for (let insert = 0; insert < FRESH_INSERTS; insert++) {
      // A tenth came with the insert before.
      const from = events + insert * (FRESH_EVENTS * 0.9);
      const selected = eventsFrom(events, from, from + FRESH_EVENTS, FRESH_INSERTS * FRESH_EVENTS, more);
      session.query(`INSERT INTO track_rows ${EVENT_COLUMNS} ${selected}`);
      for (const { events: rows } of PEERS) session.query(rows(selected));
    }
  } finally {
    session.close();
  }
}

/** A copy that shares the large files, which ClickHouse never changes. */
export async function linkedCopy(from: string, to: string, root = { from, to }): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkedCopy(source, target, root);
    else if (entry.isSymbolicLink()) await symlink((await readlink(source)).replace(root.from, root.to), target);
    else if ((await stat(source)).size > SHARED_FROM_BYTES) await link(source, target);
    else await copyFile(source, target);
  }
}

function step(what: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${what}\n`);
}

/** The number of a user as the internal id gives it: 128 bits that say nothing. */
const USER = 'reinterpretAsUInt128(sipHash128(toUInt64(user_index)))';

const EVENT_COLUMNS = `(project_id, event, user, message_id, timestamp, received_at, session_id, source, properties,
  properties_text, log_partition, log_offset, message_id_given)`;

/**
 * Events by time, a year of them: 40 % "Page Viewed", 5 % "Order Completed", 0.9 % "Trial Started", twenty others. A few
 * users do much and most do little. `earlier`: events take the time of the one that is this number before them.
 */
function eventsFrom(events: number, from: number, to: number, earlier = 0, more = `''`): string {
  return `
    WITH cityHash64(number) AS dice, dice % 1000 AS kind,
         toUInt64(${USERS} * pow((intHash64(number) % 1000003) / 1000003, 1.5)) AS user_index,
         ${NOW_MS * 1000 - DAYS * 86_400_000_000} + intDiv((number - ${earlier}) * ${DAYS * 86_400}, ${events}) * 1000000 + dice % 1000000 AS at,
         leftPad(lower(hex(dice)), 16, '0') AS random,
         leftPad(lower(hex(toUInt64(intDiv(at, 1000)))), 12, '0') AS millis,
         concat('{"total":', toString((dice % 20000) / 100), ',"items":', toString(dice % 7), ',"currency":"',
                ['EUR', 'USD', 'GBP'][1 + dice % 3], '","path":"/p/', toString(dice % 5000), '","device":"',
                ['ios', 'android', 'web'][1 + intDiv(dice, 8) % 3], '"', ${more}, '}') AS text
    SELECT '${PROJECT}' AS project_id,
           multiIf(kind < 400, 'Page Viewed', kind < 450, 'Order Completed', kind < 459, 'Trial Started',
                   concat('Event ', toString(kind % 20))) AS event,
           ${USER} AS user,
           concat(substring(millis, 1, 8), '-', substring(millis, 9, 4), '-7', substring(random, 1, 3), '-9',
                  substring(random, 4, 3), '-', substring(random, 5, 12)) AS message_id,
           fromUnixTimestamp64Micro(toInt64(at), 'UTC') AS timestamp,
           fromUnixTimestamp64Micro(toInt64(at) + 250000, 'UTC') AS received_at, '' AS session_id, 'track' AS source,
           -- As the service has it: an object in a list is an empty list.
           replaceRegexpAll(text, '[{]"sku"[^}]*[}]', '[]') AS properties,
           text AS properties_text, dice % 4 AS log_partition, number AS log_offset, false AS message_id_given
    FROM numbers(${from}, ${to - from})`;
}

/** Every user, of whatever project. */
export function userRows(project = PROJECT): string {
  return `
    INSERT INTO user_rows
    SELECT '${project}', ${USER} AS user, concat(lower(hex(user)), lower(hex(sipHash128(user)))),
           concat('user-', toString(user_index)), '', toDateTime64('2025-11-20 12:00:00', 6, 'UTC'),
           toDateTime64('2026-11-20 11:00:00', 6, 'UTC')
    FROM (SELECT number AS user_index FROM numbers(${USERS}))`;
}

/** An insert a trait, of every user. */
export function traitRows(project = PROJECT): string[] {
  return Object.entries(TRAITS).map(
    ([trait, json]) => `
      INSERT INTO trait_rows
      SELECT '${project}', '${trait}', ${USER}, user_index + 1,
             multiIf(json IN ('true', 'false'), 'boolean', startsWith(json, '"'), 'string', 'number'), ${json} AS json,
             multiIf(json IN ('true', 'false'), json, startsWith(json, '"'), JSONExtractString(json), ''),
             if(startsWith(json, '"') OR json IN ('true', 'false'), 0, toFloat64OrZero(json)),
             if(startsWith(json, '"') OR json IN ('true', 'false'), NULL, toInt128OrNull(json))
      FROM (SELECT number AS user_index FROM numbers(${USERS}))`,
  );
}
