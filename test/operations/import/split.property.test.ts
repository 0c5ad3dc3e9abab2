import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32 } from 'node:zlib';
import { BEGINNING, type RawRecord } from '../../../services/operations/import/record.ts';
import { CsvRecordEnd, LineEnd } from '../../../services/operations/import/record-end.ts';
import { RecordSplitter } from '../../../services/operations/import/split.ts';

const FORMATS = [
  { format: 'NDJSON', end: () => new LineEnd() },
  { format: 'CSV', end: () => new CsvRecordEnd(',') },
];

const content = fc.array(fc.constantFrom('a', 'bc', ',', '"', '""', '\n', '\r\n', 'ü', 'x'.repeat(20_000)), {
  maxLength: 60,
});
const cuts = fc.array(fc.nat(100_000), { maxLength: 20 });

test.each(FORMATS)('records of $format are the same however the bytes come in pieces', ({ end }) => {
  fc.assert(
    fc.property(content, cuts, (parts, at) => {
      const bytes = Buffer.from(parts.join(''));
      const whole = split(new RecordSplitter(end(), BEGINNING), [bytes]);

      const pieces = split(new RecordSplitter(end(), BEGINNING), cutAt(bytes, at));

      expect(pieces.map(told)).toEqual(whole.map(told));
      // An empty line is no record.
      expect(bytes.subarray(whole.at(-1)?.end.offset ?? 0).toString()).toMatch(/^(\r?\n)*$/);
    }),
    { numRuns: 200 },
  );
});

test.each(FORMATS)('whoever goes on behind any record of $format reads what is left', ({ end }) => {
  fc.assert(
    fc.property(content, fc.nat(), (parts, n) => {
      const bytes = Buffer.from(parts.join(''));
      const whole = split(new RecordSplitter(end(), BEGINNING), [bytes]);
      const last = whole[n % Math.max(1, whole.length)];
      if (last === undefined) return;

      const rest = split(new RecordSplitter(end(), last.end), [bytes.subarray(last.end.offset)]);

      expect(last.end.crc).toBe(crc32(bytes.subarray(0, last.end.offset)));
      expect(rest.map(told)).toEqual(whole.slice(whole.indexOf(last) + 1).map(told));
    }),
    { numRuns: 200 },
  );
});

test.each([
  ['7" pipe,1\n8" pipe,2\n', ['7" pipe,1', '8" pipe,2']],
  ['a,7" pipe\nb,8" pipe\n', ['a,7" pipe', 'b,8" pipe']],
  ['"7"" pipe\n",1\nb,2\n', ['"7"" pipe\n",1', 'b,2']],
])('a quote of CSV quotes only where a field begins: %j', (text, records) => {
  const found = split(new RecordSplitter(new CsvRecordEnd(','), BEGINNING), [Buffer.from(text)]);

  expect(found.map(({ bytes }) => bytes?.toString())).toEqual(records);
});

function split(splitter: RecordSplitter, chunks: readonly Buffer[]): RawRecord[] {
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.finish()];
}

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

function told({ bytes, ...rest }: RawRecord): unknown {
  return { ...rest, text: bytes.toString() };
}
