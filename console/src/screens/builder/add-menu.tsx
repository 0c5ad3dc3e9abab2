/** “+ Condition”: one list of events, traits and what else a condition can be about, which is searched as one types. */
import { useRef, useState } from 'preact/hooks';
import type { Json } from '../../api/json.ts';
import { Combobox, type Suggestion } from '../../parts/combobox.tsx';
import { count } from '../../parts/numbers.ts';
import type { Builder } from './builder.ts';
import { numberOf, type Path } from './json-edit.ts';
import { nameOf, testsOf } from './known.ts';
import { detailOf } from './sentences/piece-view.tsx';
import type { TreeNode } from './tree.ts';
import { added } from './tree-edits.ts';

interface Offer extends Suggestion {
  readonly part: Json;
  /** The part of it that is written next. */
  readonly next?: Path;
}

interface AddMenuProps {
  readonly builder: Builder;
  /** What the condition is added to; left out: the first one. */
  readonly node?: TreeNode;
}

export function AddMenu({ builder, node }: AddMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [text, setText] = useState<string>();
  const close = (): void => setText(undefined);
  const choose = ({ part, next = [] }: Offer): void => {
    const { document, focus = [] } = added(builder.draft.peek().document, node, part);
    builder.change({ document });
    builder.focusOn([...focus, ...next], next.length > 0);
  };
  return (
    <span class="add-menu" onKeyDown={({ key }) => key === 'Escape' && button.current?.focus()}>
      <button
        ref={button}
        type="button"
        class="plain tiny add"
        aria-expanded={text !== undefined}
        onClick={() => setText('')}
      >
        + Condition
      </button>
      {text !== undefined && (
        <Combobox
          label="Condition"
          placeholder="Event or trait"
          isMenu
          value={text}
          suggestions={offersOf(builder, text)}
          typed="an event never seen"
          onType={setText}
          onChoose={choose}
          onUse={() => choose({ name: text, part: { event: text } })}
          onClose={close}
        />
      )}
    </span>
  );
}

/** As many of each kind are offered before anything is typed. */
const MOST = 20;

function offersOf(builder: Builder, text: string): readonly Offer[] {
  const { catalog } = builder;
  const events = (catalog.events.value?.names ?? []).map(({ path: [name = ''], count: seen }) => ({
    name,
    detail: `event, ${count(seen)} ×`,
    part: { event: name },
  }));
  const traits = (catalog.traits.value?.names ?? []).map((known) => {
    const tests = testsOf(known);
    const detail = `trait, ${detailOf(known, 'names')}`;
    const next = Object.keys(tests).slice(0, 1);
    return { name: known.path.join(' → '), detail, part: { trait: nameOf(known.path), ...tests }, next };
  });
  if (text === '') return [...events.slice(0, MOST), ...traits.slice(0, MOST), ...others(builder)];
  return [...events, ...traits, ...others(builder)];
}

function others(builder: Builder): readonly Offer[] {
  const [audience] = builder.otherAudiences().keys();
  const [event] = builder.catalog.events.value?.names ?? [];
  // By the day as its seed: samples of one seed have the same users, which is seldom wanted of two audiences.
  const sample = { percent: numberOf('10') ?? '', seed: new Date().toISOString().slice(0, 10) };
  return [
    ...(audience === undefined ? [] : [{ name: 'In another audience', part: { audience }, next: ['audience'] }]),
    { name: 'In a sample of all users', part: { sample }, next: ['sample', 'percent'] },
    { name: 'A group of conditions', part: { any: [{ event: event?.path[0] ?? '' }] }, next: ['any', 0, 'event'] },
  ];
}
