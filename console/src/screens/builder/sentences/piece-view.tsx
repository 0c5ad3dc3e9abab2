/** The controls that a sentence is made of. */
import { useState } from 'preact/hooks';
import { isList, jsonText } from '../../../api/json.ts';
import { Combobox, type Suggestion } from '../../../parts/combobox.tsx';
import { count } from '../../../parts/numbers.ts';
import { Button } from '../../../parts/form.tsx';
import type { Builder } from '../builder.ts';
import { pointerOf, valueAt } from '../json-edit.ts';
import { isConstant, type KnownName, type Suggested } from '../known.ts';
import type { Addition, Phrase, Piece } from './phrase.ts';
import './pieces.css';

type PieceOf<K extends Piece['kind']> = Extract<Piece, { readonly kind: K }>;

/** What the controls of a sentence need to know of what they change: a definition, or one condition. */
export interface SentenceEditor extends Pick<Builder, 'edit' | 'isRefused' | 'otherAudiences'> {
  /** What is known of these, to be suggested. */
  readonly namesFor: (suggested: Suggested) => readonly KnownName[];
}

export function PieceView({ editor, piece }: { readonly editor: SentenceEditor; readonly piece: Piece }) {
  if (piece.kind === 'word') {
    return <span class={/^[“”()→]$/.test(piece.text) ? 'glyph' : 'word'}>{piece.text}</span>;
  }
  if (piece.kind === 'choice') return <PieceChoice editor={editor} piece={piece} />;
  if (piece.kind === 'audience') return <AudienceChoice editor={editor} piece={piece} />;
  if (piece.kind === 'text') return <TextField editor={editor} piece={piece} />;
  if (piece.kind !== 'remove') return <Typed editor={editor} piece={piece} />;
  return <RemoveButton label={piece.label} look="remove" onClick={() => editor.edit(piece.edit)} />;
}

export function Phrases({ editor, phrases }: { readonly editor: SentenceEditor; readonly phrases: readonly Phrase[] }) {
  return phrases.map(({ name, pieces }) => (
    <span class="phrase" key={name}>
      {pieces.map((piece, index) => (
        <PieceView key={`${index} ${piece.kind}`} editor={editor} piece={piece} />
      ))}
    </span>
  ));
}

interface AdditionsProps {
  readonly additions: readonly Addition[];
  readonly onAdd: (addition: Addition) => void;
}

/** What may be added, but for what is rare. */
export function Additions({ additions, onAdd }: AdditionsProps) {
  const offered = additions.filter(({ isRare }) => isRare !== true);
  if (offered.length === 0) return null;
  return (
    <span class="phrase additions">
      {offered.map((addition) => (
        <AddButton key={addition.label} addition={addition} onAdd={onAdd} />
      ))}
    </span>
  );
}

interface RemoveButtonProps {
  readonly label: string;
  readonly title?: string;
  readonly look?: string;
  readonly onClick: () => void;
}

/** A cross. */
export function RemoveButton({ label, title = label, look = '', onClick }: RemoveButtonProps) {
  return (
    <button type="button" class={`plain tiny ${look}`.trim()} aria-label={label} title={title} onClick={onClick}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        <path d="M3 3l6 6M9 3l-6 6" />
      </svg>
    </button>
  );
}

type AddButtonProps = Pick<AdditionsProps, 'onAdd'> & { readonly addition: Addition };

export function AddButton({ addition, onAdd }: AddButtonProps) {
  const { text, label } = addition;
  return <Button label={`+ ${text}`} look="plain tiny add" title={label} onClick={() => onAdd(addition)} />;
}

/** What it puts in is written next. */
export async function add(builder: Builder, { event, make }: Addition): Promise<void> {
  const properties = event === undefined ? [] : (await builder.catalog.propertiesOf(event)).names;
  const events = builder.catalog.events.peek()?.names ?? [];
  const names = events.map(({ path }) => path[0] ?? '');
  const { at, value } = make(properties, names);
  const isNew = valueAt(builder.document, at) === undefined;
  builder.edit({ at, value });
  if (isList(value)) builder.focusOn([...at, value.length - 1], true);
  else if (isNew) builder.focusOn(at, true);
}

function PieceChoice({ editor, piece }: { readonly editor: SentenceEditor; readonly piece: PieceOf<'choice'> }) {
  const select = (
    <select
      class={piece.looks === undefined ? 'token' : 'token quiet-token'}
      aria-label={piece.label}
      aria-invalid={editor.isRefused(piece.at)}
      title={piece.looks === 'type' ? piece.label : undefined}
      data-field={pointerOf(piece.at)}
      value={piece.value}
      onChange={({ currentTarget }) => change(editor, piece, currentTarget.value)}
    >
      {piece.options.map(({ value, text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
  if (piece.looks !== 'type') return select;
  return (
    <span class="type-choice">
      <span aria-hidden="true">{TYPE_SIGNS[piece.value]}</span>
      {select}
    </span>
  );
}

/** One that is not among them, because it was deleted or is one of too many, has its id for a name. */
function AudienceChoice({ editor, piece }: { readonly editor: SentenceEditor; readonly piece: PieceOf<'audience'> }) {
  const names = new Map([[piece.value, piece.value], ...editor.otherAudiences()]);
  const options = [...names].map(([value, text]) => ({ value, text }));
  return <PieceChoice editor={editor} piece={{ ...piece, kind: 'choice', options }} />;
}

/** What stands for a type of values: the list with their names lies over it. */
const TYPE_SIGNS: Readonly<Record<string, string>> = { text: 'abc', number: '123', boolean: 'y/n' };

/** What the field has becomes the value; what it cannot be leaves the value as it was. */
function change(editor: SentenceEditor, piece: Exclude<Piece, { kind: 'word' | 'remove' }>, text: string): boolean {
  const value = piece.make(text);
  if (value !== undefined) editor.edit({ at: piece.at, value });
  return value !== undefined;
}

interface NameSuggestion extends Suggestion {
  readonly known: KnownName;
}

function TextField({ editor, piece }: { readonly editor: SentenceEditor; readonly piece: PieceOf<'text'> }) {
  const { suggested, choose } = piece;
  const onChoose = ({ known }: NameSuggestion): void => {
    if (choose === undefined) change(editor, piece, known.path.join(''));
    else editor.edit(choose(known));
  };
  return (
    <Combobox
      label={piece.label}
      value={piece.value}
      suggestions={suggested === undefined ? [] : suggestionsFor(editor, suggested)}
      onType={(text) => change(editor, piece, text)}
      onChoose={onChoose}
      typed={suggested?.of === 'values' ? 'as it was typed' : 'never seen'}
      isFree={suggested?.of === 'values'}
      isInvalid={editor.isRefused(piece.at)}
      placeholder={piece.label.toLowerCase()}
      field={pointerOf(piece.at)}
    />
  );
}

/** It has no name: whoever offers it knows what it stands for. */
const ANY_EVENT: NameSuggestion = {
  name: 'anything',
  detail: 'any event at all',
  known: { path: [], count: 0, types: [], examples: [] },
};

function suggestionsFor(editor: SentenceEditor, suggested: Suggested): readonly NameSuggestion[] {
  const names = editor.namesFor(suggested);
  if (suggested.of !== 'values') {
    const named = names.map((known) => ({
      name: known.path.join(' → '),
      detail: detailOf(known, suggested.of),
      known,
    }));
    return suggested.of === 'events' && suggested.orAny === true ? [ANY_EVENT, ...named] : named;
  }
  // A value is suggested as a name whose only example it is.
  return names.flatMap((known) =>
    known.examples
      .flatMap((example) => (isList(example) ? example : [example]))
      .filter(isConstant)
      .map((example) => ({
        name: typeof example === 'string' ? example : jsonText(example),
        known: { ...known, examples: [example] },
      })),
  );
}

export function detailOf({ types, examples, count: seen }: KnownName, of: Suggested['of']): string {
  if (of === 'events') return `${count(seen)} ×`;
  const kinds = types.filter((type) => type !== 'null').join(' or ');
  const example = examples.find(isConstant);
  const shown = example === undefined ? '' : `, such as ${jsonText(example).slice(0, 24)}`;
  return `${kinds}${shown}`;
}

const INPUTS = {
  number: { type: 'text', inputMode: 'decimal' },
  date: { type: 'date' },
  moment: { type: 'datetime-local' },
  json: { type: 'text' },
} as const;

/** A field whose text is not always a value: the text stays as it is typed until the field is left. */
function Typed({ editor, piece }: { readonly editor: SentenceEditor; readonly piece: PieceOf<keyof typeof INPUTS> }) {
  const [typed, setTyped] = useState<{ readonly text: string; readonly isValue: boolean }>();
  const text = typed?.text ?? piece.value;
  return (
    <input
      class={`token ${piece.kind}`}
      {...INPUTS[piece.kind]}
      aria-label={piece.label}
      data-field={pointerOf(piece.at)}
      aria-invalid={typed?.isValue === false || editor.isRefused(piece.at)}
      autocomplete="off"
      spellcheck={false}
      size={Math.max(2, text.length)}
      value={text}
      onInput={({ currentTarget }) => {
        const { value } = currentTarget;
        setTyped({ text: value, isValue: change(editor, piece, value) });
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
