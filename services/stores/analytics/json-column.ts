/**
 * Writes a free-form object as a value of ClickHouse's type JSON in RowBinary: each path with the type of its value.
 * https://clickhouse.com/docs/sql-reference/data-types/data-types-binary-encoding
 *
 * From text, ClickHouse takes the type of a list from the rows before it in the insert, if it can: after `[1.5]` it reads
 * `[9007199254740993]` as a list of doubles, which is another number. Here only the value itself decides.
 */
import { TidemarkError } from '../../runtime/errors.ts';
import { INT64_MAX, INT64_MIN, nearestDouble, UINT64_MAX } from '../../messages/decimal.ts';
import { endOfString } from '../../messages/json-text.ts';
import type { JsonText } from '../../messages/message.ts';
import { columnPath } from './json-path.ts';
import type { RowBinary } from './row-binary.ts';

/** What a value is, as bits, so that the kinds of a list's members are one number. A double holds every safe integer. */
const [NULL, BOOL, STRING, SAFE, SAFE_NEGATIVE, INT64, UINT64, DOUBLE, LIST] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

type Scalar = string | number | bigint | boolean;

const INT64_TYPE = [0x0a];
const EMPTY_LIST_TYPE = listOf(0x15);
const SCALAR_TYPES = new Map<number, readonly number[]>([
  [NULL, [0x00]],
  [BOOL, [0x2d]],
  [STRING, [0x15]],
  [UINT64, [0x04]],
  [DOUBLE, [0x0e]],
  [LIST, EMPTY_LIST_TYPE],
]);

// With room for 32 types, as is usual.
const LIST_OF_DYNAMIC = [0x1e, 0x2b, 32];
const LIST_OF_EMPTY_LISTS = [0x1e, ...EMPTY_LIST_TYPE];
const LIST_OF_DOUBLES = listOf(0x0e);

/** The first that takes every kind of member is the type of a list. Each takes null. */
const LISTS: readonly (readonly [kinds: number, type: readonly number[]])[] = [
  [STRING, listOf(0x15)],
  [BOOL, listOf(0x2d)],
  [SAFE | SAFE_NEGATIVE | INT64, listOf(0x0a)],
  [SAFE | UINT64, listOf(0x04)],
  [SAFE | SAFE_NEGATIVE | DOUBLE, LIST_OF_DOUBLES],
];

/** The binary form of `Array(Nullable(type))`. */
function listOf(type: number): readonly number[] {
  return [0x1e, 0x23, type];
}

const [NO, YES] = [[0], [1]];

// An integer that is written in so few characters is safe.
const SAFE_LENGTH = 15;
const LITERALS = new Map<number, readonly [text: string, kind: number, value: boolean]>([
  [0x74, ['true', BOOL, true]],
  [0x66, ['false', BOOL, false]],
  [0x6e, ['null', NULL, false]],
]);

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const FRACTION = /[.eE]/;

const [SPACE, QUOTE, COMMA, COLON] = [32, 34, 44, 58];
const [BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** @throws TidemarkError `MESSAGE_UNDECODABLE` where the text is not the JSON of an object. */
export function writeJson(out: RowBinary, text: JsonText): void {
  new JsonWriter(out, text).write();
}

/** Reads the text once, and writes what it finds. */
class JsonWriter {
  readonly #out: RowBinary;
  readonly #text: JsonText;
  #at = 0;
  #paths = 0;
  /** The scalar that was read last. */
  #value: Scalar = '';

  constructor(out: RowBinary, text: JsonText) {
    this.#out = out;
    this.#text = text;
  }

  write(): void {
    const begin = this.#out.beginCounted();
    this.#expect(BRACE);
    this.#object('');
    if (!Number.isNaN(this.#next())) throw this.#unexpected();
    this.#out.endCounted(begin, this.#paths);
  }

  /** An object is not a value of the column; its members are. */
  #object(prefix: string): void {
    if (this.#skips(BRACE_END)) return;
    do {
      this.#expect(QUOTE);
      const key = this.#string();
      this.#expect(COLON);
      this.#member(prefix + (key.includes('.') || key.includes('%') ? columnPath([key]) : key));
    } while (this.#skips(COMMA));
    this.#expect(BRACE_END);
  }

  #member(path: string): void {
    if (this.#skips(BRACE)) {
      this.#object(`${path}.`);
      return;
    }
    const isList = this.#skips(BRACKET);
    const kind = isList ? LIST : this.#scalar();
    if (kind === NULL) return;
    this.#paths++;
    this.#out.text(path);
    if (isList) this.#list();
    else this.#writeTyped(kind, this.#value);
  }

  /** A list or an object in a list becomes an empty list: docs/clickhouse.md says why. */
  #list(): void {
    const kinds: number[] = [];
    const values: Scalar[] = [];
    let all = 0;
    if (!this.#skips(BRACKET_END)) {
      do {
        const kind = this.#skipsNested() ? LIST : this.#scalar();
        kinds.push(kind);
        values.push(this.#value);
        all |= kind;
      } while (this.#skips(COMMA));
      this.#expect(BRACKET_END);
    }
    this.#writeList(all, kinds, values);
  }

  #writeList(all: number, kinds: readonly number[], values: readonly Scalar[]): void {
    const type = all === LIST ? LIST_OF_EMPTY_LISTS : typeOfList(all);
    this.#out.raw(type);
    this.#out.length(kinds.length);
    for (let index = 0; index < kinds.length; index++) {
      const kind = kinds[index] ?? NULL;
      const value = values[index] ?? '';
      if (type === LIST_OF_DYNAMIC) this.#writeTyped(kind, value);
      else if (kind === LIST) this.#write(kind, value);
      else {
        this.#out.raw(kind === NULL ? YES : NO);
        this.#write(kind !== NULL && type === LIST_OF_DOUBLES ? DOUBLE : kind, value);
      }
    }
  }

  #writeTyped(kind: number, value: Scalar): void {
    this.#out.raw(SCALAR_TYPES.get(kind) ?? INT64_TYPE);
    this.#write(kind, value);
  }

  #write(kind: number, value: Scalar): void {
    if (kind === NULL) return;
    if (kind === LIST) this.#out.length(0);
    else if (kind === DOUBLE) this.#out.rawDouble(value as number);
    else if (typeof value === 'string') this.#out.text(value);
    else if (typeof value === 'boolean') this.#out.raw(value ? YES : NO);
    else this.#out.rawInteger(value);
  }

  /** Reads a string, a number, true, false or null. Returns its kind. */
  #scalar(): number {
    const first = this.#next();
    if (first === QUOTE) {
      this.#at++;
      this.#value = this.#string();
      return STRING;
    }
    const literal = LITERALS.get(first);
    if (literal === undefined) return this.#number();
    const [text, kind, value] = literal;
    if (!this.#text.startsWith(text, this.#at)) throw this.#unexpected();
    this.#at += text.length;
    this.#value = value;
    return kind;
  }

  /** Numbers beyond 64-bit integers and doubles are the nearest finite double. */
  #number(): number {
    const text = this.#numberText();
    const number = Number(text);
    if (text === '') throw this.#unexpected();
    // Most are short, and most of those whole.
    if (text.length <= SAFE_LENGTH && Number.isInteger(number) && !FRACTION.test(text)) return this.#safe(number);
    const integer = FRACTION.test(text) ? undefined : BigInt(text);
    if (integer === undefined || integer < INT64_MIN || integer > UINT64_MAX) {
      this.#value = nearestDouble(text);
      return DOUBLE;
    }
    if (Number.isSafeInteger(number)) return this.#safe(number);
    this.#value = integer;
    return integer > INT64_MAX ? UINT64 : INT64;
  }

  #safe(number: number): number {
    // Minus zero is zero.
    this.#value = number + 0;
    return number < 0 ? SAFE_NEGATIVE : SAFE;
  }

  #numberText(): string {
    this.#next();
    NUMBER.lastIndex = this.#at;
    const [text = ''] = NUMBER.exec(this.#text) ?? [];
    this.#at += text.length;
    return text;
  }

  /** The string whose opening quote was read. */
  #string(): string {
    const begin = this.#at;
    let end = this.#text.indexOf('"', begin);
    if (end === -1) throw this.#unexpected();
    const text = this.#text.slice(begin, end);
    this.#at = end + 1;
    if (!text.includes('\\')) return text;
    end = endOfString(this.#text, begin - 1);
    if (end === -1) throw this.#unexpected();
    this.#at = end + 1;
    try {
      return JSON.parse(this.#text.slice(begin - 1, end + 1)) as string;
    } catch {
      throw this.#unexpected();
    }
  }

  /** Whether a list or an object comes next. It is passed over. */
  #skipsNested(): boolean {
    let depth = 0;
    do {
      const char = this.#next();
      if (char === BRACE || char === BRACKET) depth++;
      else if (depth === 0) return false;
      else if (char === BRACE_END || char === BRACKET_END) depth--;
      else if (char === QUOTE) this.#at = endOfString(this.#text, this.#at);
      if (this.#at === -1 || Number.isNaN(char)) throw this.#unexpected();
      this.#at++;
    } while (depth > 0);
    return true;
  }

  #expect(char: number): void {
    if (!this.#skips(char)) throw this.#unexpected();
  }

  #skips(char: number): boolean {
    const isNext = this.#next() === char;
    if (isNext) this.#at++;
    return isNext;
  }

  /** The next character that is no space; NaN at the end. */
  #next(): number {
    let char = this.#text.charCodeAt(this.#at);
    while (char <= SPACE) char = this.#text.charCodeAt(++this.#at);
    return char;
  }

  #unexpected(): TidemarkError {
    return new TidemarkError('MESSAGE_UNDECODABLE', `not the JSON of an object, from its character ${this.#at} on`);
  }
}

function typeOfList(kinds: number): readonly number[] {
  return LISTS.find(([some]) => (kinds & ~(some | NULL)) === 0)?.[1] ?? LIST_OF_DYNAMIC;
}
