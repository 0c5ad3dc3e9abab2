/**
 * Rows in ClickHouse's format `RowBinaryWithDefaults`: every value behind a byte that says whether it is given or left to
 * the column's default. https://clickhouse.com/docs/interfaces/formats/RowBinaryWithDefaults
 *
 * JSON would be text that is made here only to be parsed there: for a message, both together take more than twice as long.
 */
const GIVEN = 0;
const DEFAULT = 1;

const FIRST_BYTES = 64 * 1024;

/** Of UTF-8, for one unit of UTF-16. */
const MOST_BYTES_A_UNIT = 3;
// A length in LEB128 has 7 bits a byte, and may end with bits that are 0.
const MOST_UNITS_IN_7_BITS = Math.floor(0x7f / MOST_BYTES_A_UNIT);
const MOST_UNITS_IN_14_BITS = Math.floor(0x3fff / MOST_BYTES_A_UNIT);
const MOST_LENGTH_BYTES = 5;

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
    this.#given(MOST_LENGTH_BYTES + MOST_BYTES_A_UNIT * text.length);
    const at = this.#end;
    const buffer = this.#buffer;
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
      let length = Buffer.byteLength(text);
      for (; length > 0x7f; length >>>= 7) buffer[this.#end++] = (length & 0x7f) | 0x80;
      buffer[this.#end++] = length;
      this.#end += buffer.write(text, this.#end);
    }
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
