/** The definition as an indented tree of sentences. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Json } from '../../api/json.ts';
import { count } from '../../parts/numbers.ts';
import type { Builder } from './builder.ts';
import { hintsOf } from './hints.ts';
import { numberOf, pointerOf } from './json-edit.ts';
import { nameOf, testsOf } from './known.ts';
import { AddButton, PieceView } from './sentences/piece-view.tsx';
import { RowMenu } from './row-menu.tsx';
import { GROUPS, groupKind, type Problem, sentenceOf, type TreeNode, wordingOf } from './tree.ts';
import { added, joined, moved, removed } from './tree-edits.ts';

export interface NodeProps {
  readonly builder: Builder;
  readonly node: TreeNode;
}

export function ConditionTree({ builder, root }: { readonly builder: Builder; readonly root: TreeNode }) {
  const tree = useRef<HTMLDivElement>(null);
  useFocus(builder, tree);
  return (
    <div class="tree" ref={tree}>
      <p class="lead">{root.kind === 'group' ? 'Users for whom' : 'Users who'}</p>
      {root.kind === 'group' ? (
        <Group builder={builder} node={root} />
      ) : (
        <>
          <Part builder={builder} node={root} />
          <Additions builder={builder} node={root} />
        </>
      )}
    </div>
  );
}

/** The condition that was just put in or moved has the focus: its first field, for what was put in. */
function useFocus(builder: Builder, tree: { readonly current: HTMLDivElement | null }): void {
  const wanted = builder.focus.value;
  // Before anything is painted: the next key is the condition's.
  useLayoutEffect(() => {
    if (wanted === undefined) return;
    const line = tree.current?.querySelector<HTMLElement>(`[data-at="${CSS.escape(wanted)}"]`);
    line?.focus();
    builder.focus.value = undefined;
  }, [wanted, builder]);
}

function Group({ builder, node }: NodeProps) {
  const label = sentenceOf(node);
  return (
    <div class={`group ${node.isNegated ? 'negated' : (node.joinedBy ?? '')}`} role="group" aria-label={label}>
      <div class="line" data-row tabIndex={-1} data-at={pointerOf(node.at)} onKeyDown={keysOf(builder, node)}>
        <select
          class="token"
          aria-label="How the conditions are joined"
          value={groupKind(node)}
          onChange={({ currentTarget }) => builder.change(joined(rootOf(builder), node, currentTarget.value))}
        >
          {Object.entries(GROUPS).map(([kind, text]) => (
            <option key={kind} value={kind}>
              {text}
            </option>
          ))}
        </select>
        <span class="word">{node.parts.length === 1 ? 'is true' : 'are true'}</span>
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
      <Additions builder={builder} node={node} />
    </div>
  );
}

function Part(props: NodeProps) {
  const { node, builder } = props;
  if (node.kind === 'group') return <Group {...props} />;
  if (node.kind !== 'not') return <Condition {...props} />;
  const [inner] = node.parts;
  return (
    <div class="group negated" role="group" aria-label="none of this">
      <div class="line" data-row tabIndex={-1} data-at={pointerOf(node.at)} onKeyDown={keysOf(builder, node)}>
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
  const offered = additions.filter(({ isRare }) => isRare !== true);
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
        onKeyDown={keysOf(builder, node)}
      >
        <span class="condition-words">
          {phrases.map(({ name, pieces }) => (
            <span class="phrase" key={name}>
              {pieces.map((piece, index) => (
                <PieceView key={`${index} ${piece.kind}`} builder={builder} piece={piece} />
              ))}
            </span>
          ))}
          {offered.length > 0 && (
            <span class="phrase additions">
              {offered.map((addition) => (
                <AddButton key={addition.label} builder={builder} addition={addition} />
              ))}
            </span>
          )}
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
      <b>{count(left)}</b> {isNarrowing(builder) ? 'left' : 'so far'}
    </span>
  );
}

/** Whether each further condition of the outermost group leaves fewer users; of the others it adds some. */
function isNarrowing(builder: Builder): boolean {
  const root = builder.root.value;
  return root === undefined || ['all', 'not any'].includes(groupKind(root));
}

function Notes({ builder, node }: NodeProps) {
  const at = pointerOf(node.at);
  const refused = builder.problemsAt.value.get(at) ?? [];
  const warnings = builder.warningsAt.value.get(at) ?? [];
  const { events, traits } = builder.catalog;
  const hints = hintsOf(node, {
    events: events.value,
    traits: traits.value,
    properties: (event) => builder.catalog.knownProperties(event),
  });
  if (refused.length + warnings.length + hints.length === 0) return null;
  return (
    <ul class="notes">
      {refused.map((problem) => (
        <Note key={problem.pointer + problem.message} look="refused" node={node} problem={problem} />
      ))}
      {warnings.map((problem) => (
        <Note key={problem.pointer + problem.message} look="hint" node={node} problem={problem} />
      ))}
      {hints.map((hint) => (
        <li key={hint} class="hint">
          {hint}
        </li>
      ))}
    </ul>
  );
}

interface NoteProps {
  readonly look: 'refused' | 'hint';
  readonly node: TreeNode;
  readonly problem: Problem;
}

function Note({ look, node, problem: { pointer, message } }: NoteProps) {
  const inner = pointerOf(node.inner);
  return (
    <li class={look}>
      {pointer.startsWith(`${inner}/`) && <code>{pointer.slice(inner.length + 1).replaceAll('/', ' ')}</code>} {message}
    </li>
  );
}

function Additions({ builder, node }: NodeProps) {
  const add = (part: Json): void => builder.change(added(rootOf(builder), node, part));
  const [audience] = builder.otherAudiences().keys();
  return (
    <div class="row group-additions" role="group" aria-label="Add a condition">
      <button type="button" class="tiny add" onClick={() => add(newEvent(builder))}>
        + What they did
      </button>
      <button type="button" class="tiny add" onClick={() => add(newTrait(builder))}>
        + Who they are
      </button>
      {audience !== undefined && (
        <button type="button" class="tiny add" onClick={() => add({ audience })}>
          + Also in an audience
        </button>
      )}
      <button type="button" class="tiny add" onClick={() => add(newSample())}>
        + A sample
      </button>
      <button type="button" class="tiny add" onClick={() => add({ any: [newEvent(builder)] })}>
        + Group
      </button>
    </div>
  );
}

/** About the most frequent event. */
export function newEvent(builder: Builder): Json {
  const names = builder.catalog.events.peek()?.names ?? [];
  return { event: names[0]?.path[0] ?? '' };
}

/** Examples of a trait that nearly every user has another value of: the catalog names five at most. */
const MANY = 5;

/** About the most frequent trait that has few values, as a plan does and a name does not. */
export function newTrait(builder: Builder): Json {
  const names = builder.catalog.traits.peek()?.names ?? [];
  const known = names.find(({ examples }) => examples.length > 0 && examples.length < MANY) ?? names[0];
  return known === undefined ? { trait: '', is: '' } : { trait: nameOf(known.path), ...testsOf(known) };
}

/** By the day as its seed: samples of one seed have the same users, which is seldom wanted of two audiences. */
function newSample(): Json {
  return { sample: { percent: numberOf('10') ?? '', seed: new Date().toISOString().slice(0, 10) } };
}

/** The document, where the tree shows one. */
function rootOf(builder: Builder): Json {
  return builder.draft.peek().document ?? null;
}

/** Keys of a line that has the focus itself; those of its fields are the fields'. */
function keysOf(builder: Builder, node: TreeNode) {
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
