import type { Json } from '../../api/json.ts';
import { Menu } from '../../parts/form.tsx';
import type { Builder } from './builder.ts';
import type { Addition } from './sentences/phrase.ts';
import { add, RemoveButton } from './sentences/piece-view.tsx';
import type { TreeNode } from './tree.ts';
import { type Changed, copied, grouped, moved, movedIn, movedOut, negated, removed, ungrouped } from './tree-edits.ts';

interface RowMenuProps {
  readonly builder: Builder;
  readonly node: TreeNode;
  readonly label: string;
  readonly additions?: readonly Addition[];
}

/** What can be done with a condition or a group as a whole. */
export function RowMenu({ builder, node, label, additions = [] }: RowMenuProps) {
  const root = builder.draft.value.document;
  if (root === undefined) return null;
  return (
    <span class="line-actions">
      <Menu text={DOTS} label={`More for: ${label}`} look="plain tiny" panel="choices" isChoice>
        {additions.map((addition) => (
          <MenuChoice key={addition.label} text={addition.label} run={() => void add(builder, addition)} />
        ))}
        {additions.length > 0 && <hr />}
        {actionsFor(root, node).map(({ change, ...action }) => (
          <MenuChoice key={action.text} {...action} isOff={change === undefined} run={() => builder.change(change)} />
        ))}
      </Menu>
      <RemoveButton label={`Remove: ${label}`} title="Remove" onClick={() => builder.change(removed(root, node.at))} />
    </span>
  );
}

const DOTS = (
  <svg viewBox="0 0 12 12" aria-hidden="true">
    <path d="M2 6h.01M6 6h.01M10 6h.01" />
  </svg>
);

interface ChoiceProps {
  readonly text: string;
  readonly keys?: string | undefined;
  readonly isOff?: boolean;
  readonly run: () => void;
}

function MenuChoice({ text, keys, isOff = false, run }: ChoiceProps) {
  return (
    <button type="button" class="plain" disabled={isOff} onClick={run}>
      {text} {keys !== undefined && <kbd>{keys}</kbd>}
    </button>
  );
}

interface Action {
  readonly text: string;
  readonly keys?: string;
  /** Undefined where it cannot be done. */
  readonly change: Changed | undefined;
}

function actionsFor(root: Json, node: TreeNode): readonly Action[] {
  const isGroup = node.kind === 'group';
  return [
    { text: 'Copy', change: copied(root, node.at) },
    { text: node.isNegated ? 'Without “not”' : 'Turn into the opposite', change: negated(root, node) },
    { text: 'Move up', keys: 'Alt ↑', change: moved(root, node.at, -1) },
    { text: 'Move down', keys: 'Alt ↓', change: moved(root, node.at, 1) },
    { text: 'Move into the group beside it', change: movedIn(root, node.at) },
    { text: 'Move out of its group', change: movedOut(root, node.at) },
    { text: 'Put into a new group', change: grouped(root, node.at) },
    ...(isGroup ? [{ text: 'Dissolve the group', change: ungrouped(root, node) }] : []),
  ];
}
