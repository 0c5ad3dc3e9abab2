/** Where records end: NDJSON at every line, CSV at lines that are outside quotes. */

export const LINE_FEED = 0x0a;
const QUOTE = 0x22;

/** Looks for the ends of records, which may come in pieces. */
export interface RecordEnd {
  /** The index of the line feed that ends the record, -1 where it is not among these bytes. */
  find(bytes: Buffer, from: number): number;
  /** Begins a new record: what was seen of the last one is forgotten. */
  begin(): void;
  /** What was seen of the record so far, as a number. What is set again is gone on from. */
  seen: number;
}

export class LineEnd implements RecordEnd {
  /** Nothing is remembered. */
  seen = 0;

  find(bytes: Buffer, from: number): number {
    return bytes.indexOf(LINE_FEED, from);
  }

  begin(): void {
    // As `seen` says.
  }
}

// Numbers and a local: a state in words costs three times as much a byte.
const FIELD_BEGINS = 0;
const PLAIN = 1;
const QUOTED = 2;
const QUOTE_IN_QUOTED = 3;

/** RFC 4180: a quote means something only where a field begins and within a field that began with one. */
export class CsvRecordEnd implements RecordEnd {
  readonly #delimiter: number;
  seen = FIELD_BEGINS;

  /** @param delimiter One ASCII character. */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  find(bytes: Buffer, from: number): number {
    const delimiter = this.#delimiter;
    let state = this.seen;
    for (let at = from; at < bytes.length; at++) {
      if (state === QUOTED) {
        at = bytes.indexOf(QUOTE, at);
        if (at === -1) break;
        state = QUOTE_IN_QUOTED;
        continue;
      }
      const byte = bytes[at] as number;
      if (byte === LINE_FEED) {
        this.seen = FIELD_BEGINS;
        return at;
      }
      if (byte === delimiter) state = FIELD_BEGINS;
      else if (byte === QUOTE && state !== PLAIN) state = QUOTED;
      else state = PLAIN;
    }
    this.seen = state;
    return -1;
  }

  begin(): void {
    this.seen = FIELD_BEGINS;
  }
}
