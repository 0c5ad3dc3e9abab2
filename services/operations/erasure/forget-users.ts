import type { EventLog } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import { type CommandCall, commandInvalid } from '../../runtime/command.ts';
import type {
  AnalyticsStore,
  ForgettingOptions,
  ForgottenRows,
  Whose,
} from '../../stores/analytics/analytics-store.ts';
import { AUDIENCE_CHANGE_TOPIC } from '../../messages/message.ts';
import { NOW_MS } from '../../stores/database/sql-time.ts';
import { userName, type ErasedUsers, userNamed, EVERYBODY, SOME_EVENTS } from '../../stores/erasures/erased-users.ts';
import type { Erasure } from '../../stores/erasures/erasure.ts';
import { REWRITTEN_TABLES } from '../../stores/erasures/places.ts';
import { readErasedUsers } from '../../stores/erasures/read-erased-users.ts';
import { SqlErasures } from '../../stores/erasures/sql-erasures.ts';
import { forgetLetters } from '../../stores/profiles/dead-letter-rows.ts';
import { tablesOfProfiles } from '../../stores/projects/delete-project.ts';
import type { JobArguments } from '../jobs/job.ts';
import { Replay, type ReplayParts } from '../replay/replay.ts';
import { blankerOn } from './blank-records.ts';
import { added, addToReport, certify, type Remaining, remainsAfter, reportOf } from './certificate.ts';
import {
  countAnalytics,
  countProfiles,
  eraseAnalytics,
  eraseProfiles,
  eraseUntilGone,
  pauseFor,
  PROFILE_TABLES,
  reportingWaits,
  type RowsParts,
} from './erase-rows.ts';
import { apart, keepUsersOfEvents, namesOfEvents } from './erased-events.ts';
import { forgetInImports } from './forgotten-imports.ts';

export interface ForgettingUsersParts extends RowsParts {
  readonly codec: Codec;
  readonly analytics: RowsParts['analytics'] & Pick<AnalyticsStore, 'dropOldFiles'>;
  /** The folder of imports over HTTP; left out where this process has none. */
  readonly importsFolder?: string;
  /** Left out where the log keeps its records. */
  readonly blank?: BlankRecords;
  readonly log: Pick<EventLog, 'keptMs' | 'ends' | 'scan' | 'append'>;
}

/**
 * Makes the records of these people, and of these events, blank on the log. Resolves with how many it has made blank of each,
 * by name as in `ErasedUsers`, and of each topic. May be repeated, and then continues what was begun.
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

/** Where the log can overwrite its records. */
export function blankingOn(stores: Parameters<typeof blankerOn>[0]): Pick<ForgettingUsersParts, 'blank'> {
  const blank = blankerOn(stores);
  return blank === undefined ? {} : { blank };
}

// By then readers have learned of it: most of what they wrote before goes then.
const KNOWN_AFTER_MS = 5_000;

/**
 * The job `users erase`: forgets everybody, and erases the events, of whom that was asked. Deletes what the stores have, in every
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
    await keepUsersOfEvents(parts, people);
    const records = await blankOnLog(parts, call);
    total.records = total.records === null || records === null ? null : total.records + records;
    const imports = await forgetNames(parts, people, call);
    call.report({ phase: 'files', done: total.rows, unit: 'rows' });
    const log = parts.blank === undefined ? 'until it is renewed' : undefined;
    await finish(parts, people, { log, imports }, call.signal);
    total.users += people.filter(({ userKey }) => userKey !== SOME_EVENTS).length;
  }
  return total;
}

/** What the job `project erase` came to, as plain JSON. */
export interface ErasedProject {
  readonly project: string;
  readonly users: number;
  /** Tables of ClickHouse from which rows were deleted. */
  readonly tables: number;
}

/**
 * The job `project erase`: forgets everybody of a project that was deleted, as `users erase` forgets people, but for the
 * records of the log. May be interrupted at any point, and repeated.
 *
 * @throws TidemarkError `COMMAND_INVALID` where the project was not deleted; what the stores throw.
 */
export async function eraseProject(
  parts: ForgettingUsersParts & ReplayParts,
  { project }: JobArguments['project erase'],
  call: CommandCall,
): Promise<ErasedProject> {
  const erasures = new SqlErasures(parts.database);
  const [erasure] = await erasures.newestOf([{ projectId: project, userKey: EVERYBODY }]);
  if (erasure === undefined) throw commandInvalid('Only a project that was deleted is erased.');
  if (erasure.state === 'pending') {
    const replay = new Replay(parts);
    // Generations that had the messages of this project alone.
    for (const { kind, number, projectId, state } of await replay.list())
      if (projectId === project && state === 'dropping') await replay.drop(kind, number, call.signal);
    const rows = await eraseAll(parts, [erasure], call);
    call.report({ phase: 'files', done: rows, unit: 'rows' });
    const keeps = { log: 'for its retention', imports: 'files that were uploaded to be imported' };
    await finish(parts, [erasure], keeps, call.signal);
  }
  const { postgres, clickhouse } = await reportOf(erasures, erasure.id);
  return { project, users: postgres['users'] ?? 0, tables: Object.keys(clickhouse).length };
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
  parts: RowsParts,
  people: readonly Erasure[],
  options: ForgettingOptions,
): Promise<number> {
  let found = 0;
  for (const [projectId, ofProject] of Map.groupBy(people, (one) => one.projectId)) {
    for (const { whose, erasures } of await apart(parts, projectId, ofProject)) {
      const postgres = whose.events === undefined ? await eraseProfiles(parts, whose, options) : [];
      const clickhouse = await eraseAnalytics(parts, whose, options);
      found += [...postgres, ...clickhouse].reduce((sum, { rows }) => sum + rows, 0);
      await noteRows(parts, erasures, postgres, clickhouse);
    }
  }
  return found;
}

async function noteRows(
  parts: RowsParts,
  people: readonly Erasure[],
  postgres: readonly ForgottenRows[],
  clickhouse: readonly ForgottenRows[],
): Promise<void> {
  const isOfEvents = people.some(({ userKey }) => userKey === SOME_EVENTS);
  const [ofProfiles, ofAnalytics] = [postgres, clickhouse].map((rows) =>
    Map.groupBy(rows, ({ user }) => (isOfEvents ? SOME_EVENTS : (user ?? EVERYBODY))),
  );
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

/** What the stores have of these people, by table. */
export async function countUsers(parts: RowsParts, whose: Whose) {
  const postgres = whose.events === undefined ? await countProfiles(parts, whose) : [];
  return { postgres: added({}, postgres), clickhouse: added({}, await countAnalytics(parts, whose)) };
}

/** Everybody who was ever forgotten is looked for: messages that are dropped come after an erasure too. */
async function blankOnLog(parts: ForgettingUsersParts, call: CommandCall): Promise<number | null> {
  if (parts.blank === undefined) return null;
  const blanked = await parts.blank(await readErasedUsers(parts.database), call);
  const erasures = new SqlErasures(parts.database);
  let records = 0;
  const note = async (erasure: Erasure, names: readonly string[]): Promise<void> => {
    const rows = names
      .flatMap((name) => Object.entries(blanked.get(name) ?? {}))
      .map(([table, count]) => ({ table, rows: count }));
    records += rows.reduce((sum, one) => sum + one.rows, 0);
    if (rows.length > 0)
      await addToReport(parts.database, erasure, (report) => ({ ...report, log: added(report.log ?? {}, rows) }));
  };
  for (const erasure of await erasures.newestOf([...blanked.keys()].map(userNamed)))
    await note(erasure, [userName(erasure.projectId, erasure.userKey)]);
  for await (const [erasure, names] of namesOfEvents(parts, await erasures.pending())) await note(erasure, names);
  return records;
}

/**
 * Forgets the people in texts and in the files of imports, by their ids, and then the ids. Returns what is left of them in
 * files.
 */
async function forgetNames(
  { database, importsFolder: folder }: ForgettingUsersParts,
  people: readonly Erasure[],
  { signal }: CommandCall,
): Promise<Remaining['imports']> {
  const ids = [...new Set(people.flatMap(({ names }) => names))];
  const found = folder === undefined ? undefined : await forgetInImports({ database, folder }, ids, signal);
  const counts = [
    { table: 'uploads', rows: found?.uploads ?? 0 },
    { table: 'lines', rows: found?.lines ?? 0 },
  ].filter(({ rows }) => rows > 0);
  for (const erasure of counts.length > 0 ? people : [])
    await addToReport(database, erasure, (report) => ({ ...report, imports: added(report.imports ?? {}, counts) }));
  await new SqlErasures(database).forgetNames(people);
  return found?.hasUsed === true ? 'uploaded files that an import reads which is not done' : undefined;
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
export async function evaluateAgain({ database }: RowsParts, people: readonly Erasure[]): Promise<void> {
  await database.query(
    `update audiences set due_at_ms = ${NOW_MS}
     where project_id = any ($1::text[]) and deleted_at_ms is null and (refresh_ms is not null or is_live)
       and evaluated_at is not null`,
    [[...new Set(people.map(({ projectId }) => projectId))]],
  );
}

/** Writes the files anew, looks once more, and writes the certificates. */
async function finish(
  parts: ForgettingUsersParts,
  people: readonly Erasure[],
  keeps: Pick<Remaining, 'log' | 'imports'>,
  signal: AbortSignal,
): Promise<void> {
  const { database, analytics } = parts;
  await rewriteFiles(parts, signal);
  await evaluateAgain(parts, people);
  const servers = { postgres: database.rewriteFiles === undefined, clickhouse: analytics.dropOldFiles === undefined };
  // Where it cannot be asked now, the certificate says that it is not known.
  const topicKeptMs = await parts.log.keptMs?.(AUDIENCE_CHANGE_TOPIC).catch(() => null);
  const remains = remainsAfter(Date.now(), { ...keeps, ...servers, ...(topicKeptMs !== undefined && { topicKeptMs }) });
  for (const [projectId, ofProject] of Map.groupBy(people, (one) => one.projectId)) {
    for (const { whose, erasures } of await apart(parts, projectId, ofProject)) {
      const left = await countUsers(parts, whose);
      const found = { postgres: totalRows(left.postgres), clickhouse: totalRows(left.clickhouse) };
      const hasLog = keeps.log === undefined;
      for (const erasure of erasures) await certify(database, erasure, { found, remains, hasLog });
    }
  }
}

function totalRows(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
