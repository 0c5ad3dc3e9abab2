/** The rows of people, or of everybody of a project, in every generation. */
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandCall, Progress } from '../../runtime/command.ts';
import type {
  AnalyticsStore,
  ForgettingOptions,
  ForgottenRows,
  Whose,
} from '../../stores/analytics/analytics-store.ts';
import type { Database, SqlValue } from '../../stores/database/database.ts';
import { placesBy, POSTGRES_TABLES } from '../../stores/erasures/places.ts';
import { FIRST_GENERATION, type Generation } from '../../stores/generations/generation.ts';
import { SqlGenerations } from '../../stores/generations/sql-generations.ts';
import { tablesOfProfiles } from '../../stores/projects/delete-project.ts';

export interface RowsParts {
  readonly database: Database;
  readonly analytics: Pick<AnalyticsStore, 'ofGeneration'>;
  /** For tests. */
  readonly pauseMs?: number;
}

export const PROFILE_TABLES = placesBy(POSTGRES_TABLES, 'rows');

/** Tables that have rows of a project, and none of a person. */
const PROJECT_TABLES = ['refusals', 'verification_hours'];

// Readers, of any process, learn of a deletion within two seconds, and look for one before each attempt to write. The
// attempt under way then takes a minute at most. Afterwards nothing of what was deleted is written any more.
const PAUSE_MS = 65_000;

// A statement takes a fraction of a second, and readers wait for none.
const ROWS_AT_ONCE = 2_000;

/**
 * Erases again and again until nothing is found that readers wrote while they did not know of the deletion.
 *
 * @param erase Resolves with whether it found anything.
 */
export async function eraseUntilGone(
  { pauseMs = PAUSE_MS }: Pick<RowsParts, 'pauseMs'>,
  { signal }: Pick<CommandCall, 'signal'>,
  erase: () => Promise<boolean>,
  onPause: () => void,
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const hasFound = await erase();
    if (!isFirst && !hasFound) return;
    onPause();
    await pauseFor(pauseMs, signal);
  }
}

/** @throws The reason of the signal. */
export async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** Deletes from Postgres, in every generation of profiles. */
export async function eraseProfiles(
  { database }: RowsParts,
  whose: Whose,
  { signal, onWait }: ForgettingOptions,
): Promise<readonly ForgottenRows[]> {
  const found: ForgottenRows[] = [];
  for (const [name, table] of await tablesOf(database, whose))
    for await (const users of deletedSlices(database, table, whose, signal)) {
      for (const [user, own] of Map.groupBy(users, (key) => key)) found.push({ table: name, user, rows: own.length });
      onWait?.(undefined);
    }
  return found;
}

/** What `eraseProfiles` would delete. */
export async function countProfiles({ database }: RowsParts, whose: Whose): Promise<readonly ForgottenRows[]> {
  const { condition, values } = conditionOf(whose);
  const found: ForgottenRows[] = [];
  for (const [name, table] of await tablesOf(database, whose)) {
    const sql = `select count(*) as rows from ${table} where ${condition}`;
    const [row] = await database.query<{ readonly rows: bigint }>(sql, values);
    found.push({ table: name, user: null, rows: Number(row?.rows ?? 0) });
  }
  return found;
}

/** Tables of Postgres, each with the name that it has in every generation. */
async function tablesOf(database: Database, { users }: Whose): Promise<readonly (readonly [string, string])[]> {
  const found: [string, string][] = users === undefined ? PROJECT_TABLES.map((name) => [name, name]) : [];
  for (const name of users === undefined ? ['applied_counts', ...PROFILE_TABLES] : PROFILE_TABLES)
    for (const table of await tablesOfProfiles(database, name)) found.push([name, table]);
  return found;
}

/** Yields the internal ids of the rows of each statement, null where a whole project is deleted. */
async function* deletedSlices(
  database: Database,
  table: string,
  whose: Whose,
  signal: AbortSignal,
): AsyncGenerator<readonly (string | null)[]> {
  const { condition, values } = conditionOf(whose);
  const key = whose.users === undefined ? 'null::text' : 'user_key';
  for (;;) {
    signal.throwIfAborted();
    const deleted = await database.query<{ readonly key: string | null }>(
      `delete from ${table}
       where ctid = any (array(select ctid from ${table} where ${condition} limit ${ROWS_AT_ONCE})) and ${condition}
       returning ${key} as key`,
      values,
    );
    if (deleted.length === 0) return;
    yield deleted.map((row) => row.key);
  }
}

function conditionOf({ projectId, users }: Whose): { readonly condition: string; readonly values: SqlValue[] } {
  if (users === undefined) return { condition: 'project_id = $1', values: [projectId] };
  return { condition: 'project_id = $1 and user_key = any ($2::text[])', values: [projectId, [...users]] };
}

/** Deletes from the analytics of every generation. */
export async function eraseAnalytics(
  parts: RowsParts,
  whose: Whose,
  options: ForgettingOptions,
): Promise<readonly ForgottenRows[]> {
  const found: ForgottenRows[] = [];
  for (const store of await storesOfAnalytics(parts)) {
    options.signal.throwIfAborted();
    found.push(...(await store.forget(whose, options)));
  }
  return found;
}

/** Reports the progress of a job now, and again while it waits: with the reason where analytics does not delete. */
export function reportingWaits(call: CommandCall, progress: Progress): ForgettingOptions {
  const onWait = (reason?: string): void =>
    call.report({ ...progress, ...(reason !== undefined && { waits_because: reason }) });
  onWait();
  return { signal: call.signal, onWait };
}

/** What `eraseAnalytics` would delete. */
export async function countAnalytics(parts: RowsParts, whose: Whose): Promise<readonly ForgottenRows[]> {
  const stores = await storesOfAnalytics(parts);
  return (await Promise.all(stores.map((store) => store.countOf(whose)))).flat();
}

async function storesOfAnalytics({ database, analytics }: RowsParts): Promise<readonly AnalyticsStore[]> {
  const all = await new SqlGenerations(database).list();
  return Promise.all(all.filter(hasTables).map(({ number }) => analytics.ofGeneration(number)));
}

/** The first has the history of audiences, also where it is dropped. */
function hasTables({ kind, number, state }: Generation): boolean {
  return kind === 'analytics' && (number === FIRST_GENERATION || state === 'building' || state === 'built');
}
