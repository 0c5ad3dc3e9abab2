/** A condition as a sentence whose words are controls. Plain data: the components show it, `readOut` reads it out. */
import type { Json } from '../../../api/json.ts';
import { type Edit, type Path, pointerOf } from '../json-edit.ts';
import type { KnownName, Suggested } from '../known.ts';
import { jsonIn } from '../json-text.ts';

export interface Option {
  readonly value: string;
  readonly text: string;
}

interface Control {
  /** The place that `make` gives a new value for. */
  readonly at: Path;
  /** What it is, for those who do not see where it stands. */
  readonly label: string;
  readonly value: string;
  /** The value with the control changed to this; undefined where it cannot be. With `value` it is what is there. */
  readonly make: (value: string) => Json | undefined;
}

export type Piece =
  | { readonly kind: 'word'; readonly text: string }
  | (Control & { readonly kind: 'choice'; readonly options: readonly Option[]; readonly looks?: 'type' | 'quiet' })
  | (Control & {
      readonly kind: 'text';
      readonly suggested?: Suggested;
      /** What choosing a name of the catalog does, where that is more than `make`. */
      readonly choose?: (known: KnownName) => Edit;
    })
  | (Control & { readonly kind: 'number' | 'date' | 'moment' | 'json' })
  /** A saved audience: its id, which is shown as its name. */
  | (Control & { readonly kind: 'audience' })
  /** Takes something out. */
  | { readonly kind: 'remove'; readonly label: string; readonly edit: Edit };

/** Pieces that stay on one line where there is room. */
export interface Phrase {
  readonly pieces: readonly Piece[];
  /** A key among the phrases of one condition. */
  readonly name: string;
  /** Whether it begins with a comma, where the sentence is read. */
  readonly isClause?: boolean;
}

/** Something that a condition may have and does not. */
export interface Addition {
  readonly text: string;
  readonly label: string;
  /** In the menu alone. */
  readonly isRare?: boolean;
  /** Whose properties the catalog must have named before. */
  readonly event?: string;
  /** @param events The names of the project's events, the most frequent first. */
  readonly make: (properties: readonly KnownName[], events: readonly string[]) => Edit;
}

export interface Wording {
  readonly phrases: readonly Phrase[];
  readonly additions: readonly Addition[];
}

/** By id. */
export type AudienceNames = ReadonlyMap<string, string>;

/** The words that a reader sees. An audience that has no name here is called by its id. */
export function readOut(pieces: readonly Piece[], audiences: AudienceNames = new Map()): string {
  const words = pieces.map((piece) => textOf(piece, audiences)).filter((text) => text !== '');
  // No space stands within quotes and brackets at their ends.
  const isTight = (index: number): boolean =>
    /^[“(]$/.test(words[index - 1] ?? '') || /^[”)]$/.test(words[index] ?? '');
  return words.map((text, index) => (index === 0 || isTight(index) ? text : ` ${text}`)).join('');
}

function textOf(piece: Piece, audiences: AudienceNames): string {
  if (piece.kind === 'word') return piece.text;
  if (piece.kind === 'remove') return '';
  if (piece.kind === 'audience') return audiences.get(piece.value) ?? piece.value;
  if (piece.kind !== 'choice') return piece.value;
  if (piece.looks === 'type') return '';
  return piece.options.find(({ value }) => value === piece.value)?.text ?? piece.value;
}

export function word(text: string): Piece {
  return { kind: 'word', text };
}

/** Takes out what stands at this place. */
export function removal(label: string, at: Path): Piece {
  return { kind: 'remove', label, edit: { at, value: undefined } };
}

/** Members of one list that have controls. */
const MAX_SHOWN = 20;

/** The members of a list, joined by “or”; each can be taken out but the last. */
export function listPieces(
  at: Path,
  members: readonly Json[],
  label: string,
  piecesOf: (at: Path, member: Json, label: string) => readonly Piece[],
): readonly Piece[] {
  const pieces = members.slice(0, MAX_SHOWN).flatMap((member, index): readonly Piece[] => {
    const path = [...at, index];
    return [
      ...(index === 0 ? [] : [word('or')]),
      ...piecesOf(path, member, `${label} ${index + 1}`),
      ...(members.length === 1 ? [] : [removal(`Remove ${label.toLowerCase()} ${index + 1}`, path)]),
    ];
  });
  const rest = members.length - MAX_SHOWN;
  return rest > 0 ? [...pieces, word(`or ${rest} more, which are in the JSON`)] : pieces;
}

/** One phrase for each of what “and” and “or” join, so that a line breaks before these words. */
export function phrasesOf(name: string, pieces: readonly Piece[]): readonly Phrase[] {
  const phrases: Piece[][] = [[]];
  for (const [index, piece] of pieces.entries()) {
    const isJoint = piece.kind === 'word' && ['and', 'or'].includes(piece.text);
    if (isJoint && index > 0) phrases.push([]);
    phrases.at(-1)?.push(piece);
  }
  return phrases.map((part, index) => ({ name: `${name} ${index}`, pieces: part }));
}

/** The same of what follows a comma. */
export function clauseOf(name: string, pieces: readonly Piece[]): readonly Phrase[] {
  return phrasesOf(name, pieces).map((phrase, index) => (index === 0 ? { ...phrase, isClause: true } : phrase));
}

export function optionsOf(texts: Readonly<Record<string, string>>): readonly Option[] {
  return Object.entries(texts).map(([value, text]) => ({ value, text }));
}

/** A value without a control of its own, as one line of JSON. */
export function jsonPiece(at: Path, value: Json, label: string): Piece {
  const text = JSON.stringify(value);
  return { kind: 'json', at, label, value: text, make: jsonIn };
}

/** A member that is not known here: shown as it is, so that nothing is lost. */
export function unknownPhrase(at: Path, name: string, value: Json): Phrase {
  const path = [...at, name];
  return {
    name: pointerOf(path),
    pieces: [word(`${name}:`), jsonPiece(path, value, name), removal(`Remove ${name}`, path)],
  };
}
