/** The SQL of what audiences were before: their definitions, and their sizes by evaluation. */
import type { Micros } from '../../messages/message.ts';
import type { LiveEpoch } from '../../stores/analytics/live-history.ts';
import type { Database, SqlValue } from '../../stores/database/database.ts';
import { Leases } from '../../stores/database/leases.ts';
import {
  type AudienceSize,
  type AudienceVersion,
  type EvaluationsQuery,
  type LastEvaluation,
  MAX_EVALUATIONS,
  MAX_VERSIONS,
} from './audience-store.ts';

const OF_AUDIENCE = `audience_id = (select id from audiences where project_id = $1 and id = $2 and deleted_at_ms is null)`;

/**
 * Keeps the definition of the row that `source` returns, unless this version is kept already: a change of the name alone
 * makes none. @param by The parameter of who changed it.
 */
export function keptVersion(source: string, by: string): string {
  return `kept as (
    insert into audience_versions (audience_id, version, definition, changed_at_ms, changed_by)
    select id, version, definition, "updatedAtMs", ${by}::text from ${source}
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

/** What audiences were before, for `SqlAudienceStore`. */
export class SqlAudiencePast extends Leases {
  readonly #database: Database;

  constructor(database: Database) {
    super(database, 'audiences');
    this.#database = database;
  }

  /** Newest first. @param before Only versions below this one. */
  versions(projectId: string, id: string, limit: number, before?: number): Promise<readonly AudienceVersion[]> {
    return this.#database.query<AudienceVersion>(
      `select version, definition, changed_at_ms::float8 as "changedAtMs", changed_by as "changedBy",
              (select name from api_keys where api_keys.id = changed_by) as "changedByName"
       from audience_versions
       where ${OF_AUDIENCE} and version < coalesce($4::int4, version + 1) order by version desc limit $3::int8`,
      [projectId, id, BigInt(limit), before ?? null],
    );
  }

  /** Newest first. The last of a period sums up those before it. */
  evaluations(
    projectId: string,
    id: string,
    { limit, since, before, perMicros }: EvaluationsQuery,
  ): Promise<readonly LastEvaluation[]> {
    const values: SqlValue[] = [projectId, id, BigInt(limit), since ?? null, before ?? null];
    const period = 'evaluated_at / $6::int8';
    const [distinct, entered, left] =
      perMicros === undefined
        ? ['', 'entered', 'left_members']
        : [`distinct on (${period})`, 'sum(entered) over w', 'sum(left_members) over w'];
    return this.#database.query<LastEvaluation>(
      `select ${distinct} evaluated_at as at, version, cause, members::float8,
              (${entered})::float8 as entered, (${left})::float8 as "left"
       from audience_evaluations
       where ${OF_AUDIENCE} and ($4::int8 is null or evaluated_at >= $4::int8) and ($5::int8 is null or evaluated_at < $5::int8)
       ${perMicros === undefined ? '' : `window w as (partition by ${period})`}
       order by ${perMicros === undefined ? '' : `${period} desc,`} evaluated_at desc limit $3::int8`,
      perMicros === undefined ? values : [...values, perMicros],
    );
  }

  /**
   * The sizes of each of these audiences since a time, newest first: the last of each period of this length, counted from
   * 1970. Audiences without any are left out. One question for all of them.
   */
  async sizes(
    ids: readonly string[],
    since: Micros,
    perMicros: Micros,
  ): Promise<ReadonlyMap<string, readonly AudienceSize[]>> {
    const period = 'evaluated_at / $3::int8';
    const rows = await this.#database.query<AudienceSize & { readonly id: string }>(
      `select distinct on (audience_id, ${period}) audience_id as id, evaluated_at as at, members::float8 from audience_evaluations
       where audience_id = any($1::text[]) and evaluated_at >= $2::int8
       order by audience_id, ${period} desc, evaluated_at desc`,
      [ids, since, perMicros],
    );
    const found = Map.groupBy(rows, ({ id }) => id);
    return new Map([...found].map(([id, sizes]) => [id, sizes.map(({ at, members }) => ({ at, members }))]));
  }

  /**
   * The newest evaluation of each of these audiences that changed who is in it and whose changes can be read; null if there
   * was none since this is noted. Audiences that do not exist are left out.
   */
  async changesReadableAt(ids: readonly string[]): Promise<ReadonlyMap<string, Micros | null>> {
    const sql =
      'select id, changes_readable_at as at from audiences where id = any($1::text[]) and deleted_at_ms is null';
    const rows = await this.#database.query<{ readonly id: string; readonly at: Micros | null }>(sql, [ids]);
    return new Map(rows.map(({ id, at }) => [id, at]));
  }

  /** Which live changes count. */
  liveEpochs(): Promise<readonly LiveEpoch[]> {
    return this.#database.query<LiveEpoch>('select epoch, through from live_epochs');
  }
}
