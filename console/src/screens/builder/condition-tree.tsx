/** The definition as an indented tree of sentences. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Json } from '../../api/json.ts';
import { Select } from '../../parts/choice.tsx';
import { matching } from '../../parts/combobox.tsx';
import { count } from '../../parts/numbers.ts';
import { Button } from '../../parts/form.tsx';
import { AddMenu } from './add-menu.tsx';
import type { Builder } from './builder.ts';
import { pathTo, pointerOf, valueAt } from './json-edit.ts';
import { typeOf } from './known.ts';
import { add, Additions, Phrases } from './sentences/piece-view.tsx';
import { RowMenu } from './row-menu.tsx';
import {
  GROUPS,
  groupKind,
  isNarrowing,
  type Problem,
  problemText,
  sentenceOf,
  type TreeNode,
  wordingOf,
} from './tree.ts';
import { joined, moved, removed } from './tree-edits.ts';

export interface NodeProps {
  readonly builder: Builder;
  readonly node: TreeNode;
}

export function ConditionTree({ builder, root }: { readonly builder: Builder; readonly root: TreeNode }) {
  const tree = useRef<HTMLDivElement>(null);
  useFocus(builder, tree);
  return (
    <div class="tree" ref={tree}>
      <p class="quiet">{root.kind === 'group' ? 'Users who match' : 'Users who'}</p>
      {root.kind === 'group' ? (
        <ConditionGroup builder={builder} node={root} />
      ) : (
        <>
          <Part builder={builder} node={root} />
          <AddMenu builder={builder} node={root} />
        </>
      )}
    </div>
  );
}

/** The condition that was just moved has the focus, or the field that is written next. */
export function useFocus(builder: Builder, tree: { readonly current: HTMLElement | null }): void {
  const wanted = builder.focus.value;
  // Before anything is painted: the next key is the condition's.
  useLayoutEffect(() => {
    if (wanted === undefined || tree.current === null) return;
    builder.focus.value = undefined;
    const field = wanted.isField ? fieldIn(tree.current, wanted.at) : undefined;
    if (field === undefined) return lineAround(tree.current, wanted.at)?.focus();
    field.focus();
    if (!(field instanceof HTMLInputElement)) return;
    field.select();
    // As a press would: what is suggested is there at once.
    field.click();
  }, [wanted, builder]);
}

/** The first field of what is at a place; the first list to choose from where nothing can be written. */
function fieldIn(tree: HTMLElement, at: string): HTMLElement | undefined {
  const fields = [...tree.querySelectorAll<HTMLElement>('[data-field]')];
  const within = fields.filter(({ dataset }) => `${dataset['field']}/`.startsWith(`${at}/`));
  return within.find((field) => field instanceof HTMLInputElement) ?? within[0];
}

/** The innermost condition or group that a place is in. */
function lineAround(tree: HTMLElement, at: string): HTMLElement | undefined {
  const lines = [...tree.querySelectorAll<HTMLElement>('[data-at]')];
  return lines.findLast(({ dataset }) => `${at}/`.startsWith(`${dataset['at']}/`));
}

function ConditionGroup({ builder, node }: NodeProps) {
  const label = sentenceOf(node);
  return (
    <div class={`group ${node.isNegated ? 'negated' : (node.joinedBy ?? '')}`} role="group" aria-label={label}>
      <div class="line" data-row tabIndex={-1} data-at={pointerOf(node.at)} onKeyDown={lineKeys(builder, node)}>
        <Select
          look="token"
          label="How the conditions are joined"
          value={groupKind(node)}
          options={GROUPS}
          onChoice={(kind) => builder.change(joined(rootOf(builder), node, kind))}
        />
        <Left builder={builder} node={node} />
        <RowMenu builder={builder} node={node} label={label} />
      </div>
      <Notes builder={builder} node={node} />
      <ul>
        {node.parts.map((part) => (
          <li key={pointerOf(part.at)}>
            <Part builder={builder} node={part} />
          </li>
        ))}
      </ul>
      <AddMenu builder={builder} node={node} />
    </div>
  );
}

function Part(props: NodeProps) {
  const { node, builder } = props;
  if (node.kind === 'group') return <ConditionGroup {...props} />;
  if (node.kind !== 'not') return <Condition {...props} />;
  const [inner] = node.parts;
  return (
    <div class="group negated" role="group" aria-label="none of this">
      <div class="line" data-row tabIndex={-1} data-at={pointerOf(node.at)} onKeyDown={lineKeys(builder, node)}>
        <span class="word">none of this:</span>
        <Left builder={builder} node={node} />
        <RowMenu builder={builder} node={node} label="none of this" />
      </div>
      {inner !== undefined && <Part builder={builder} node={inner} />}
    </div>
  );
}

function Condition({ builder, node }: NodeProps) {
  const { phrases, additions } = wordingOf(node);
  const label = sentenceOf(node, builder.catalog.audiences.value);
  return (
    <>
      <div
        class={`line condition ${node.kind}`}
        role="group"
        aria-label={label}
        data-row
        tabIndex={-1}
        data-at={pointerOf(node.at)}
        onKeyDown={lineKeys(builder, node)}
      >
        <span class="condition-words">
          <Phrases editor={builder} phrases={phrases} />
          <Additions additions={additions} onAdd={(addition) => void add(builder, addition)} />
        </span>
        <Left builder={builder} node={node} />
        <RowMenu builder={builder} node={node} label={label} additions={additions} />
      </div>
      <Notes builder={builder} node={node} />
    </>
  );
}

/** How many users are found by this condition and those before it, of the outermost group. */
function Left({ builder, node }: NodeProps) {
  const left = builder.counting.steps.value.get(pointerOf(node.at));
  if (left === undefined) return null;
  const most = Math.max(1, ...builder.counting.steps.value.values());
  return (
    <span class="left" title="With this condition and those above it">
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="4" class="all" />
        <rect width={(left * 100) / most} height="4" />
      </svg>
      <b>{count(left)}</b> {builder.root.value !== undefined && isNarrowing(builder.root.value) ? 'left' : 'so far'}
    </span>
  );
}

function Notes({ builder, node }: NodeProps) {
  const at = pointerOf(node.at);
  const refused = builder.problemsAt.value.get(at) ?? [];
  const warnings = builder.warningsAt.value.get(at) ?? [];
  if (refused.length + warnings.length === 0) return null;
  return (
    <ul class="notes">
      {[...refused, ...warnings].map((problem) => (
        <li key={problem.pointer + problem.message} class={warnings.includes(problem) ? 'hint' : 'refused'}>
          {problemText(problem)} <Instead builder={builder} problem={problem} />
        </li>
      ))}
    </ul>
  );
}

const RETYPE_LABELS: Readonly<Record<string, string>> = { text: 'Make it text', number: 'Make it a number' };

/** The button that puts in what is most likely meant. */
function Instead({ builder, problem: { pointer, instead } }: { readonly builder: Builder; readonly problem: Problem }) {
  const at = pathTo(builder.document, pointer);
  const value = valueAt(builder.document, at) ?? null;
  const isEvent = /\/event(?:\/\d+)?$/.test(pointer);
  const like = instead === undefined && isEvent ? likeName(builder, value) : undefined;
  const isOfType = typeOf(value) === typeOf(instead ?? null);
  const label = isOfType && typeof instead === 'string' ? `Use “${instead}”` : RETYPE_LABELS[typeOf(instead ?? null)];
  if (like !== undefined) {
    const meant = `Did you mean ${like.name} (${count(like.count)})?`;
    return <Button label={meant} look="plain tiny" onClick={() => builder.edit({ at, value: like.name })} />;
  }
  if (instead === undefined) return null;
  return <Button label={label ?? ''} look="plain tiny" onClick={() => builder.edit({ at, value: instead })} />;
}

/** The most frequent event that has this text, of no event, in its name. */
function likeName({ catalog }: Builder, value: Json): { readonly name: string; readonly count: number } | undefined {
  const names = (catalog.events.value?.names ?? []).map(({ path, count: seen }) => ({
    name: path.join(''),
    count: seen,
  }));
  const isName = typeof value === 'string' && value !== '' && !names.some(({ name }) => name === value);
  return isName ? matching(names, value, 1)[0] : undefined;
}

/** The document, where the tree shows one. */
function rootOf(builder: Builder): Json {
  return builder.draft.peek().document ?? null;
}

/** Keys of a line that has the focus itself; those of its fields are the fields'. */
function lineKeys(builder: Builder, node: TreeNode) {
  return (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.altKey && (step === 1 || step === -1)) {
      event.preventDefault();
      builder.change(moved(rootOf(builder), node.at, step));
    }
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      builder.change(removed(rootOf(builder), node.at));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      event.currentTarget.querySelector<HTMLElement>('input, select')?.focus();
    }
  };
}
