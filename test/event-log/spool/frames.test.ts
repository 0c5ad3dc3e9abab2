import { describe, expect, test } from 'vitest';
import type { NewRecord } from '../../../services/event-log/event-log.ts';
import { encodeFrames, readFrames } from '../../../services/event-log/spool/frames.ts';
import { spooled, valuesOf } from '../../support/event-log/spool.ts';

const RECORDS = [spooled('a', '1'), spooled('b', ''), spooled('ключ', 'x'.repeat(3_000))];

function framesOf(records: readonly NewRecord[]): Buffer {
  return encodeFrames(records, 1_700_000_000_123.5);
}

describe('frames', () => {
  test('frames are read as they were written', () => {
    const { records, firstAtMs, damaged, tornBytes } = readFrames(framesOf(RECORDS));

    expect(records.map(({ topic, key, value }) => [topic, Buffer.from(key), Buffer.from(value)])).toEqual(
      RECORDS.map(({ topic, key, value }) => [topic, Buffer.from(key), Buffer.from(value)]),
    );
    expect({ firstAtMs, damaged, tornBytes }).toEqual({ firstAtMs: 1_700_000_000_123.5, damaged: [], tornBytes: 0 });
  });

  test('frames truncated anywhere yield the complete ones, and no damage', () => {
    const bytes = framesOf(RECORDS);
    const ends = RECORDS.map((_, i) => framesOf(RECORDS.slice(0, i + 1)).length);

    for (let length = 0; length < bytes.length; length++) {
      const { records, damaged, tornBytes } = readFrames(bytes.subarray(0, length));
      const whole = ends.filter((end) => end <= length);
      expect(records).toHaveLength(whole.length);
      expect([damaged.length, tornBytes]).toEqual([0, length - (whole.at(-1) ?? 0)]);
    }
  });

  test('frames with one changed byte lose one record, and report its range', () => {
    const bytes = framesOf(RECORDS);
    const starts = RECORDS.map((_, i) => framesOf(RECORDS.slice(0, i)).length);

    for (let at = 0; at < bytes.length; at++) {
      const spoilt = Buffer.from(bytes);
      spoilt[at] = (spoilt[at] ?? 0) ^ 0x10;
      const { records, damaged, tornBytes } = readFrames(spoilt);
      const hit = starts.findLastIndex((start) => start <= at);
      expect(valuesOf(records)).toEqual(valuesOf(RECORDS.toSpliced(hit, 1)));
      expect([damaged.map(({ from }) => from), tornBytes]).toEqual([[starts[hit]], 0]);
    }
  });

  test('zeros in place of the last frames are damage, because they may have been acknowledged', () => {
    const bytes = Buffer.concat([framesOf(RECORDS.slice(0, 1)), Buffer.alloc(500)]);

    const { records, damaged } = readFrames(bytes);

    expect([records.length, damaged]).toEqual([1, [{ from: bytes.length - 500, to: bytes.length }]]);
  });

  test('a value that looks like frames is read as a value', () => {
    const inner = framesOf(RECORDS);
    const outer = { topic: 't', key: Buffer.from('k'), value: inner };

    const { records } = readFrames(framesOf([outer, ...RECORDS]));

    expect(records).toHaveLength(4);
  });
});
