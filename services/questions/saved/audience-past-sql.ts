/** The SQL of what audiences were before: their definitions, and their sizes by evaluation. */
import type { Micros } from '../../messages/message.ts';
import type { EvaluationCause } from '../../stores/analytics/analytics-store.ts';
import type { LiveEpoch } from '../../stores/analytics/live-history.ts';
import type { Queryable, SqlValue } from '../../stores/database/database.ts';
import {
  type AudienceSize,
  type AudienceVersion,
  type EvaluationsQuery,
  type LastEvaluation,
  MAX_EVALUATIONS,
  MAX_VERSIONS,
} from './audience-store.ts';

/** Project and id of an audience. */
type Named = readonly [projectId: string, id: string];

const OF_AUDIENCE = `audience_id = (select id from audiences where project_id = $1 and id = $2 and deleted_at_ms is null)`;

/**
 * Keeps the definition of the row that `source` returns, unless this version is kept already: a change of the name alone
 * makes none. @param by The parameter of who changed it.
 */
export function keptVersion(source: string, by: string): string {
  return `kept as (
    insert into audience_versions (audience_id, version, definition, changed_at_ms, changed_by)
    select id, version, definition, updated_at_ms, ${by}::text from ${source}
    on conflict (audience_id, version) do nothing)`;
}

/** Versions have no gaps, so that the number tells how many there are. */
export const TRIMMED_VERSIONS = `trimmed as (
  delete from audience_versions using changed
  where audience_id = changed.id and audience_versions.version <= changed.version - ${MAX_VERSIONS})`;

/** Keeps the evaluation of a commit, by its parameters, and deletes the oldest past the limit. */
export const KEPT_EVALUATION = `kept as (
    insert into audience_evaluations (audience_id, evaluated_at, version, cause, entered, left_members, members)
    select id, $3::int8, $4::int4, $5, $6::int8, $7::int8, $8::int8 from written),
  trimmed as (
    delete from audience_evaluations where audience_id = (select id from written) and evaluated_at <= (
      select evaluated_at from audience_evaluations where audience_id = (select id from written)
      order by evaluated_at desc offset ${MAX_EVALUATIONS - 1} limit 1))`;

export async function versionsOf(
  database: Queryable,
  named: Named,
  limit: number,
  before?: number,
): Promise<readonly AudienceVersion[]> {
  const rows = await database.query<VersionRow>(
    `select version, definition, changed_at_ms, changed_by,
            (select name from api_keys where api_keys.id = changed_by) as changed_by_name
     from audience_versions
     where ${OF_AUDIENCE} and version < coalesce($4::int4, version + 1) order by version desc limit $3::int8`,
    [...named, BigInt(limit), before ?? null],
  );
  return rows.map(
    ({ version, definition, changed_at_ms: changedAtMs, changed_by: changedBy, changed_by_name: name }) => {
      const changed = {
        changedAtMs: changedAtMs === null ? null : Number(changedAtMs),
        changedBy,
        changedByName: name,
      };
      return { version, definition, ...changed };
    },
  );
}

/** The last evaluation of each period; the rows before it are only summed up. */
export async function evaluationsOf(
  database: Queryable,
  named: Named,
  { limit, since, before, perMicros }: EvaluationsQuery,
): Promise<readonly LastEvaluation[]> {
  const values: SqlValue[] = [...named, BigInt(limit), since ?? null, before ?? null];
  const period = 'evaluated_at / $6::int8';
  const [distinct, entered, left] =
    perMicros === undefined
      ? ['', 'entered', 'left_members']
      : [`distinct on (${period})`, `(sum(entered) over w)::int8`, `(sum(left_members) over w)::int8`];
  const rows = await database.query<EvaluationRow>(
    `select ${distinct} evaluated_at, version, cause, members, ${entered} as entered, ${left} as left_members
     from audience_evaluations
     where ${OF_AUDIENCE} and ($4::int8 is null or evaluated_at >= $4::int8) and ($5::int8 is null or evaluated_at < $5::int8)
     ${perMicros === undefined ? '' : `window w as (partition by ${period})`}
     order by ${perMicros === undefined ? '' : `${period} desc,`} evaluated_at desc limit $3::int8`,
    perMicros === undefined ? values : [...values, perMicros],
  );
  return rows.map(({ evaluated_at: at, version, cause, members, entered: came, left_members: went }) => {
    return { at, version, cause, members: Number(members), entered: Number(came), left: Number(went) };
  });
}

/** One question for all of them. */
export async function sizesOf(
  database: Queryable,
  ids: readonly string[],
  since: Micros,
  perMicros: Micros,
): Promise<ReadonlyMap<string, readonly AudienceSize[]>> {
  const period = 'evaluated_at / $3::int8';
  const rows = await database.query<{ audience_id: string; evaluated_at: bigint; members: bigint }>(
    `select distinct on (audience_id, ${period}) audience_id, evaluated_at, members from audience_evaluations
     where audience_id = any($1::text[]) and evaluated_at >= $2::int8
     order by audience_id, ${period} desc, evaluated_at desc`,
    [ids, since, perMicros],
  );
  const found = Map.groupBy(rows, ({ audience_id: id }) => id);
  const sizeOf = ({ evaluated_at: at, members }: (typeof rows)[number]) => ({ at, members: Number(members) });
  return new Map([...found].map(([id, sizes]) => [id, sizes.map(sizeOf)]));
}

export function liveEpochsOf(database: Queryable): Promise<readonly LiveEpoch[]> {
  return database.query<LiveEpoch>('select epoch, through from live_epochs');
}

export async function changesReadableAtOf(
  database: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Micros | null>> {
  const sql = 'select id, changes_readable_at from audiences where id = any($1::text[]) and deleted_at_ms is null';
  const rows = await database.query<{ id: string; changes_readable_at: Micros | null }>(sql, [ids]);
  return new Map(rows.map(({ id, changes_readable_at: at }) => [id, at]));
}

type VersionRow = {
  version: number;
  definition: string;
  changed_at_ms: bigint | null;
  changed_by: string | null;
  changed_by_name: string | null;
};

type EvaluationRow = {
  evaluated_at: bigint;
  version: number;
  cause: EvaluationCause;
  members: bigint;
  entered: bigint;
  left_members: bigint;
};
