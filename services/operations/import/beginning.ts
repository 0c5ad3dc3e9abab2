import { crc32 } from 'node:zlib';
import { isWhiteSpace } from './judge.ts';
import { BEGINNING, type FileOffset, RECORD_LIMIT_BYTES } from './record.ts';
import { LINE_FEED } from './record-end.ts';
import { count } from './split.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Enough bytes to show what a file is. */
const ENOUGH_BYTES = 1_024;

/** Where the first line begins that is not blank. */
export interface FirstLine {
  /** From the beginning of that line on. */
  readonly bytes: Buffer;
  /** The first byte that is not white space; undefined where a line of white space is too long. */
  readonly first: number | undefined;
  readonly place: FileOffset;
}

/** Looks for the first line of a file. Holds no more of it than one line may have, however many blank ones come first. */
export class Beginning {
  #bytes: Buffer = Buffer.alloc(0);
  #place = BEGINNING;

  /** The first line, once enough of it is there. */
  push(chunk: Buffer): FirstLine | undefined {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    if (this.#bytes.length < BYTE_ORDER_MARK.length) return undefined;
    const first = this.#pass();
    const isEnough = first !== -1 && this.#bytes.length - first >= ENOUGH_BYTES;
    return isEnough || this.#bytes.length > RECORD_LIMIT_BYTES ? this.#begun(first) : undefined;
  }

  /** The first line of a file that ends here; undefined where all of it is blank. */
  finish(): FirstLine | undefined {
    const first = this.#pass();
    return first === -1 ? undefined : this.#begun(first);
  }

  #begun(first: number): FirstLine {
    return { bytes: this.#bytes, first: this.#bytes[first], place: this.#place };
  }

  /** Leaves out a byte order mark and blank lines. The index of the first byte that is not white space, -1 for none. */
  #pass(): number {
    const hasMark = this.#place.offset === 0 && this.#bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
    if (hasMark) this.#leaveOut(BYTE_ORDER_MARK.length);
    const first = this.#bytes.findIndex((byte) => byte !== LINE_FEED && !isWhiteSpace(byte));
    const blank = this.#bytes.subarray(0, first === -1 ? this.#bytes.length : first).lastIndexOf(LINE_FEED) + 1;
    this.#leaveOut(blank);
    return first === -1 ? -1 : first - blank;
  }

  #leaveOut(length: number): void {
    const bytes = this.#bytes.subarray(0, length);
    const { offset, line, crc } = this.#place;
    this.#place = { offset: offset + length, line: line + count(bytes), crc: crc32(bytes, crc) };
    this.#bytes = this.#bytes.subarray(length);
  }
}
