/** Some traits of many users in one statement: of a wide profile only what was asked for leaves the database. */
import type { JsonText } from '../../messages/message.ts';
import type { Queryable } from '../database/database.ts';
import { isHiddenSql } from '../erasures/hidden.ts';
import type { TraitPath, TraitValues } from './profile.ts';

/** See `ProfileReader.traitsPage`. */
export async function readTraits(
  database: Queryable,
  projectId: string,
  userKeys: readonly string[],
  paths: readonly TraitPath[],
  maxChars: number,
): Promise<readonly TraitValues[]> {
  const rows = await database.query<TraitsRow>(traitsStatement(paths.length), [
    projectId,
    userKeys,
    maxChars,
    ...paths,
  ]);
  const none = paths.map(() => null);
  return rows.map(({ found }) => found ?? none);
}

interface TraitsRow {
  readonly found: readonly (JsonText | null)[] | null;
}

// The recursion reads one profile a step, and none past the last of the page, as that of whole profiles does.
function traitsStatement(paths: number): string {
  const values = Array.from({ length: paths }, (_, index) => `(traits #> $${index + 4}::text[])::text`);
  return `
    with recursive page (number, found, chars) as (
      select 0, null::text[], 0::int8
      union all
      select number + 1, here.found, chars + coalesce(length(array_to_string(here.found, '')), 0)
      from page
      left join lateral (
        select array[${values.join(', ')}] as found
        from {profiles}
        where project_id = $1 and user_key = ($2::text[])[number + 1]
          and not ${isHiddenSql('$1', '($2::text[])[number + 1]')}
      ) as here on true
      where number < cardinality($2::text[]) and chars < $3::int8
    )
    select found from page where number > 0 order by number`;
}
