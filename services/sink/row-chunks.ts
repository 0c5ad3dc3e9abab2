import type { Rows, RowTable } from '../analytics/analytics-store.ts';
import type { Row } from './row.ts';

// Small enough to be joined in a fraction of a millisecond.
const CHUNK_CHARS = 256 * 1024;

interface Chunks {
  lines: string[];
  chars: number;
  readonly full: Uint8Array[];
}

/**
 * Rows on their way into analytics. Kept as bytes: as strings, 50,000 of them live cost the garbage collector as much
 * as all else that is done to them.
 */
export class RowChunks {
  readonly #tables = new Map<RowTable, Chunks>();

  add([table, line]: Row): void {
    let chunks = this.#tables.get(table);
    if (chunks === undefined) {
      chunks = { lines: [], chars: 0, full: [] };
      this.#tables.set(table, chunks);
    }
    chunks.lines.push(line);
    chunks.chars += line.length;
    if (chunks.chars >= CHUNK_CHARS) join(chunks);
  }

  addAll(rows: Iterable<Row>): void {
    for (const row of rows) this.add(row);
  }

  /** All of it, in the order in which it was added. */
  rows(): Rows {
    for (const chunks of this.#tables.values()) join(chunks);
    return new Map([...this.#tables].map(([table, { full }]) => [table, full]));
  }
}

function join(chunks: Chunks): void {
  if (chunks.lines.length > 0) chunks.full.push(Buffer.from(`${chunks.lines.join('\n')}\n`));
  chunks.lines = [];
  chunks.chars = 0;
}

/** The rows of several, table by table. */
export function joinRows(several: readonly Rows[]): Rows {
  const joined = new Map<RowTable, readonly Uint8Array[]>();
  for (const rows of several) {
    for (const [table, chunks] of rows) joined.set(table, [...(joined.get(table) ?? []), ...chunks]);
  }
  return joined;
}
