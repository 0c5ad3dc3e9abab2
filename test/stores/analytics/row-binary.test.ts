import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChdbEngine } from '../../../services/stores/analytics/chdb/chdb-engine.ts';
import { RowBinary } from '../../../services/stores/analytics/row-binary.ts';

let folder: string;
let engine: ChdbEngine;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  engine = new ChdbEngine(join(folder, 'store'));
  await engine.query(
    '',
    `CREATE TABLE t (n UInt32, s String, low LowCardinality(String), b Bool, u64 UInt64, i64 Int64, d Float64,
                     u128 UInt128, i128 Nullable(Int128), left_out UInt8 DEFAULT 7)
     ENGINE = MergeTree ORDER BY n`,
  );
});

afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

// Around the lengths whose own length takes another byte.
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 50 }),
  fc
    .tuple(fc.constantFrom('a', 'é', '語', '🌊'), fc.constantFrom(41, 42, 43, 127, 128, 5_461, 5_462, 70_000))
    .map(([char, n]) => char.repeat(n)),
);

const row = fc.record({
  s: text,
  low: text,
  b: fc.boolean(),
  u64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  i64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  d: fc.double({ noNaN: true, noDefaultInfinity: true }),
  u128: fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
  i128: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n })),
});

test('ClickHouse reads every value as it was written', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
      const out = new RowBinary();
      for (const [n, { s, low, b, u64, i64, d, u128, i128 }] of rows.entries()) {
        out.uint32(n);
        out.string(s);
        out.string(low);
        out.byte(b);
        out.uint64(u64);
        out.int64(i64);
        out.double(d);
        out.uint128(`${u128.toString(16).padStart(32, '0')}ffff`);
        out.nullableInt128(i128);
        out.useDefault();
      }
      await engine.query('', 'TRUNCATE TABLE t');
      const into = 'INSERT INTO t (n, s, low, b, u64, i64, d, u128, i128, left_out)';
      await using file = await engine.rowFile(Readable.from([out.bytes()]));
      await engine.insert('', { into, format: 'RowBinaryWithDefaults', file });

      const answer = await engine.query(
        'SET output_format_json_quote_64bit_integers = 1; ',
        'SELECT * FROM t ORDER BY n FORMAT JSONEachRow',
      );
      const read = Buffer.from(answer).toString().split('\n').filter(Boolean);
      const expected = rows.map(({ u64, i64, u128, i128, ...rest }, n) => {
        const wide = {
          u64: String(u64),
          i64: String(i64),
          u128: String(u128),
          i128: i128 === null ? null : String(i128),
        };
        return { n, ...rest, ...wide, left_out: 7 };
      });
      expect(read.map((line) => JSON.parse(line) as unknown)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('what was written before clear is gone', () => {
  const out = new RowBinary();
  out.string('half of a row');
  out.clear();
  out.byte(3);

  expect([...out.bytes()]).toEqual([0, 3]);
});
