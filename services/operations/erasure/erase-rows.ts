/** What the erasure of a project and that of people have in common: rows of every generation. */
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandCall, Progress } from '../../runtime/command.ts';
import type {
  AnalyticsStore,
  ForgettingOptions,
  ForgottenRows,
  Whose,
} from '../../stores/analytics/analytics-store.ts';
import type { Database } from '../../stores/database/database.ts';
import { FIRST_GENERATION, type Generation } from '../../stores/generations/generation.ts';
import { SqlGenerations } from '../../stores/generations/sql-generations.ts';
import { tablesOfProfiles } from '../../stores/projects/delete-project.ts';

export interface RowsParts {
  readonly database: Database;
  readonly analytics: Pick<AnalyticsStore, 'ofGeneration'>;
  /** For tests. */
  readonly pauseMs?: number;
}

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

/**
 * Deletes from a table of Postgres of this name, in every generation of profiles.
 *
 * @returns The internal ids of the rows of each statement, null where a whole project is deleted.
 */
export async function* deletedFromProfiles(
  database: Database,
  name: string,
  whose: Whose,
  signal: AbortSignal,
): AsyncGenerator<readonly (string | null)[]> {
  for (const table of await tablesOfProfiles(database, name)) yield* deletedSlices(database, table, whose, signal);
}

/** The same of one table. */
export async function* deletedSlices(
  database: Database,
  table: string,
  { projectId, users }: Whose,
  signal: AbortSignal,
): AsyncGenerator<readonly (string | null)[]> {
  const [condition, key] =
    users === undefined
      ? ['project_id = $1 and $3::text[] is null', 'null::text']
      : ['project_id = $1 and user_key = any ($3::text[])', 'user_key'];
  for (;;) {
    signal.throwIfAborted();
    const deleted = await database.query<{ readonly key: string | null }>(
      `delete from ${table}
       where ctid = any (array(select ctid from ${table} where ${condition} limit $2::int4)) and ${condition}
       returning ${key} as key`,
      [projectId, ROWS_AT_ONCE, users ?? null],
    );
    if (deleted.length === 0) return;
    yield deleted.map((row) => row.key);
  }
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
