/** Finds ids in text of any format. */

/** What stands between two runs of them is a delimiter of some format. */
const ID_CHARS = /[\w\-.@+:\u0080-\u00ff]+/gu;
const ID_CHAR = /^[\w\-.@+:\u0080-\u00ff]$/u;
/** In bytes, escaped as JSON escapes. */
const LONGEST_ID = 4_096;

export class WantedIds {
  readonly #plain: ReadonlySet<string>;
  /** Ids with a character that may be a delimiter. */
  readonly #others: readonly string[];

  constructor(ids: readonly string[]) {
    // The bytes of files are read as Latin-1 too, whatever they are.
    const texts = ids
      .flatMap((id) => [id, JSON.stringify(id).slice(1, -1)])
      .map((id) => Buffer.from(id).toString('latin1'));
    this.#plain = new Set(texts);
    this.#others = texts.filter((id) => id.replace(ID_CHARS, '') !== '');
  }

  /** Whether one of the ids stands in it as a value of its own. @param text Bytes as Latin-1. */
  isIn(text: string): boolean {
    return (
      text.match(ID_CHARS)?.some((each) => this.#plain.has(each)) === true ||
      this.#others.some((id) => isValueIn(id, text))
    );
  }

  /** As `isIn`, of a text that comes in pieces, cut anywhere. */
  async isInAny(pieces: AsyncIterable<string>): Promise<boolean> {
    let rest = '';
    for await (const piece of pieces) {
      const text = rest + piece;
      // The value at the end may go on in the next piece: as far as it is here, it may look like another id.
      if (this.isIn(text.slice(0, startOfValue(text, text.length)))) return true;
      // A part of a value is enough if it is longer than any id, too.
      rest = text.slice(Math.max(startOfValue(text, text.length - LONGEST_ID), text.length - 2 * LONGEST_ID - 1));
    }
    return this.isIn(rest);
  }
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

/** Where the value begins that goes up to a place. */
function startOfValue(text: string, end: number): number {
  let start = Math.max(0, end);
  while (ID_CHAR.test(text.charAt(start - 1))) start -= 1;
  return start;
}
