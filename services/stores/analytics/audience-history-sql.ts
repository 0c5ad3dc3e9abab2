/**
 * The SQL of the history of audiences. Pure. Its tables lie in the configured database whatever database the rest of a
 * statement is asked in: `base` is that database, quoted.
 */
import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import {
  type ChangesQuery,
  type Evaluation,
  HISTORY_TABLES,
  type HistoryTable,
  type Query,
} from './analytics-store.ts';
import type { LiveEpoch } from './live-history.ts';

const OF_AUDIENCE = 'project_id = {hProject:String} AND audience_id = {hAudience:String}';
const AT = "{hAt:DateTime64(6, 'UTC')}";

type Named = Pick<Evaluation, 'projectId' | 'audienceId'>;

/** Writes the users who entered and left. Memory has the set of former members alone: users may be many. */
export function differenceStatement(base: string, evaluation: Evaluation, members: Query): Query {
  const before = `SELECT user FROM ${base}.audience_members FINAL WHERE ${OF_AUDIENCE} AND change = 'entered'`;
  return {
    sql: `INSERT INTO ${base}.audience_changes
          (project_id, audience_id, evaluated_at, user, change, user_id, anonymous_id, internal_id, version, cause)
          SELECT {hProject:String}, {hAudience:String}, ${AT}, user, if(was_in, 'left', 'entered'), user_id, anonymous_id,
                 internal_id, {hVersion:UInt32}, {hCause:String}
          FROM (SELECT *, user IN (${before}) AS was_in FROM (${members.sql})) WHERE is_in != was_in`,
    params: { ...members.params, ...paramsOf(evaluation) },
  };
}

/** What `differenceStatement` wrote, and how many were members before. */
export function differenceQuery(base: string, evaluation: Evaluation): Query {
  const changed = (change: string): string =>
    `(SELECT count() FROM ${base}.audience_changes FINAL
      WHERE ${OF_AUDIENCE} AND evaluated_at = ${AT} AND change = '${change}')`;
  return {
    sql: `SELECT ${changed('entered')} AS entered, ${changed('left')} AS left,
                 (SELECT count() FROM ${base}.audience_members FINAL WHERE ${OF_AUDIENCE} AND change = 'entered') AS before`,
    params: paramsOf(evaluation),
  };
}

/** In this order; all may be run again. */
export function finalizeStatements(base: string, evaluation: Evaluation): readonly Query[] {
  const params = paramsOf(evaluation);
  return [
    {
      sql: `INSERT INTO ${base}.audience_members (project_id, audience_id, user, change, evaluated_at)
            SELECT project_id, audience_id, user, change, evaluated_at FROM ${base}.audience_changes
            WHERE ${OF_AUDIENCE} AND evaluated_at = ${AT}`,
      params,
    },
    {
      sql: `INSERT INTO ${base}.audience_evaluations (project_id, audience_id, evaluated_at, version, cause)
            SELECT {hProject:String}, {hAudience:String}, ${AT}, {hVersion:UInt32}, {hCause:String}`,
      params,
    },
  ];
}

/**
 * When the failed evaluations were of which rows are there: those before this one that are not finalized. Live changes have
 * an epoch instead. Yields `at`, in microseconds.
 */
export function unfinalizedQuery(base: string, evaluation: Evaluation): Query {
  return {
    sql: `SELECT DISTINCT toString(toUnixTimestamp64Micro(evaluated_at)) AS at FROM ${base}.audience_changes
          WHERE ${OF_AUDIENCE} AND epoch = 0 AND evaluated_at < ${AT} AND evaluated_at NOT IN (${finalizedOf(base)})`,
    params: paramsOf(evaluation),
  };
}

/**
 * Removes the rows of failed evaluations. A deletion that is under way is applied by the questions asked meanwhile
 * (`apply_mutations_on_fly`), for which ClickHouse 26.7 takes neither a subquery nor a lambda in it.
 *
 * @param times In microseconds.
 */
export function dropUnfinalizedStatement(base: string, evaluation: Evaluation, times: readonly string[]): Query {
  return {
    sql: `DELETE FROM ${base}.audience_changes
          WHERE ${OF_AUDIENCE} AND epoch = 0 AND has({hTimes:Array(Int64)}, toUnixTimestamp64Micro(evaluated_at))`,
    params: { ...paramsOf(evaluation), hTimes: times.map(BigInt) },
  };
}

export function finalizedAtQuery(base: string, named: Named): Query {
  return {
    sql: `SELECT toUnixTimestamp64Micro(max(evaluated_at)) AS at, count() AS n
          FROM ${base}.audience_evaluations WHERE ${OF_AUDIENCE}`,
    params: namesOf(named),
  };
}

export function forgetStatements(base: string, named: Named): readonly Query[] {
  return ['audience_evaluations', 'audience_members', 'audience_members_by_user', 'audience_changes'].map((table) => ({
    sql: `DELETE FROM ${base}.${table} WHERE ${OF_AUDIENCE}`,
    params: namesOf(named),
  }));
}

/** All rows of a table of the history: the columns that are stored. */
export function historyRowsQuery(base: string, table: HistoryTable): Query {
  return { sql: `SELECT * FROM ${base}.${table}`, params: {} };
}

export function clearStatements(base: string): readonly Query[] {
  return [...HISTORY_TABLES, 'audience_members'].map((table) => ({
    sql: `DELETE FROM ${base}.${table} WHERE 1`,
    params: {},
  }));
}

/** As `finalizeStatements` and live changes make members. */
export function deriveMembersStatement(base: string, epochs: readonly LiveEpoch[]): Query {
  return {
    sql: `INSERT INTO ${base}.audience_members (project_id, audience_id, user, change, evaluated_at)
          SELECT project_id, audience_id, user, change, evaluated_at FROM ${base}.audience_changes
          WHERE epoch = 0 AND (project_id, audience_id, evaluated_at) IN
                (SELECT project_id, audience_id, evaluated_at FROM ${base}.audience_evaluations)
             OR ${countsLive(epochs)}`,
    params: epochParams(epochs),
  };
}

/** Rows as the stream of changes shows them. */
export function changesQuery(base: string, { after, until, limit, epochs, ...named }: ChangesQuery): Query {
  const place = `(evaluated_at, user) > ({hAfter:DateTime64(6, 'UTC')}, {hUser:UInt128})`;
  const last = limit === null ? '' : ' LIMIT {hLimit:UInt64}';
  return {
    projectId: named.projectId,
    sql: `SELECT nullIf(changes.user_id, '') AS user_id, nullIf(changes.anonymous_id, '') AS anonymous_id,
                 changes.internal_id AS internal_id, changes.change AS change,
                 concat(replaceOne(toString(changes.evaluated_at), ' ', 'T'), 'Z') AS at,
                 changes.version AS version, changes.cause AS cause, nullIf(changes.person, '') AS person
          FROM ${base}.audience_changes AS changes
          WHERE ${OF_AUDIENCE} AND evaluated_at >= {hAfter:DateTime64(6, 'UTC')}
            AND evaluated_at <= {hUntil:DateTime64(6, 'UTC')} AND ${place}
            AND (epoch = 0 AND evaluated_at IN (${finalizedOf(base)}) OR ${countsLive(epochs)})
          ORDER BY project_id, audience_id, evaluated_at, user${last}`,
    params: {
      ...namesOf(named),
      ...epochParams(epochs),
      hAfter: instantSql(after.at),
      hUntil: instantSql(until),
      hUser: after.user.toString(),
      ...(limit !== null && { hLimit: String(limit) }),
    },
  };
}

/**
 * Whether a live change counts: a parameter, since a set of what counts would grow with every second. Where no epoch is as
 * late as that of the change, `arrayFirst` gives 0, which is before any change.
 */
export function countsLive(epochs: readonly LiveEpoch[]): string {
  if (epochs.length === 0) return 'false';
  const through = 'arrayFirst((_, kept) -> kept >= epoch, {hThroughs:Array(Int64)}, {hEpochs:Array(UInt64)})';
  return `epoch > 0 AND toUnixTimestamp64Micro(evaluated_at) <= ${through}`;
}

export function epochParams(epochs: readonly LiveEpoch[]): Readonly<Record<string, readonly bigint[]>> {
  if (epochs.length === 0) return {};
  const sorted = byEpoch(epochs);
  return {
    hEpochs: sorted.map(({ epoch }) => epoch),
    hThroughs: sorted.map(({ through }) => through),
  };
}

function byEpoch(epochs: readonly LiveEpoch[]): readonly LiveEpoch[] {
  return epochs.toSorted((one, other) => (one.epoch < other.epoch ? -1 : 1));
}

/** Live changes that never count, of epochs that are over, up to the last of these. */
export function uncountedQuery(base: string, closed: readonly LiveEpoch[]): Query {
  const { sql, params } = uncounted(closed);
  return { sql: `SELECT count() AS n FROM ${base}.audience_changes WHERE ${sql}`, params };
}

export function dropUncountedStatement(base: string, closed: readonly LiveEpoch[]): Query {
  const { sql, params } = uncounted(closed);
  return { sql: `DELETE FROM ${base}.audience_changes WHERE ${sql}`, params };
}

/** What `countsLive` does not count, without a lambda (see `dropUnfinalizedStatement`). */
function uncounted(closed: readonly LiveEpoch[]): Query {
  const params: Record<string, string> = {};
  const each = byEpoch(closed).map(({ epoch, through }, index) => {
    params[`hEpoch${index}`] = String(epoch);
    params[`hThrough${index}`] = String(through);
    return { isWithin: `epoch <= {hEpoch${index}:UInt64}`, through: `{hThrough${index}:Int64}` };
  });
  const last = each.at(-1);
  if (last === undefined) return { sql: 'false', params };
  const throughs = each.flatMap(({ isWithin, through }) => [isWithin, through]);
  const through = `multiIf(${throughs.join(', ')}, ${last.through})`;
  return { sql: `epoch > 0 AND ${last.isWithin} AND toUnixTimestamp64Micro(evaluated_at) > ${through}`, params };
}

function finalizedOf(base: string): string {
  return `SELECT evaluated_at FROM ${base}.audience_evaluations WHERE ${OF_AUDIENCE}`;
}

function paramsOf(evaluation: Evaluation): Readonly<Record<string, string>> {
  const { at, version, cause } = evaluation;
  return { ...namesOf(evaluation), hAt: instantSql(at), hVersion: String(version), hCause: cause };
}

function namesOf({ projectId, audienceId }: Named): Readonly<Record<string, string>> {
  return { hProject: projectId, hAudience: audienceId };
}

function instantSql(micros: Micros): string {
  return formatMicros(micros).replace('T', ' ').slice(0, -1);
}
