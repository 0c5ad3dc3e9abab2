import type { EventLog } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import type { CommandCall } from '../../runtime/command.ts';
import type {
  AnalyticsStore,
  ForgettingOptions,
  ForgottenRows,
  Whose,
} from '../../stores/analytics/analytics-store.ts';
import { AUDIENCE_CHANGE_TOPIC } from '../../messages/message.ts';
import { NOW_MS } from '../../stores/database/sql-time.ts';
import { userName, type ErasedUsers, userNamed } from '../../stores/erasures/erased-users.ts';
import type { Erasure } from '../../stores/erasures/erasure.ts';
import { placesBy, REWRITTEN_TABLES, POSTGRES_TABLES } from '../../stores/erasures/places.ts';
import { readErasedUsers } from '../../stores/erasures/read-erased-users.ts';
import { SqlErasures } from '../../stores/erasures/sql-erasures.ts';
import { forgetLetters } from '../../stores/profiles/dead-letter-rows.ts';
import { tablesOfProfiles } from '../../stores/projects/delete-project.ts';
import { added, addToReport, certify, remainsAfter } from './certificate.ts';
import {
  countAnalytics,
  deletedFromProfiles,
  eraseAnalytics,
  eraseUntilGone,
  pauseFor,
  reportingWaits,
  type RowsParts,
} from './erase-rows.ts';
import { forgetInImports } from './forgotten-imports.ts';

export interface ForgettingUsersParts extends RowsParts {
  readonly codec: Codec;
  readonly analytics: RowsParts['analytics'] & Pick<AnalyticsStore, 'dropOldFiles'>;
  /** The folder of imports over HTTP; left out where this process has none. */
  readonly importsFolder?: string;
  /** Left out where the log keeps its records. */
  readonly blank?: BlankRecords;
  readonly log: Pick<EventLog, 'keptMs' | 'ends' | 'scan'>;
}

/**
 * Makes the records of these people blank on the log. Resolves with how many it has made blank of each person, by name as in
 * `ErasedUsers`, and of each topic. May be repeated, and then continues what was begun.
 */
export type BlankRecords = (
  erased: ErasedUsers,
  call: Pick<CommandCall, 'signal' | 'report'>,
) => Promise<ReadonlyMap<string, Readonly<Record<string, number>>>>;

/** What the job came to, as plain JSON. */
export interface ForgottenUsers {
  readonly users: number;
  /** Rows of Postgres and of ClickHouse, in all generations. */
  readonly rows: number;
  /** Records that were made blank; null where the log keeps them. */
  readonly records: number | null;
}

const PROFILE_TABLES = placesBy(POSTGRES_TABLES, 'rows');

// By then readers have learned of it: most of what they wrote before goes then.
const KNOWN_AFTER_MS = 5_000;

/**
 * The job `users erase`: forgets everybody of whom that was asked. Deletes what the stores have of them, in every
 * generation, until readers write nothing of them any more; then makes their records on the log blank, and rewrites the files
 * of embedded stores, which have bytes of what was deleted. May be interrupted at any point, and repeated.
 *
 * @throws TidemarkError What the stores throw.
 */
export async function forgetUsers(parts: ForgettingUsersParts, call: CommandCall): Promise<ForgottenUsers> {
  const erasures = new SqlErasures(parts.database);
  const total = { users: 0, rows: 0, records: parts.blank === undefined ? null : 0 };
  // Others may be asked for while these are forgotten.
  for (let people = await erasures.pending(); people.length > 0; people = await erasures.pending()) {
    total.rows += await eraseAll(parts, people, call);
    call.report({ phase: 'log', done: total.rows, unit: 'rows' });
    const records = await blankOnLog(parts, call);
    total.records = total.records === null || records === null ? null : total.records + records;
    const isRead = await forgetNames(parts, people, call);
    call.report({ phase: 'files', done: total.rows, unit: 'rows' });
    await rewriteFiles(parts, call.signal);
    await evaluateAgain(parts, people);
    await finish(parts, people, isRead);
    total.users += people.length;
  }
  return total;
}

/** Deletes what the stores have of these people, until nothing comes any more. Returns how many rows. */
async function eraseAll(parts: ForgettingUsersParts, people: readonly Erasure[], call: CommandCall): Promise<number> {
  let rows = 0;
  const eraseOnce = async (): Promise<boolean> => {
    const found = await eraseUsers(parts, people, reportingWaits(call, { phase: 'stores', done: rows, unit: 'rows' }));
    rows += found;
    return found > 0;
  };
  const onPause = (): void => call.report({ phase: 'waiting for the readers', done: rows, unit: 'rows' });
  await eraseOnce();
  onPause();
  await pauseFor(Math.min(KNOWN_AFTER_MS, parts.pauseMs ?? KNOWN_AFTER_MS), call.signal);
  await eraseUntilGone(parts, call, eraseOnce, onPause);
  await forgetLetters(parts.database);
  return rows;
}

/**
 * Deletes what the stores have of these people now, and adds it to their reports.
 *
 * @param options `waits`: whether rows of analytics are gone from the disk when it resolves; else they are seen no more.
 * @returns How many rows were deleted.
 */
export async function eraseUsers(
  parts: ForgettingUsersParts,
  people: readonly Erasure[],
  options: ForgettingOptions,
): Promise<number> {
  let found = 0;
  for (const [projectId, ofProject] of Map.groupBy(people, (one) => one.projectId)) {
    const whose = { projectId, users: ofProject.map(({ userKey }) => userKey) };
    const postgres = await eraseProfiles(parts, whose, options.signal);
    const clickhouse = await eraseAnalytics(parts, whose, options);
    found += [...postgres, ...clickhouse].reduce((sum, { rows }) => sum + rows, 0);
    await noteRows(parts, ofProject, postgres, clickhouse);
  }
  return found;
}

async function noteRows(
  parts: RowsParts,
  people: readonly Erasure[],
  postgres: readonly ForgottenRows[],
  clickhouse: readonly ForgottenRows[],
): Promise<void> {
  const [ofProfiles, ofAnalytics] = [postgres, clickhouse].map((rows) => Map.groupBy(rows, ({ user }) => user));
  for (const erasure of people) {
    const own = ofProfiles?.get(erasure.userKey) ?? [];
    const others = ofAnalytics?.get(erasure.userKey) ?? [];
    if (own.length + others.length === 0) continue;
    await addToReport(parts.database, erasure, (report) => ({
      ...report,
      postgres: added(report.postgres, own),
      clickhouse: added(report.clickhouse, others),
    }));
  }
}

async function eraseProfiles({ database }: RowsParts, whose: Whose, signal: AbortSignal) {
  const found: ForgottenRows[] = [];
  for (const table of PROFILE_TABLES) {
    for await (const users of deletedFromProfiles(database, table, whose, signal))
      for (const user of users) found.push({ table, user, rows: 1 });
  }
  return found;
}

/** What the stores have of these people, by table. */
export async function countUsers(parts: RowsParts, whose: Whose) {
  const postgres = await countProfiles(parts, whose);
  return { postgres: added({}, postgres), clickhouse: added({}, await countAnalytics(parts, whose)) };
}

async function countProfiles({ database }: RowsParts, { projectId, users = [] }: Whose) {
  const found: ForgottenRows[] = [];
  for (const name of PROFILE_TABLES) {
    for (const table of await tablesOfProfiles(database, name)) {
      const sql = `select count(*) as rows from ${table} where project_id = $1 and user_key = any ($2::text[])`;
      const [row] = await database.query<{ readonly rows: bigint }>(sql, [projectId, users]);
      found.push({ table: name, user: null, rows: Number(row?.rows ?? 0) });
    }
  }
  return found;
}

/** Everybody who was ever forgotten is looked for: messages that are dropped come after an erasure too. */
async function blankOnLog(parts: ForgettingUsersParts, call: CommandCall): Promise<number | null> {
  if (parts.blank === undefined) return null;
  const blanked = await parts.blank(await readErasedUsers(parts.database), call);
  const people = [...blanked.keys()].map(userNamed);
  let records = 0;
  for (const erasure of await new SqlErasures(parts.database).newestOf(people)) {
    const byTopic = blanked.get(userName(erasure.projectId, erasure.userKey)) ?? {};
    const rows = Object.entries(byTopic).map(([table, count]) => ({ table, rows: count }));
    records += rows.reduce((sum, one) => sum + one.rows, 0);
    await addToReport(parts.database, erasure, (report) => ({ ...report, log: added(report.log ?? {}, rows) }));
  }
  return records;
}

/**
 * Forgets the people in texts and in the files of imports, by their ids, and then the ids. Returns whether an import that is
 * not done reads a file with somebody of them.
 */
async function forgetNames(
  { database, importsFolder: folder }: ForgettingUsersParts,
  people: readonly Erasure[],
  { signal }: CommandCall,
): Promise<boolean> {
  const ids = [...new Set(people.flatMap(({ names }) => names))];
  const found = folder === undefined ? undefined : await forgetInImports({ database, folder }, ids, signal);
  const counts = [
    { table: 'uploads', rows: found?.uploads ?? 0 },
    { table: 'lines', rows: found?.lines ?? 0 },
  ].filter(({ rows }) => rows > 0);
  for (const erasure of counts.length > 0 ? people : [])
    await addToReport(database, erasure, (report) => ({ ...report, imports: added(report.imports ?? {}, counts) }));
  await new SqlErasures(database).forgetNames(people);
  return found?.hasUsed === true;
}

/** Once for everybody: it takes as long for one. */
async function rewriteFiles({ database, analytics }: ForgettingUsersParts, signal: AbortSignal): Promise<void> {
  if (database.rewriteFiles !== undefined) {
    const ofProfiles = await Promise.all(PROFILE_TABLES.map((table) => tablesOfProfiles(database, table)));
    await database.rewriteFiles([...ofProfiles.flat(), ...REWRITTEN_TABLES], signal);
  }
  await analytics.dropOldFiles?.(signal);
}

/** The sizes of audiences that were counted with these people: those that are evaluated by themselves are, at once. */
async function evaluateAgain({ database }: RowsParts, people: readonly Erasure[]): Promise<void> {
  await database.query(
    `update audiences set due_at_ms = ${NOW_MS}
     where project_id = any ($1::text[]) and deleted_at_ms is null and (refresh_ms is not null or is_live)
       and evaluated_at is not null`,
    [[...new Set(people.map(({ projectId }) => projectId))]],
  );
}

/** Looks once more, and writes the certificates. */
async function finish(parts: ForgettingUsersParts, people: readonly Erasure[], isRead: boolean): Promise<void> {
  const { database, analytics, blank } = parts;
  const keeps = { log: blank === undefined, import: isRead };
  const servers = { postgres: database.rewriteFiles === undefined, clickhouse: analytics.dropOldFiles === undefined };
  // Where it cannot be asked now, the certificate says that it is not known.
  const topicKeptMs = await parts.log.keptMs?.(AUDIENCE_CHANGE_TOPIC).catch(() => null);
  const remains = remainsAfter(Date.now(), { ...keeps, ...servers, ...(topicKeptMs !== undefined && { topicKeptMs }) });
  for (const [projectId, ofProject] of Map.groupBy(people, (one) => one.projectId)) {
    const left = await countUsers(parts, { projectId, users: ofProject.map(({ userKey }) => userKey) });
    const found = { postgres: totalRows(left.postgres), clickhouse: totalRows(left.clickhouse) };
    for (const erasure of ofProject) await certify(database, erasure, { found, remains, hasLog: blank !== undefined });
  }
}

function totalRows(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
