import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import { DECIMALS, unitsText } from '../measures/exact-number.ts';

/** The context in which a query is compiled. */
export interface Scope {
  readonly params: Params;
  readonly projectId: string;
  /** The evaluation. */
  readonly now: Micros;
  /** Whether an anonymous id that is one user's alone counts as that user: see persons.ts. */
  readonly joins?: boolean | undefined;
}

// A server refuses a parameter of more than 128 KiB, escapes included.
const MOST_BYTES = 50_000;

/** The parameters of one query. Every value of a caller becomes a parameter, and the SQL has only generated names. */
export class Params {
  readonly #names = new Map<string, string>();
  readonly #values: Record<string, string | readonly string[]> = {};

  /** What stands for this text. */
  string(value: string): string {
    return this.#add('String', value);
  }

  strings(values: readonly string[]): string {
    const [first = '', ...others] = sendableLists(values).map((part) => this.#add('Array(String)', part));
    return others.length === 0 ? first : `arrayConcat(${[first, ...others].join(', ')})`;
  }

  /** The column `user` of this internal id. */
  user(userKey: string): string {
    return this.#add('UInt128', userNumber(userKey));
  }

  integer(value: bigint): string {
    return this.#add('Int128', value.toString());
  }

  // Lists are sent as text and cast: the parser of parameters accepts no list of wide integers or doubles in quotes,
  // and the client would format large numbers as JavaScript does.
  integers(values: readonly bigint[]): string {
    return `CAST(${this.strings(values.map(String))}, 'Array(Int128)')`;
  }

  double(value: number): string {
    return this.#add('Float64', String(value));
  }

  doubles(values: readonly number[]): string {
    return `CAST(${this.strings(values.map(String))}, 'Array(Float64)')`;
  }

  /** Units of 10^-30. */
  decimal(units: bigint): string {
    return this.#add(`Decimal(76, ${DECIMALS})`, unitsText(units));
  }

  count(value: number): string {
    return this.#add('UInt64', String(value));
  }

  unsigned(value: bigint): string {
    return this.#add('UInt64', value.toString());
  }

  userNumber(value: bigint): string {
    return this.#add('UInt128', value.toString());
  }

  userNumbers(values: readonly string[]): string {
    return `CAST(${this.strings(values)}, 'Array(UInt128)')`;
  }

  /** Microseconds since 1970, for arithmetic. */
  micros(value: Micros): string {
    return this.#add('Int64', value.toString());
  }

  manyMicros(values: readonly Micros[]): string {
    return `CAST(${this.strings(values.map(String))}, 'Array(Int64)')`;
  }

  instant(value: Micros): string {
    return this.#add("DateTime64(6, 'UTC')", formatMicros(value).replace('T', ' ').slice(0, -1));
  }

  /** A column or subcolumn of this name, never parsed as SQL. No apostrophe, backslash or control character in it. */
  identifier(name: string): string {
    return this.#add('Identifier', name);
  }

  values(): Readonly<Record<string, unknown>> {
    return { ...this.#values };
  }

  #add(type: string, value: string | readonly string[]): string {
    const key = `${type} ${JSON.stringify(value)}`;
    const name = this.#names.get(key) ?? `p${this.#names.size}`;
    this.#names.set(key, name);
    this.#values[name] = value;
    return `{${name}:${type}}`;
  }
}

/** Lists that are small enough for a parameter each; at least one. */
function sendableLists(values: readonly string[]): readonly (readonly string[])[] {
  let [part, bytes]: [string[], number] = [[], 0];
  const parts = [part];
  for (const value of values) {
    const more = Buffer.byteLength(value) + 4;
    if (bytes + more > MOST_BYTES && part.length > 0) {
      parts.push((part = []));
      bytes = 0;
    }
    part.push(value);
    bytes += more;
  }
  return parts;
}
