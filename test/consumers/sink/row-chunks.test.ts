import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RowTable } from '../../../services/stores/analytics/columns.ts';
import { joinRows, RowChunks } from '../../../services/consumers/sink/row-chunks.ts';
import type { TableRows } from '../../../services/consumers/sink/row.ts';

const TABLES = ['track_rows', 'trait_rows', 'user_rows'] as const satisfies readonly RowTable[];
// Some longer than a chunk.
const BYTES = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.tuple(fc.nat(255), fc.integer({ min: 5_000, max: 900_000 })).map(([byte, n]) => new Uint8Array(n).fill(byte)),
);
const ROWS = fc.array(fc.record({ table: fc.constantFrom(...TABLES), count: fc.constant(1), bytes: BYTES }), {
  maxLength: 60,
});

test('the rows of each table come out in their order', () => {
  fc.assert(
    fc.property(ROWS, ROWS, (first, second) => {
      const joined = joinRows([chunksOf(first), chunksOf(second)]);

      for (const table of TABLES) {
        const bytes = [...first, ...second].filter((rows) => rows.table === table).map((rows) => rows.bytes);
        expect(Buffer.concat(joined.get(table) ?? []).equals(Buffer.concat(bytes))).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});

test('a few rows hold little, many come in chunks that are soon written', () => {
  const row: TableRows = { table: 'track_rows', count: 1, bytes: new Uint8Array(1_000) };
  const chunks = chunksOf(Array.from({ length: 2_000 }, () => row)).get('track_rows') ?? [];

  expect(chunks[0]?.buffer.byteLength).toBe(16 * 1024);
  expect(Math.max(...chunks.map(({ buffer }) => buffer.byteLength))).toBe(256 * 1024);
  expect(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBe(2_000_000);
});

function chunksOf(rows: readonly TableRows[]): ReturnType<RowChunks['rows']> {
  const chunks = new RowChunks();
  chunks.addAll(rows);
  return chunks.rows();
}
