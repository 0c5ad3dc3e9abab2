/**
 * Rows in ClickHouse's format `RowBinaryWithDefaults`: every value behind a byte that says whether it is given or left to
 * the column's default. https://clickhouse.com/docs/interfaces/formats/RowBinaryWithDefaults
 *
 * JSON would be text that is made here only to be parsed there: for a message, both together take more than twice as long.
 */
const GIVEN = 0;
const DEFAULT = 1;

const FIRST_BYTES = 64 * 1024;

/** The most bytes of UTF-8 for one unit of UTF-16. */
const MOST_BYTES_A_UNIT = 3;
// A length in LEB128 has 7 bits a byte, and may end with bits that are 0.
const MOST_UNITS_IN_7_BITS = Math.floor(0x7f / MOST_BYTES_A_UNIT);
const MOST_UNITS_COPIED = 24;
const MOST_UNITS_IN_14_BITS = Math.floor(0x3fff / MOST_BYTES_A_UNIT);
const MOST_LENGTH_BYTES = 5;

// A 500 KB body has less than 2^21 members.
const COUNT_BYTES = 3;

const USER_HEX_DIGITS = 32;

/** Writes the values of rows, one after another. */
export class RowBinary {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #end = 0;

  clear(): void {
    this.#end = 0;
  }

  /** A copy of what was written since `clear`. */
  bytes(): Uint8Array {
    return Buffer.from(this.#buffer.subarray(0, this.#end));
  }

  useDefault(): void {
    this.#reserve(1);
    this.#buffer[this.#end++] = DEFAULT;
  }

  /** A String, or what holds one: `LowCardinality`, and JSON as text. */
  string(text: string): void {
    this.#given(0);
    this.text(text);
  }

  /** A String within a value. */
  text(text: string): void {
    this.#reserve(MOST_LENGTH_BYTES + MOST_BYTES_A_UNIT * text.length);
    const at = this.#end;
    const buffer = this.#buffer;
    if (text.length <= MOST_UNITS_COPIED && this.#copied(text)) return;
    if (text.length <= MOST_UNITS_IN_7_BITS) {
      const length = buffer.write(text, at + 1);
      buffer[at] = length;
      this.#end = at + 1 + length;
    } else if (text.length <= MOST_UNITS_IN_14_BITS) {
      const length = buffer.write(text, at + 2);
      buffer[at] = (length & 0x7f) | 0x80;
      buffer[at + 1] = length >> 7;
      this.#end = at + 2 + length;
    } else {
      this.length(Buffer.byteLength(text));
      this.#end += buffer.write(text, this.#end);
    }
  }

  /** The number of what follows within a value. */
  length(length: number): void {
    this.#reserve(MOST_LENGTH_BYTES);
    let left = length;
    for (; left > 0x7f; left >>>= 7) this.#buffer[this.#end++] = (left & 0x7f) | 0x80;
    this.#buffer[this.#end++] = left;
  }

  /** Begins a value that starts with a number that is known at its end. Returns what `endCounted` needs. */
  beginCounted(): number {
    this.#given(COUNT_BYTES);
    this.#end += COUNT_BYTES;
    return this.#end;
  }

  /** @param begun What `beginCounted` returned. @param count Less than 2^21. */
  endCounted(begun: number, count: number): void {
    this.#buffer[begun - 3] = (count & 0x7f) | 0x80;
    this.#buffer[begun - 2] = ((count >> 7) & 0x7f) | 0x80;
    this.#buffer[begun - 1] = count >> 14;
  }

  /** Bytes within a value. */
  raw(bytes: readonly number[]): void {
    this.#reserve(bytes.length);
    for (let at = 0; at < bytes.length; at++) this.#buffer[this.#end++] = bytes[at] ?? 0;
  }

  rawDouble(value: number): void {
    this.#reserve(8);
    this.#end = this.#buffer.writeDoubleLE(value, this.#end);
  }

  /** 64 bits, signed or not: a safe integer or a bigint. */
  rawInteger(value: number | bigint): void {
    this.#reserve(8);
    if (typeof value === 'bigint') {
      this.#end = this.#buffer.writeBigUInt64LE(BigInt.asUintN(64, value), this.#end);
      return;
    }
    this.#end = this.#buffer.writeUInt32LE(value >>> 0, this.#end);
    this.#end = this.#buffer.writeInt32LE(Math.floor(value / 2 ** 32), this.#end);
  }

  /** A Bool, or a UInt8 or Enum8 below 128. */
  byte(value: boolean | number): void {
    this.#given(1);
    this.#buffer[this.#end++] = Number(value);
  }

  uint32(value: number): void {
    this.#given(4);
    this.#end = this.#buffer.writeUInt32LE(value, this.#end);
  }

  uint64(value: bigint): void {
    this.#given(8);
    this.#end = this.#buffer.writeBigUInt64LE(value, this.#end);
  }

  /** An Int64, or a DateTime64(6): microseconds. */
  int64(value: bigint): void {
    this.#given(8);
    this.#end = this.#buffer.writeBigInt64LE(value, this.#end);
  }

  double(value: number): void {
    this.#given(8);
    this.#end = this.#buffer.writeDoubleLE(value, this.#end);
  }

  /** A UInt128 of the first 32 hexadecimal digits. */
  uint128(hex: string): void {
    this.#given(16);
    const begin = this.#end;
    this.#end += this.#buffer.write(hex.slice(0, USER_HEX_DIGITS), begin, 'hex');
    this.#buffer.subarray(begin, this.#end).reverse();
  }

  /** A Nullable(Int128). */
  nullableInt128(value: bigint | null): void {
    this.#given(17);
    if (value === null) {
      this.#buffer[this.#end++] = 1;
      return;
    }
    this.#buffer[this.#end++] = 0;
    this.#end = this.#buffer.writeBigUInt64LE(BigInt.asUintN(64, value), this.#end);
    this.#end = this.#buffer.writeBigInt64LE(value >> 64n, this.#end);
  }

  /** Writes a short text of ASCII alone, and says whether it is one: in half the time that Buffer's own method takes. */
  #copied(text: string): boolean {
    const buffer = this.#buffer;
    const begin = this.#end + 1;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 0x7f) return false;
      buffer[begin + at] = unit;
    }
    buffer[this.#end] = text.length;
    this.#end = begin + text.length;
    return true;
  }

  #given(bytes: number): void {
    this.#reserve(1 + bytes);
    this.#buffer[this.#end++] = GIVEN;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#buffer.length, this.#end + bytes));
    this.#buffer.copy(larger, 0, 0, this.#end);
    this.#buffer = larger;
  }
}
