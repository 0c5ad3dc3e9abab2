/** Names of users whom profiles did not know yet when their message was read. Pure. */
import type { LiveRow } from '../api/types.ts';

/**
 * The same rows. A message that comes right after the identify of its user can be read before the profile has the name:
 * then it has the traits of the newest identify among these rows.
 *
 * @param rows Newest first.
 */
export function withNames(rows: readonly LiveRow[]): readonly LiveRow[] {
  const identified = new Map(
    rows
      .toReversed()
      .flatMap(({ type, internal_id: id, traits }) => (type === 'identify' && traits ? [[id, traits] as const] : [])),
  );
  return rows.map((row) => {
    const traits = identified.get(row.internal_id);
    return traits === undefined || isNamed(row) ? row : { ...row, user_traits: traits };
  });
}

function isNamed({ user_traits: traits = {} }: LiveRow): boolean {
  return Object.values(traits).some((value) => value !== null);
}
