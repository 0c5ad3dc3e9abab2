/** Some traits of the users of a page, read at once. */
import { MAX_PAGE_CHARS } from '../../questions/query-budget.ts';
import { NO_TRAITS, type TraitChoice, chosenTraitsText } from '../../stores/profiles/trait-choice.ts';
import type { TraitsParts } from '../audiences/user-lines.ts';

interface ListedUser {
  readonly internalId: string;
}

/**
 * What stands in the JSON of a row of this user: the member `user_traits` behind a comma. Nothing where none are wanted, and
 * for the users whom wide traits of others leave no room.
 *
 * @throws TidemarkError as `ProfileReader.traitsPage`.
 */
export async function traitsOfUsers(
  { profiles }: TraitsParts,
  projectId: string,
  users: readonly ListedUser[],
  traits: TraitChoice,
): Promise<(user: ListedUser) => string> {
  const keys = [...new Set(users.map(({ internalId }) => internalId))];
  if (traits === NO_TRAITS || keys.length === 0) return () => '';
  const found = await profiles.traitsPage(projectId, keys, traits.paths, MAX_PAGE_CHARS);
  const members = new Map(
    found.map((values, index) => [keys[index], `,"user_traits":${chosenTraitsText(traits, values)}`]),
  );
  return ({ internalId }) => members.get(internalId) ?? '';
}
