/** Compiles the comparison of two audiences to one query. Pure. As in compile.ts, no text of a caller becomes SQL. */
import type { Query } from '../../stores/analytics/analytics-store.ts';
import type { Audience } from '../definition/audience.ts';
import { filter, MAX_SAMPLE, type PreviewOptions, queryOf } from './compile.ts';
import { Params } from './params.ts';

/**
 * Yields one row: `from_count` and `to_count`, the numbers of users of either; of those who enter, leave and stay where the
 * one becomes the other the number (`entering`) and some (`entering_sample`: internal id, user id and anonymous id).
 *
 * Every user is one row (FINAL), tested by both audiences. Conditions that they share are the same sets, built once.
 */
export function compileComparison(from: Audience, to: Audience, { projectId, now, sampleSize }: PreviewOptions): Query {
  const params = new Params();
  const scope = { params, projectId, now };
  const size = params.count(sampleSize);
  const groups = [
    group('entering', 'is_to AND NOT is_from', size),
    group('leaving', 'is_from AND NOT is_to', size),
    group('staying', 'is_from AND is_to', size),
  ];
  const select =
    `SELECT countIf(is_from) AS from_count, countIf(is_to) AS to_count, ${groups.join(', ')} ` +
    `FROM (SELECT user_id, anonymous_id, internal_id, toBool(${filter(scope, from)}) AS is_from, ` +
    `toBool(${filter(scope, to)}) AS is_to FROM user_rows FINAL WHERE project_id = ${params.string(projectId)})`;
  return queryOf(scope, select);
}

function group(name: string, condition: string, size: string): string {
  const some = `groupArrayIf(${MAX_SAMPLE})((internal_id, user_id, anonymous_id), ${condition})`;
  return `countIf(${condition}) AS ${name}, arraySlice(arraySort(${some}), 1, ${size}) AS ${name}_sample`;
}
