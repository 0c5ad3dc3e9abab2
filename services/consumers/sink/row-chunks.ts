import type { Rows } from '../../stores/analytics/analytics-store.ts';
import type { RowTable } from '../../stores/analytics/columns.ts';
import type { Row } from './row.ts';

const SMALLEST_CHUNK_BYTES = 16 * 1024;
const LARGEST_CHUNK_BYTES = 256 * 1024;

/** Of UTF-8, for one unit of UTF-16. */
const MOST_BYTES_A_UNIT = 3;
/** A longer line is measured before it is written: reserving three times its length would waste memory. */
const LONG_LINE = 16 * 1024;
const NEWLINE = 0x0a;

interface Chunks {
  readonly full: Uint8Array[];
  /** Being filled, up to `length`. */
  open: Buffer;
  length: number;
}

/**
 * Rows on their way into analytics. Kept as bytes: 50,000 live strings cost the garbage collector as much as everything
 * else that is done to them. Each line is encoded straight into its chunk: joining lines first and encoding them then
 * takes twice as long (measured).
 */
export class RowChunks {
  readonly #tables = new Map<RowTable, Chunks>();

  add([table, line]: Row): void {
    let chunks = this.#tables.get(table);
    if (chunks === undefined) {
      chunks = { full: [], open: Buffer.alloc(0), length: 0 };
      this.#tables.set(table, chunks);
    }
    const room = 1 + (line.length > LONG_LINE ? Buffer.byteLength(line) : MOST_BYTES_A_UNIT * line.length);
    if (chunks.length + room > chunks.open.length) openChunk(chunks, room);
    chunks.length += chunks.open.write(line, chunks.length);
    chunks.open[chunks.length++] = NEWLINE;
  }

  addAll(rows: Iterable<Row>): void {
    for (const row of rows) this.add(row);
  }

  /** All of it, in the order in which it was added. */
  rows(): Rows {
    for (const chunks of this.#tables.values()) closeChunk(chunks);
    return new Map([...this.#tables].map(([table, { full }]) => [table, full]));
  }
}

/** Opens a chunk with at least this much room, twice the last one's if it can: a few rows take little memory. */
function openChunk(chunks: Chunks, room: number): void {
  const usual = Math.min(LARGEST_CHUNK_BYTES, Math.max(SMALLEST_CHUNK_BYTES, 2 * chunks.open.length));
  closeChunk(chunks);
  chunks.open = Buffer.allocUnsafeSlow(Math.max(usual, room));
}

function closeChunk(chunks: Chunks): void {
  if (chunks.length > 0) chunks.full.push(chunks.open.subarray(0, chunks.length));
  chunks.open = Buffer.alloc(0);
  chunks.length = 0;
}

/** Joins rows, table by table. */
export function joinRows(several: readonly Rows[]): Rows {
  const joined = new Map<RowTable, readonly Uint8Array[]>();
  for (const rows of several) {
    for (const [table, chunks] of rows) joined.set(table, [...(joined.get(table) ?? []), ...chunks]);
  }
  return joined;
}
