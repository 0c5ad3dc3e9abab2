/** Changes of the tree: each returns the whole document afterwards, and where the focus goes. */
import { isList, isObject, type Json } from '../../api/json.ts';
import { applyEdit, insertAt, type Path, valueAt } from './json-edit.ts';
import { groupKind, groupOf, type TreeNode, treeOf } from './tree.ts';

export interface Changed {
  readonly document: Json | undefined;
  /** The condition that has the focus afterwards. */
  readonly focus?: Path;
}

/** The list that a condition is in, and where. Undefined of the whole, and of what is within a `not`. */
function positionOf(at: Path): { readonly list: Path; readonly index: number } | undefined {
  const index = at.at(-1);
  return typeof index === 'number' ? { list: at.slice(0, -1), index } : undefined;
}

/** With a further condition: in the group, beside the condition, or as the first. */
export function added(root: Json | undefined, to: TreeNode | undefined, part: Json): Changed {
  if (root === undefined || to === undefined) return { document: part, focus: [] };
  if (to.kind === 'group') {
    const list = [...to.inner, to.joinedBy ?? 'all'];
    return { document: insertAt(root, list, to.parts.length, part), focus: [...list, to.parts.length] };
  }
  return besides(root, to.at, part);
}

function besides(root: Json, at: Path, part: Json): Changed {
  const position = positionOf(at);
  if (position === undefined) {
    const value = { all: [valueAt(root, at) ?? null, part] };
    return { document: applyEdit(root, { at, value }), focus: [...at, 'all', 1] };
  }
  const { list, index } = position;
  return { document: insertAt(root, list, index + 1, part), focus: [...list, index + 1] };
}

/** A group whose last part is taken out goes as well. */
export function removed(root: Json, at: Path): Changed {
  const position = positionOf(at);
  if (at.length === 0) return { document: undefined };
  if (position === undefined) return removed(root, at.slice(0, -1));
  const { list, index } = position;
  const present = valueAt(root, list);
  if (isList(present) && present.length === 1) return removed(root, list.slice(0, -1));
  return { document: applyEdit(root, { at, value: undefined }), focus: [...list, Math.max(0, index - 1)] };
}

export function copied(root: Json, at: Path): Changed {
  return besides(root, at, valueAt(root, at) ?? null);
}

/** One place up or down among its like; at the end of a group, out of it. */
export function moved(root: Json, at: Path, step: 1 | -1): Changed | undefined {
  const position = positionOf(at);
  if (position === undefined) return undefined;
  const { list, index } = position;
  const present = valueAt(root, list);
  if (!isList(present)) return undefined;
  const to = index + step;
  if (to < 0 || to >= present.length) return movedOut(root, at, step === 1 ? 1 : 0);
  const value = present.toSpliced(index, 1).toSpliced(to, 0, present[index] ?? null);
  return { document: applyEdit(root, { at: list, value }), focus: [...list, to] };
}

/** Beside the group that it is in. */
export function movedOut(root: Json, at: Path, after: 0 | 1 = 1): Changed | undefined {
  const position = positionOf(at);
  if (position === undefined) return undefined;
  const group = outermost(root, position.list.slice(0, -1));
  const outer = positionOf(group);
  if (outer === undefined) return undefined;
  const part = valueAt(root, at) ?? null;
  const present = valueAt(root, position.list);
  const isLast = isList(present) && present.length === 1;
  const without = applyEdit(root, isLast ? { at: group, value: part } : { at, value: undefined });
  if (isLast) return { document: without, focus: group };
  const index = outer.index + after;
  return { document: insertAt(without, outer.list, index, part), focus: [...outer.list, index] };
}

/** The group with the `not` around it. */
function outermost(root: Json, group: Path): Path {
  const around = valueAt(root, group.slice(0, -1));
  return group.at(-1) === 'not' && isObject(around) ? group.slice(0, -1) : group;
}

/** At the end of the group before it, or at the beginning of the one behind it. */
export function movedIn(root: Json, at: Path): Changed | undefined {
  const position = positionOf(at);
  if (position === undefined) return undefined;
  for (const [index, place] of [
    [position.index - 1, position.index - 1],
    [position.index + 1, position.index],
  ] as const) {
    const value = index < 0 ? undefined : valueAt(root, [...position.list, index]);
    const sibling = value === undefined ? undefined : treeOf(value);
    if (sibling?.kind !== 'group') continue;
    const part = valueAt(root, at) ?? null;
    const list = [...position.list, place, ...sibling.inner, sibling.joinedBy ?? 'all'];
    const end = index < position.index ? sibling.parts.length : 0;
    return { document: insertAt(applyEdit(root, { at, value: undefined }), list, end, part), focus: [...list, end] };
  }
  return undefined;
}

/** Alone in a group of its own, to which others can be added. */
export function grouped(root: Json, at: Path): Changed {
  const value = { any: [valueAt(root, at) ?? null] };
  return { document: applyEdit(root, { at, value }), focus: [...at, 'any', 0] };
}

/** The parts of a group in its place; undefined where that means something else. */
export function ungrouped(root: Json, node: TreeNode): Changed | undefined {
  const position = positionOf(node.at);
  if (node.kind !== 'group' || node.isNegated) return undefined;
  const [only, ...others] = node.parts;
  if (only !== undefined && others.length === 0) {
    return { document: applyEdit(root, { at: node.at, value: valueAt(root, only.at) }), focus: node.at };
  }
  if (position?.list.at(-1) !== node.joinedBy || position === undefined) return undefined;
  const around = valueAt(root, position.list);
  const parts = node.parts.map(({ at }) => valueAt(root, at) ?? null);
  if (!isList(around)) return undefined;
  return { document: applyEdit(root, { at: position.list, value: around.toSpliced(position.index, 1, ...parts) }) };
}

export function negated(root: Json, node: TreeNode): Changed {
  const inner = valueAt(root, node.inner) ?? null;
  return { document: applyEdit(root, { at: node.at, value: node.isNegated ? inner : { not: inner } }), focus: node.at };
}

/** @param kind A key of `GROUPS`. */
export function joined(root: Json, node: TreeNode, kind: string): Changed {
  if (kind === groupKind(node)) return { document: root };
  const parts = node.parts.map(({ at }) => valueAt(root, at) ?? null);
  return { document: applyEdit(root, { at: node.at, value: groupOf(kind, parts) }) };
}
