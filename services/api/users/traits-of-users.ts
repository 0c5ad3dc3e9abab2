/** Some traits of the users of a page, read at once. */
import type { KnownIds } from '../../questions/known-ids.ts';
import { MAX_PAGE_CHARS } from '../../questions/query-budget.ts';
import { NO_TRAITS, type TraitChoice, chosenTraitsText, withTraits } from '../../stores/profiles/trait-choice.ts';
import type { TraitsParts } from '../audiences/user-lines.ts';

/** Every id by which a user is known, as an answer has them. */
export function idsJson({ userId, anonymousId, userKey }: KnownIds) {
  return { user_id: userId, anonymous_id: anonymousId, internal_id: userKey };
}

interface ListedUser {
  readonly userKey: string;
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
  const keys = [...new Set(users.map(({ userKey }) => userKey))];
  if (traits === NO_TRAITS || keys.length === 0) return () => '';
  const found = await profiles.traitsPage(projectId, keys, traits.paths, MAX_PAGE_CHARS);
  const members = new Map(
    found.map((values, index) => [keys[index], `,"user_traits":${chosenTraitsText(traits, values)}`]),
  );
  return ({ userKey }) => members.get(userKey) ?? '';
}

/**
 * The JSON of these users, in order, each with the traits. Fewer than there are where their traits are wide.
 *
 * @throws TidemarkError as `ProfileReader.traitsPage`.
 */
export async function textsWithTraits<T extends ListedUser>(
  { profiles }: TraitsParts,
  projectId: string,
  users: readonly T[],
  traits: TraitChoice,
  textOf: (user: T) => string,
): Promise<readonly string[]> {
  const texts = users.map(textOf);
  if (traits === NO_TRAITS || users.length === 0) return texts;
  const keys = users.map(({ userKey }) => userKey);
  const found = await profiles.traitsPage(projectId, keys, traits.paths, MAX_PAGE_CHARS);
  return found.map((values, index) => withTraits(texts[index] ?? '', traits, values));
}
