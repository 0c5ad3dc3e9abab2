/** Postgres and ClickHouse against the model, row by row. */
import type { AnalyticsReader } from '../../../services/stores/analytics/analytics-store.ts';
import type { Queryable } from '../../../services/stores/database/database.ts';
import { tableOf } from '../../../services/stores/generations/generation.ts';
import { canonical, fingerprint } from './canonical.ts';
import { numberOf } from './check-log.ts';
import type { Findings } from './findings.ts';
import type { Ledger } from './ledger.ts';
import {
  eventKeyOf,
  keptSightings,
  keptTraits,
  membersOf,
  type Model,
  type ModelUser,
  sessionKeyOf,
  userNumberOf,
} from './model.ts';

const AMPLE = { maxMs: 120_000, maxMemoryBytes: 2 ** 33, maxRowsRead: 2 ** 40 };
const ROWS_AT_ONCE = 20_000;

const NAMES = { project_id: 'project_id', user: 'toString(user)' };
const TIMES = { timestamp: micros('timestamp'), received_at: micros('received_at') };
const EVENT = {
  ...NAMES,
  ...TIMES,
  event: 'event',
  message_id: 'message_id',
  session_id: 'session_id',
  source: 'source',
  properties_text: 'properties_text',
  log_partition: 'toString(log_partition)',
  log_offset: 'toString(log_offset)',
};
const USER_EVENT = { ...NAMES, event: 'event', message_id: 'message_id', timestamp: micros('timestamp') };
const SESSION = {
  ...NAMES,
  ...TIMES,
  message_id: 'message_id',
  session_id: 'session_id',
  anonymous: 'toString(anonymous)',
  version: 'toString(version)',
};
const TRAIT = { ...NAMES, trait: 'trait', value: 'value', version: 'toString(version)' };
const USER = {
  ...NAMES,
  internal_id: 'internal_id',
  user_id: 'user_id',
  anonymous_id: 'anonymous_id',
  first_seen: micros('first_seen'),
  last_seen: micros('last_seen'),
};
const PROFILE = { ...NAMES, anonymous: "ifNull(toString(anonymous), '')", traits: 'traits' };

type Row<Column extends string = string> = Readonly<Record<Column, string>>;

export interface Checked {
  readonly ledger: Ledger;
  readonly model: Model;
  readonly findings: Pick<Findings, 'add'>;
}

/** All users with all their traits, deleted ones too. */
export async function checkPostgres(
  { model, findings }: Checked,
  database: Queryable,
  generation: number,
): Promise<void> {
  const [users, profiles, sightings] = ['users', 'profiles', 'sightings'].map((table) =>
    tableOf('profiles', generation, table),
  );
  const rows = await database.query<PostgresRow>(
    `select project_id, user_key, user_id, anonymous_id, first_seen::text, last_seen::text, anonymous, anonymous_version,
            coalesce(traits, '{}')::text as traits, coalesce(versions, '{}')::text as versions,
            array(select seen.anonymous_id || ' ' || seen.version from ${sightings} as seen
                  where (seen.project_id, seen.user_key) = (users.project_id, users.user_key)) as "seenWith"
     from ${users} as users left join ${profiles} as profiles using (project_id, user_key)`,
  );
  const missing = new Set(model.users.keys());
  for (const row of rows) {
    const name = `${row.project_id}/${row.user_key}`;
    missing.delete(name);
    const user = model.users.get(name);
    const expected = user && printOfUser(user);
    const found = JSON.stringify(row);
    if (expected !== printOfRow(row)) findings.add('different in Postgres', `${found} instead of ${show(user)}`);
  }
  for (const name of missing) findings.add('missing in Postgres', name);
}

interface PostgresRow {
  readonly project_id: string;
  readonly user_key: string;
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly first_seen: string;
  readonly last_seen: string;
  readonly anonymous: boolean | null;
  readonly anonymous_version: string | null;
  readonly traits: string;
  readonly versions: string;
  readonly seenWith: readonly string[];
}

function printOfUser(user: ModelUser): string {
  const { userId, anonymousId, firstSeen, lastSeen, anonymous } = user;
  const times = [String(firstSeen), String(lastSeen)];
  const states = [...keptTraits(user)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([trait, { value, version }]) => [trait, value, version]);
  return JSON.stringify([
    userId,
    anonymousId,
    ...times,
    anonymous?.value ?? null,
    anonymous?.version ?? null,
    keptSightings(user),
    ...states,
  ]);
}

function printOfRow(row: PostgresRow): string {
  const values = membersOf(row.traits);
  const versions = Object.entries(JSON.parse(row.versions) as Record<string, string>);
  const states = versions
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([trait, version]) => [trait, values.get(trait) ?? null, version]);
  const extra = [...values.keys()].filter((trait) => !versions.some(([known]) => known === trait));
  const times = [row.first_seen, row.last_seen];
  return JSON.stringify([
    row.user_id,
    row.anonymous_id,
    ...times,
    row.anonymous,
    row.anonymous_version,
    row.seenWith.toSorted(),
    ...states,
    ...extra,
  ]);
}

/** Every view that the service ships. */
export async function checkClickHouse(checked: Checked, store: AnalyticsReader): Promise<void> {
  await checkEvents(checked, store);
  await checkUserEvents(checked, store);
  await checkSessions(checked, store);
  await checkTraits(checked, store);
  await checkUsers(checked, store);
  await checkProfiles(checked, store);
}

async function checkEvents({ ledger, model, findings }: Checked, store: AnalyticsReader): Promise<void> {
  const missing = new Set(model.events.keys());
  const ids = new Map<number, string>();
  for await (const row of rowsOf(store, 'events', EVENT)) {
    const { project_id: projectId, event, user, message_id: messageId } = row;
    const [timestamp, content] = [BigInt(row.timestamp), row.properties_text];
    const key = eventKeyOf({ projectId, event, timestamp, user, messageId });
    const place = [BigInt(row.log_partition), BigInt(row.log_offset)];
    const told = [row.session_id, row.source, canonical(content)];
    const print = fingerprint([timestamp, BigInt(row.received_at), ...told, ...place]);
    compare({ kind: 'event', key, print, expected: model.events, missing, findings, row });
    const n = numberOf({ content });
    const identity = fingerprint([user, event, messageId]);
    if (n === undefined || ledger.isRepeat(n)) continue;
    if ((ids.get(n) ?? identity) !== identity) findings.add('doubled in ClickHouse', `message ${n} under two ids`);
    ids.set(n, identity);
  }
  for (const key of missing) findings.add('missing in ClickHouse', `event ${key}`);
  for (let n = 0; n < ledger.next; n++) {
    const counts = ledger.isTrack(n) && !ledger.isRepeat(n) && ledger.outcome(n) === 'answered';
    if (counts && !ids.has(n)) findings.add('lost from events', `message ${n}`);
  }
}

interface Comparison {
  readonly kind: string;
  readonly key: string;
  readonly print: string;
  readonly expected: ReadonlyMap<string, string>;
  readonly missing: Set<string>;
  readonly findings: Pick<Findings, 'add'>;
  readonly row: Row;
}

function compare({ kind, key, print, expected, missing, findings, row }: Comparison): void {
  const isKnown = expected.has(key);
  if (isKnown && !missing.delete(key)) return findings.add('doubled in ClickHouse', `${kind} ${show(row)}`);
  if (expected.get(key) !== print) findings.add('different in ClickHouse', `${kind} ${show(row)}`);
}

/** The second order of the same events: as many, with the same ids. */
async function checkUserEvents({ model, findings }: Checked, store: AnalyticsReader): Promise<void> {
  const seen = new Set<string>();
  for await (const row of rowsOf(store, 'user_track_rows FINAL', USER_EVENT)) {
    const { project_id: projectId, event, user, message_id: messageId } = row;
    const key = eventKeyOf({ projectId, event, timestamp: BigInt(row.timestamp), user, messageId });
    seen.add(key);
    if (!model.events.has(key)) findings.add('different in ClickHouse', `user's event ${show(row)}`);
  }
  for (const key of model.events.keys())
    if (!seen.has(key)) findings.add('missing in ClickHouse', `user's event ${key}`);
}

async function checkSessions({ model, findings }: Checked, store: AnalyticsReader): Promise<void> {
  const missing = new Set(model.sessions.keys());
  for await (const row of rowsOf(store, 'sessions', SESSION)) {
    const key = sessionKeyOf(row.project_id, row.user, row.message_id);
    const times = [BigInt(row.timestamp), BigInt(row.received_at)];
    const version = BigInt(row.version).toString(16).padStart(32, '0');
    const print = fingerprint([row.session_id, ...times, row.anonymous === 'true', version]);
    compare({ kind: 'session', key, print, expected: model.sessions, missing, findings, row });
  }
  for (const key of missing) findings.add('missing in ClickHouse', `session ${key}`);
}

async function checkTraits({ model, findings }: Checked, store: AnalyticsReader): Promise<void> {
  const expected = new Map<string, string>();
  for (const { projectId, userKey, traits } of model.users.values()) {
    for (const [trait, { value, version }] of traits) {
      const key = fingerprint([projectId, userNumberOf(userKey), trait]);
      if (value !== null) expected.set(key, fingerprint([value, BigInt(`0x${version}`)]));
    }
  }
  const missing = new Set(expected.keys());
  for await (const row of rowsOf(store, 'profile_traits', TRAIT)) {
    const key = fingerprint([row.project_id, row.user, row.trait]);
    const print = fingerprint([canonical(row.value), BigInt(row.version)]);
    compare({ kind: 'trait', key, print, expected, missing, findings, row });
  }
  for (const key of missing) findings.add('missing in ClickHouse', `trait ${key}`);
}

async function checkUsers({ model, findings }: Checked, store: AnalyticsReader): Promise<void> {
  const expected = new Map([...model.users.values()].map((user) => [userName(user), printOfSeen(user)]));
  const missing = new Set(expected.keys());
  for await (const row of rowsOf(store, 'users', USER)) {
    const key = `${row.project_id}/${row.user}`;
    const ids = [row.internal_id, row.user_id, row.anonymous_id];
    const print = fingerprint([...ids, BigInt(row.first_seen), BigInt(row.last_seen)]);
    compare({ kind: 'user', key, print, expected, missing, findings, row });
  }
  for (const key of missing) findings.add('missing in ClickHouse', `user ${key}`);
}

function printOfSeen({ userKey, userId, anonymousId, firstSeen, lastSeen }: ModelUser): string {
  return fingerprint([userKey, userId ?? '', anonymousId ?? '', firstSeen, lastSeen]);
}

/** Users with all their traits as one object. */
async function checkProfiles({ model, findings }: Checked, store: AnalyticsReader): Promise<void> {
  const expected = new Map([...model.users.values()].map((user) => [userName(user), printOfProfile(user)]));
  const missing = new Set(expected.keys());
  for await (const row of rowsOf(store, 'profiles', PROFILE)) {
    const print = fingerprint([row.anonymous, canonical(row.traits)]);
    compare({ kind: 'profile', key: `${row.project_id}/${row.user}`, print, expected, missing, findings, row });
  }
  for (const key of missing) findings.add('missing in ClickHouse', `profile ${key}`);
}

function printOfProfile({ anonymous, traits }: ModelUser): string {
  const set = [...traits].flatMap(([trait, { value }]) => (value === null ? [] : [[trait, value] as const]));
  const members = set.sort(([a], [b]) => (a < b ? -1 : 1)).map(([trait, value]) => `${JSON.stringify(trait)}:${value}`);
  return fingerprint([anonymous === null ? '' : String(anonymous.value), `{${members.join(',')}}`]);
}

function userName({ projectId, userKey }: ModelUser): string {
  return `${projectId}/${userNumberOf(userKey)}`;
}

function micros(column: string): string {
  return `toString(toUnixTimestamp64Micro(${column}))`;
}

/** Every row of a view, some users at a time: an answer is whole in memory. */
async function* rowsOf<Column extends string>(
  store: AnalyticsReader,
  view: string,
  columns: Readonly<Record<Column, string>>,
): AsyncGenerator<Row<Column>> {
  const ask = async (sql: string) => (await store.ask({ sql, params: {} }, AMPLE)).rows as readonly unknown[];
  const list = Object.entries(columns)
    .map(([name, sql]) => `${String(sql)} AS ${name}`)
    .join(', ');
  const [counted] = (await ask(`SELECT toString(count()) AS count FROM ${view}`)) as readonly Row[];
  const parts = Math.ceil(Number(counted?.['count'] ?? 0) / ROWS_AT_ONCE);
  for (let part = 0; part < parts; part++) {
    const one = `(SELECT * FROM ${view} WHERE cityHash64(user) % ${parts} = ${part})`;
    yield* (await ask(`SELECT ${list} FROM ${one}`)) as readonly Row<Column>[];
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (member instanceof Map) return Object.fromEntries(member) as unknown;
    return typeof member === 'bigint' ? String(member) : member;
  });
  return text?.slice(0, 2_000) ?? 'nothing';
}
