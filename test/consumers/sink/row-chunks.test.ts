import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RowTable } from '../../../services/stores/analytics/columns.ts';
import { joinRows, RowChunks } from '../../../services/consumers/sink/row-chunks.ts';
import type { Row } from '../../../services/consumers/sink/row.ts';

const TABLES = ['track_rows', 'trait_rows', 'user_rows'] as const satisfies readonly RowTable[];
// Some longer than a chunk, of one byte a character and of three.
const LINE = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc
    .tuple(fc.constantFrom('a', 'é', '語', '🌊'), fc.integer({ min: 5_000, max: 300_000 }))
    .map(([char, n]) => char.repeat(n)),
);
const ROWS = fc.array(fc.tuple(fc.constantFrom(...TABLES), LINE), { maxLength: 60 });

test('the lines of each table come out as UTF-8, in their order, each with its end', () => {
  fc.assert(
    fc.property(ROWS, ROWS, (first, second) => {
      const joined = joinRows([chunksOf(first), chunksOf(second)]);

      for (const table of TABLES) {
        const lines = [...first, ...second].filter(([of]) => of === table).map(([, line]) => `${line}\n`);
        expect(Buffer.concat(joined.get(table) ?? []).equals(Buffer.from(lines.join('')))).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});

test('a few rows hold little, many come in chunks that are soon written', () => {
  const line = 'x'.repeat(999);
  const chunks = chunksOf(Array.from({ length: 2_000 }, () => ['track_rows', line])).get('track_rows') ?? [];

  expect(chunks[0]?.buffer.byteLength).toBe(16 * 1024);
  expect(Math.max(...chunks.map(({ buffer }) => buffer.byteLength))).toBe(256 * 1024);
  expect(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBe(2_000_000);
});

function chunksOf(rows: readonly Row[]): ReturnType<RowChunks['rows']> {
  const chunks = new RowChunks();
  chunks.addAll(rows);
  return chunks.rows();
}
