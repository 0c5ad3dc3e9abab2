/** The traits that stand beside users whom a definition means: what people call them, and what it asks about. Pure. */
import { isObject, type Json } from '../api/json.ts';
import { displayName, type ListedUser, nameTraits, spelled } from '../parts/user-cell.tsx';
import { keysOf } from './builder/known.ts';
import { type TreeNode, treeOf } from './builder/tree.ts';

/** The service takes 50 names of 8,192 characters in all. */
const MAX_ASKED = 40;
const MAX_CHARS = 8_000;

/** As the parameter `traits` spells them: a dot leads into an object. */
export function traitsFor(definition: Json): readonly string[] {
  const named = [...new Set([...nameTraits().map((name) => spelled([name])), ...traitsIn(treeOf(definition))])].slice(
    0,
    MAX_ASKED,
  );
  let chars = 0;
  return named.filter((name) => (chars += name.length + 1) <= MAX_CHARS);
}

function traitsIn({ kind, value, parts }: TreeNode): readonly string[] {
  if (kind !== 'trait' || !isObject(value)) return parts.flatMap(traitsIn);
  const path = keysOf(value['trait']) ?? [''];
  return path.includes('') ? [] : [spelled(path)];
}

const MAX_COLUMNS = 4;

/** Those of the traits that have a column: all but what every one of these users is called by already. */
export function columnsFor(users: readonly ListedUser[], traits: readonly string[]): readonly string[] {
  const isSeen = (trait: string, user: ListedUser): boolean =>
    [null, undefined, displayName(user)].includes(user.traits?.[trait] as string);
  const names = nameTraits().map((name) => spelled([name]));
  return traits
    .filter((trait) => !names.includes(trait) || !users.every((user) => isSeen(trait, user)))
    .slice(0, MAX_COLUMNS);
}
