/** Finds ids in text of any format and encoding, however the program that wrote it spells them. */
import { isUtf8 } from 'node:buffer';

/** What stands between two runs of them is a delimiter of some format. */
const ID_CHARS = /[\w\-.@+:\u0080-\u{10ffff}]+/gu;
const ID_CHAR = /^[\w\-.@+:\u0080-\u{10ffff}]$/u;

/** Those that an import reads. What is not UTF-8 may be in any of them: only whoever imports it knows. */
const ENCODINGS = ['utf-8', 'windows-1250', 'windows-1251', 'windows-1252', 'iso-8859-15', 'shift_jis', 'gb18030'];

/** More than an id takes, with every character escaped twice. */
const OVERLAP_BYTES = 16_384;
const WINDOW_BYTES = 65_536;
/** A line that is longer is looked at in pieces. */
const LONGEST_LINE_BYTES = 2 ** 21;
const LINE_FEED = 0x0a;
const DELIMITERS = Buffer.from(',;\t "');

export class WantedIds {
  readonly #ids: readonly string[];
  readonly #plain: ReadonlySet<string>;
  /** Ids with a character that may be a delimiter. */
  readonly #others: readonly string[];
  readonly #isAscii: boolean;

  constructor(ids: readonly string[]) {
    // Mixpanel's export has the id of a device so where nobody is known by it.
    this.#ids = ids.flatMap((id) => [id, `$device:${id}`]);
    this.#plain = new Set(this.#ids);
    this.#others = this.#ids.filter((id) => id.replace(ID_CHARS, '') !== '');
    this.#isAscii = ids.every((id) => /^[ -~]*$/.test(id));
  }

  /**
   * Whether one of the ids stands in it as a value of its own.
   *
   * @param isCut Whether the text goes on where it ends: then an id may begin there. A character that could not be read may
   *   be any.
   */
  isIn(text: string, isCut = false): boolean {
    if (this.#ids.length === 0) return false;
    if (!this.#isAscii && text.includes('\ufffd')) return true;
    for (const reading of readingsOf(text))
      if (this.#standsIn(reading) || (isCut && this.#beginsAtEnd(reading))) return true;
    return false;
  }

  /** As `isIn`, of a text that comes in pieces, cut anywhere. */
  async isInAny(pieces: AsyncIterable<Buffer>): Promise<boolean> {
    let rest = Buffer.alloc(0);
    for await (const piece of pieces) {
      rest = Buffer.concat([rest, piece]);
      const isLong = rest.length > LONGEST_LINE_BYTES;
      if (!isLong && (rest.length < WINDOW_BYTES || !rest.includes(LINE_FEED, rest.length - piece.length))) continue;
      const end = boundaryBefore(rest, rest.length);
      if (this.#isInBytes(rest.subarray(0, end))) return true;
      rest = rest.subarray(boundaryBefore(rest, end - OVERLAP_BYTES));
    }
    return this.#isInBytes(rest);
  }

  #isInBytes(bytes: Buffer): boolean {
    const encodings = isUtf8(bytes) ? ['utf-8'] : ENCODINGS;
    // A character that one encoding does not have stands in another.
    return encodings.some((name) => this.isIn(new TextDecoder(name).decode(bytes).replaceAll('\ufffd', ' ')));
  }

  #standsIn(text: string): boolean {
    return (
      text.match(ID_CHARS)?.some((run) => this.#plain.has(run) || this.#plain.has(withoutColons(run))) === true ||
      this.#others.some((id) => isValueIn(id, text))
    );
  }

  #beginsAtEnd(text: string): boolean {
    const end = text.replace(/\\(?:u[\da-f]{0,3})?$/i, '');
    return this.#ids.some((id) => {
      for (let length = Math.min(id.length - 1, end.length); length > 0; length -= 1) {
        const start = end.length - length;
        if (end.endsWith(id.slice(0, length)) && isEdge(end.charAt(start - 1), id.charAt(0))) return true;
      }
      return false;
    });
  }
}

/**
 * The text as it is, and as it reads where it is JSON, with its escapes, or CSV, with its quotes. JSON may stand in JSON, and
 * in CSV.
 */
function* readingsOf(text: string): Generator<string> {
  for (let reading = text.replaceAll('\0', '').replaceAll('\ufeff', ''); ;) {
    yield reading;
    if (reading.includes('""')) yield reading.replaceAll('""', '"');
    const next = unescaped(reading);
    if (next === reading) return;
    reading = next;
  }
}

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:u([\da-fA-F]{4})|(["'\\/bfnrt]))/g, (_, code: string | undefined, char: string) =>
    code === undefined ? (ESCAPED[char] ?? char) : String.fromCharCode(parseInt(code, 16)),
  );
}

/** A number in JSON stands beside the colon of its name. Not `/:+$/`, which takes time quadratic in a run of colons. */
function withoutColons(run: string): string {
  let [from, to] = [0, run.length];
  while (run[from] === ':') from += 1;
  while (to > from && run[to - 1] === ':') to -= 1;
  return run.slice(from, to);
}

function isValueIn(id: string, text: string): boolean {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1))
    if (isEdge(text.charAt(at - 1), id.charAt(0)) && isEdge(text.charAt(at + id.length), id.slice(-1))) return true;
  return false;
}

/** Whether a value can end between two characters. */
function isEdge(outer: string, inner: string): boolean {
  return !ID_CHAR.test(outer) || !ID_CHAR.test(inner);
}

/** The last offset up to there where a line begins; a field, where that is far away. */
function boundaryBefore(bytes: Buffer, at: number): number {
  if (at <= 0) return 0;
  const line = bytes.lastIndexOf(LINE_FEED, at - 1) + 1;
  if (line > at - WINDOW_BYTES) return line;
  const field = bytes.subarray(at - WINDOW_BYTES, at).findLastIndex((byte) => DELIMITERS.includes(byte)) + 1;
  return field === 0 ? at : at - WINDOW_BYTES + field;
}
