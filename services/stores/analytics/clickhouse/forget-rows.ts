import type { ClickHouseClient } from '@clickhouse/client';
import { TidemarkError } from '../../../runtime/errors.ts';
import { pause } from '../../../runtime/pause.ts';
import type { ForgettingOptions, ForgottenRows, Query, QueryResult, Whose } from '../analytics-store.ts';
import { EVENT_KEY_SQL } from '../../erasures/event-key.ts';
import { userNumber } from '../columns.ts';
import { quotedName } from './deployment.ts';
import { openingError } from './errors.ts';

/** Both on one server, in the database with the tables of the generation. */
export interface ForgettingParts {
  readonly client: Pick<ClickHouseClient, 'command'>;
  readonly ask: (query: Query) => Promise<QueryResult>;
  /** Why deletions stand still, where they do. */
  readonly lack?: (() => string | undefined) | undefined;
}

const POLL_MS = 100;

// A statement has the ids of its users: 256 KB is the most that ClickHouse reads of one.
const USERS_OF_DELETION = 1_000;

/** See `AnalyticsStore.forget`. May be repeated: a deletion that is under way is waited for, not begun again. */
export async function forgetRows(
  shards: readonly ForgettingParts[],
  whose: Whose,
  { waits = true, ...options }: ForgettingOptions,
): Promise<readonly ForgottenRows[]> {
  const found: ForgottenRows[] = [];
  for (const slice of slicesOfUsers(whose)) {
    for (const parts of shards) {
      // All are begun before one is waited for: from then on nobody sees the rows.
      const tables = await tablesWith(parts, slice);
      for (const table of tables) {
        options.signal.throwIfAborted();
        found.push(...(await beginIn(parts, table, slice)));
      }
      if (waits) for (const table of tables) await waitForEnd(parts, table, slice, options);
    }
  }
  return found;
}

/** How many rows there are, as questions see them. */
export async function countRows(shards: readonly ForgettingParts[], whose: Whose): Promise<readonly ForgottenRows[]> {
  const found: ForgottenRows[] = [];
  for (const slice of slicesOfUsers(whose)) {
    for (const parts of shards)
      for (const table of await tablesWith(parts, slice)) found.push(...(await rowsIn(parts, table, slice)));
  }
  return found;
}

interface Table {
  readonly name: string;
  /** The column that names the user, where users are deleted. `person`: the rows are another's and stay, without the name. */
  readonly userColumn: 'user' | 'internal_id' | 'person' | undefined;
}

function slicesOfUsers(whose: Whose): readonly Whose[] {
  const { users } = whose;
  if (users === undefined) return [whose];
  return Array.from({ length: Math.ceil(users.length / USERS_OF_DELETION) }, (_, index) => ({
    ...whose,
    users: users.slice(index * USERS_OF_DELETION, (index + 1) * USERS_OF_DELETION),
  }));
}

/**
 * Every table with the columns, so that one of a later migration is not forgotten here. First that of users, without whom no
 * evaluation writes a change, then the history of audiences: nobody leaves an audience by being forgotten.
 */
async function tablesWith({ ask }: ForgettingParts, { users, events, eventsBefore }: Whose): Promise<readonly Table[]> {
  const { rows } = await ask({
    sql: `SELECT table AS found, has(groupArray(name) AS columns, 'user') AS has_user, has(columns, 'internal_id') AS has_id,
                 has(groupArrayIf(name, type = 'String'), 'person') AS has_person, hasAll(columns, ['event', 'timestamp']) AS has_events
          FROM system.columns
          WHERE database = currentDatabase() AND table IN
            (SELECT name FROM system.tables
             WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name NOT LIKE '.%')
          GROUP BY found HAVING has(columns, 'project_id')
          ORDER BY found = 'user_rows' DESC, startsWith(found, 'audience_') DESC, found`,
    params: {},
  });
  const all = rows as readonly unknown[] as readonly ColumnsRow[];
  const isOfEvents = events !== undefined || eventsBefore !== undefined;
  const tables = isOfEvents ? all.filter(({ has_events: hasEvents }) => hasEvents === 1) : all;
  if (users === undefined) return tables.map(({ found: name }) => ({ name, userColumn: undefined }));
  return tables.flatMap(
    ({ found: name, has_user: hasUser, has_id: hasId, has_person: hasPerson }): readonly Table[] => {
      const named: readonly Table[] = hasPerson === 1 ? [{ name, userColumn: 'person' }] : [];
      if (hasUser === 1) return [{ name, userColumn: 'user' }, ...named];
      return hasId === 1 ? [{ name, userColumn: 'internal_id' }, ...named] : named;
    },
  );
}

interface ColumnsRow {
  readonly found: string;
  readonly has_user: number;
  readonly has_id: number;
  readonly has_person: number;
  readonly has_events: number;
}

/** Returns the rows that are deleted or changed. */
async function beginIn(parts: ForgettingParts, table: Table, whose: Whose): Promise<readonly ForgottenRows[]> {
  const rows = await rowsIn(parts, table, whose);
  const isLeft = whose.eventsBefore === undefined ? rows.length > 0 : await dropParts(parts, table, whose);
  if (isLeft && (await mutationOf(parts, table, whose)) === undefined) await beginDeletion(parts, table, whose);
  return rows;
}

/** A part of a table's files, of whose rows some are deleted. */
interface PartWith {
  readonly name: string;
  readonly rows: number;
  /** Whether all of its rows are. */
  readonly isWhole: boolean;
}

async function partsWith({ ask }: ForgettingParts, table: Table, whose: Whose): Promise<readonly PartWith[]> {
  const { rows } = await ask({
    sql: `SELECT _part AS name, toString(countIf(${conditionOf(table, whose)}) AS old) AS rows, old = count() AS is_whole
          FROM ${quotedName(table.name)} GROUP BY name HAVING old > 0`,
    params: { project: whose.projectId },
  });
  return rows.map((row) => ({ name: String(row['name']), rows: Number(row['rows']), isWhole: row['is_whole'] === 1 }));
}

/**
 * Drops the parts that have old events alone, which rewrites nothing. By part, not by partition: a row may come into the
 * partition meanwhile. One that is merged meanwhile is no longer there, and is rewritten with the others. Returns whether any
 * old event is left.
 */
async function dropParts(parts: ForgettingParts, table: Table, whose: Whose): Promise<boolean> {
  let isLeft = false;
  for (const { name, isWhole } of await partsWith(parts, table, whose)) {
    const query = `ALTER TABLE ${quotedName(table.name)} DROP PART '${name}'`;
    const isDropped = isWhole && (await parts.client.command({ query }).then(...SUCCEEDED));
    isLeft ||= !isDropped;
  }
  return isLeft;
}

const SUCCEEDED = [() => true, () => false] as const;

/** A part's bytes are shared by its rows. */
async function oldEventsIn(parts: ForgettingParts, table: Table, whose: Whose): Promise<readonly ForgottenRows[]> {
  const found = await partsWith(parts, table, whose);
  if (found.length === 0) return [];
  const { rows } = await parts.ask({
    sql: `SELECT name, bytes_on_disk / rows AS bytes FROM system.parts
          WHERE database = currentDatabase() AND table = {table:String} AND active AND rows > 0`,
    params: { table: table.name },
  });
  const bytesOf = new Map(rows.map((row) => [row['name'], Number(row['bytes'])]));
  const [all, bytes] = found.reduce(
    ([sum, size], one) => [sum + one.rows, size + one.rows * (bytesOf.get(one.name) ?? 0)],
    [0, 0],
  );
  return [{ table: table.name, user: null, rows: all, bytes: Math.round(bytes) }];
}

async function rowsIn(parts: ForgettingParts, table: Table, whose: Whose): Promise<readonly ForgottenRows[]> {
  if (whose.eventsBefore !== undefined) return oldEventsIn(parts, table, whose);
  const { ask } = parts;
  const { name, userColumn = `''` } = table;
  const { rows } = await ask({
    sql: `SELECT toString(${userColumn}) AS whose, toString(count()) AS n FROM ${quotedName(name)}
          WHERE ${conditionOf(table, whose)} GROUP BY whose`,
    params: { project: whose.projectId },
  });
  const keys = new Map(whose.users?.map((userKey) => [nameIn(table, userKey), userKey]));
  return rows.map((row) => ({ table: name, user: keys.get(row['whose'] as string) ?? null, rows: Number(row['n']) }));
}

/**
 * The users are not parameters: a statement has their text, by which it is found among those under way. Numbers are quoted,
 * since ClickHouse reads one of more than 64 bits as a float.
 */
function conditionOf(table: Table, { users, events, eventsBefore }: Whose): string {
  const ofProject = 'project_id = {project:String}';
  // As numbers: of times before 1970, and in several shards before 2001, ClickHouse 26.7 compares some wrongly.
  if (eventsBefore !== undefined) return `${ofProject} AND toUnixTimestamp64Micro(timestamp) < ${eventsBefore}`;
  if (users === undefined || table.userColumn === undefined) return ofProject;
  const names = users.map((userKey) => `'${nameIn(table, userKey)}'`);
  const ofUsers = `${ofProject} AND ${table.userColumn} IN (${names.join(', ')})`;
  const keys = events && users.flatMap((user) => events.get(user)?.map((key) => `'${key}'`) ?? []);
  return keys === undefined ? ofUsers : `${ofUsers} AND ${EVENT_KEY_SQL} IN (${keys.join(', ')})`;
}

function nameIn({ userColumn }: Table, userKey: string): string {
  return userColumn === 'user' ? userNumber(userKey) : userKey;
}

/**
 * A mutation and not a lightweight deletion, which tables with projections refuse and which leaves the rows on the disk.
 * ClickHouse carries it out in the background, however long it takes, also if this process ends. Questions no longer see
 * the rows (`apply_mutations_on_fly`).
 */
async function beginDeletion({ client }: ForgettingParts, table: Table, whose: Whose): Promise<void> {
  const what = table.userColumn === 'person' ? `UPDATE person = ''` : 'DELETE';
  try {
    await client.command({
      query: `ALTER TABLE ${quotedName(table.name)} ${what} WHERE ${conditionOf(table, whose)}`,
      query_params: { project: whose.projectId },
      clickhouse_settings: { mutations_sync: '0' },
    });
  } catch (error) {
    throw openingError(error);
  }
}

async function waitForEnd(
  parts: ForgettingParts,
  table: Table,
  whose: Whose,
  { signal, onWait }: ForgettingOptions,
): Promise<void> {
  for (;;) {
    const mutation = await mutationOf(parts, table, whose);
    if (mutation === undefined) return;
    if (mutation.failure !== '') {
      const what = `ClickHouse cannot delete rows of ${table.name}: ${mutation.failure}`;
      throw new TidemarkError('STORE_UNAVAILABLE', what);
    }
    onWait?.(parts.lack?.());
    await pause(POLL_MS, signal);
    signal.throwIfAborted();
  }
}

/** The deletion that is under way, and why it failed last; undefined where none is. */
async function mutationOf(
  { ask }: ForgettingParts,
  table: Table,
  { projectId, users, events, eventsBefore }: Whose,
): Promise<{ readonly failure: string } | undefined> {
  const [first] = users ?? [];
  const named = first === undefined ? String(eventsBefore ?? '') : (events?.get(first)?.[0] ?? nameIn(table, first));
  const { rows } = await ask({
    sql: `SELECT latest_fail_reason AS failure FROM system.mutations
          WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done
            AND position(command, {project:String}) > 0 AND position(command, {named:String}) > 0
          LIMIT 1`,
    params: { table: table.name, project: projectId, named },
  });
  const failure = rows[0]?.['failure'];
  return typeof failure === 'string' ? { failure } : undefined;
}
