/** A value that a definition compares with, as controls: its type, and the value in a field of that type. */
import { isRawNumber, type Json, jsonText, type RawNumber } from '../../../api/json.ts';
import { numberOf, type Path } from '../json-edit.ts';
import { isConstant, type KnownName, type Suggested, typeOf } from '../known.ts';
import { jsonPiece, optionsOf, type Piece, word } from './phrase.ts';

const VALUE_TYPES = optionsOf({ text: 'text', number: 'number', boolean: 'yes or no' });
const ORDERED_TYPES = VALUE_TYPES.filter(({ value }) => value !== 'boolean');
const BOOLEANS = optionsOf({ true: 'true', false: 'false' });

interface ConstantOptions {
  readonly label: string;
  readonly suggested: Suggested;
  readonly types?: 'any' | 'ordered' | 'text';
}

export function constantPieces(at: Path, value: Json, options: ConstantOptions): readonly Piece[] {
  if (!isConstant(value)) return [jsonPiece(at, value, options.label)];
  const type = typeOf(value);
  const choices = options.types === 'text' ? [] : options.types === 'ordered' ? ORDERED_TYPES : VALUE_TYPES;
  const field = fieldOf(at, value, options);
  // A value of a type that the operator does not take stays as it is: the service says so.
  if (!choices.some((choice) => choice.value === type)) return [...field];
  const label = `Type of ${options.label.toLowerCase()}`;
  const make = (wanted: string): Json => (wanted === type ? value : convert(value, wanted));
  return [...field, { kind: 'choice', at, label, value: type, options: choices, looks: 'type', make }];
}

export function numberPiece(at: Path, value: Json, label: string): Piece {
  if (!isRawNumber(value)) return jsonPiece(at, value, label);
  return { kind: 'number', at, label, value: value.rawJSON, make: numberOf };
}

function fieldOf(
  at: Path,
  value: string | boolean | RawNumber,
  { label, suggested }: ConstantOptions,
): readonly Piece[] {
  if (typeof value === 'string') {
    const choose = ({ examples }: KnownName) => ({ at, value: examples[0] ?? '' });
    return [word('“'), { kind: 'text', at, label, value, suggested, make: (text) => text, choose }, word('”')];
  }
  if (isRawNumber(value)) return [numberPiece(at, value, label)];
  return [{ kind: 'choice', at, label, value: String(value), options: BOOLEANS, make: (text) => text === 'true' }];
}

/** The value as another type, as far as it can be read so. */
export function convert(value: Json, type: string): Json {
  if (typeOf(value) === type) return value;
  const text = isRawNumber(value) ? value.rawJSON : typeof value === 'string' ? value : jsonText(value);
  if (type === 'number') return numberOf(text) ?? numberOf('0') ?? '';
  return type === 'boolean' ? text === 'true' : text;
}
