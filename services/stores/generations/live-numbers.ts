import type { LiveNumbers } from '../analytics/analytics-store.ts';
import { FIRST_GENERATION } from './generation.ts';
import type { LiveRow } from './sql-generations.ts';

/** Who answers for whom, of the rows of analytics. */
export function liveNumbersOf(rows: readonly LiveRow[]): LiveNumbers {
  const analytics = rows.filter(({ kind }) => kind === 'analytics');
  const all = analytics.find(({ projectId }) => projectId === null)?.number ?? FIRST_GENERATION;
  const own = analytics.flatMap(({ projectId, number }) =>
    projectId === null || number === null || number === all ? [] : [[projectId, number] as const],
  );
  return { all, own: new Map(own) };
}
