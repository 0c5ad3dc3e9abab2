import type { Rows } from '../../stores/analytics/analytics-store.ts';
import type { RowTable } from '../../stores/analytics/columns.ts';
import type { TableRows } from './row.ts';

const SMALLEST_CHUNK_BYTES = 16 * 1024;
const LARGEST_CHUNK_BYTES = 256 * 1024;

interface Chunks {
  readonly full: Uint8Array[];
  /** Being filled, up to `length`. */
  open: Buffer;
  length: number;
}

/**
 * Rows on their way into analytics, in a few large pieces: each live object costs the garbage collector time, and each
 * piece that is sent a call.
 */
export class RowChunks {
  readonly #tables = new Map<RowTable, Chunks>();

  add({ table, bytes }: TableRows): void {
    let chunks = this.#tables.get(table);
    if (chunks === undefined) {
      chunks = { full: [], open: Buffer.alloc(0), length: 0 };
      this.#tables.set(table, chunks);
    }
    if (chunks.length + bytes.length > chunks.open.length) openChunk(chunks, bytes.length);
    chunks.open.set(bytes, chunks.length);
    chunks.length += bytes.length;
  }

  addAll(rows: Iterable<TableRows>): void {
    for (const some of rows) this.add(some);
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
