import type { Micros } from '../../messages/message.ts';
import type { Query } from '../../stores/analytics/analytics-store.ts';
import type { Audience } from '../definition/audience.ts';
import { filter, queryOf } from '../sql/compile.ts';
import { Params } from '../sql/params.ts';
import { mayChange } from './bounds.ts';

export interface HorizonQuery {
  readonly projectId: string;
  readonly now: Micros;
  /** From `now` on. */
  readonly span: Micros;
  readonly limit: number;
}

/**
 * The query for `internal_id` of the users whom time alone may bring into the audience within the span, or out of it; null if
 * time changes nothing.
 */
export function horizonQuery(definition: Audience, { projectId, now, span, limit }: HorizonQuery): Query | null {
  const changing = mayChange(definition, span);
  if (changing === null) return null;
  const scope = { params: new Params(), projectId, now };
  const { params } = scope;
  return queryOf(
    scope,
    `SELECT internal_id FROM user_rows FINAL WHERE project_id = ${params.string(projectId)} ` +
      `AND ${filter(scope, changing)} LIMIT ${params.count(limit)}`,
  );
}
