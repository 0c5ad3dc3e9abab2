import { describe, expect, test } from 'vitest';
import { KilledLog, type ReadLog } from './killed-log.ts';

/** A log of one partition whose first records were cut. An offset without a value is blank. */
function read(values: readonly (string | undefined)[], beginning = 0): ReadLog {
  const there = values.flatMap((value, i) => (value === undefined ? [] : [[`t/0@${beginning + i}`, value] as const]));
  return {
    values: new Map(there),
    beginnings: new Map([['t/0', beginning]]),
    ends: new Map([['t/0', beginning + values.length]]),
  };
}

function checked(lines: readonly string[], ...logs: readonly ReadLog[]): Pick<KilledLog, 'lost' | 'wrong'> {
  const known = new KilledLog();
  for (const line of lines) known.note(line);
  for (const log of logs) known.check(log);
  return { lost: known.lost, wrong: known.wrong };
}

const ACKNOWLEDGED = ['t 0 0 a-0/0/2', 't 0 1 a-0/1/2'];
const BOTH = ['a-0/0/2', 'a-0/1/2'];
const FINE = { lost: [], wrong: [] };

describe('what is known of a log whose writers are killed', () => {
  test('a log that has what was acknowledged, and an append as a whole that was not, is right', () => {
    expect(checked(ACKNOWLEDGED, read([...BOTH, 'a-1/0/1']))).toEqual(FINE);
    expect(checked([...ACKNOWLEDGED, 't 0 2 a-1/'], read(BOTH))).toEqual(FINE);
  });

  test('an acknowledged record that is missing is lost, and so is one that was read before', () => {
    expect(checked(ACKNOWLEDGED, read([BOTH[0]])).lost).toEqual(['t/0@1 a-0/1/2']);
    expect(checked([], read(BOTH), read([BOTH[0]])).lost).toEqual(['t/0@1 a-0/1/2']);
  });

  test.each([
    ['another value', ACKNOWLEDGED, read([BOTH[1], BOTH[0]]), 't/0@0 has a-0/1/2, not a-0/0/2'],
    ['a value that nobody wrote', [], read(['torn']), 't/0@0 has torn, which nobody wrote'],
    ['a record twice', ACKNOWLEDGED, read([...BOTH, BOTH[1]]), 'a-0/1/2 is there twice'],
    ['an append in part', [], read([BOTH[0]]), 'a-0 is there in part: 1 of 2'],
    ['a gap', [], read([undefined, 'a-1/0/1']), 't/0@0 is a gap'],
    [
      'an offset that was given twice',
      [...ACKNOWLEDGED, 't 0 1 a-1/0/1'],
      read(BOTH),
      'two records were acknowledged at t/0@1',
    ],
    ['an erased record', [...ACKNOWLEDGED, 'erasing t/0@1', 'erased t/0@1'], read(BOTH), 't/0@1 was erased'],
    [
      'half of an erasure',
      [...ACKNOWLEDGED, 'erasing t/0@0 t/0@1'],
      read([undefined, BOTH[1]]),
      'half of an erasure is done: t/0@0,t/0@1',
    ],
    ['a cut that nobody asked for', [], read(['a-1/0/1'], 5), 't/0 is cut up to 5'],
  ])('%s is wrong', (_, lines, log, wrong) => {
    expect(checked(lines, log).wrong).toContain(wrong);
  });

  test('an erasure that was not acknowledged may be done, and a cut may take what lies below it', () => {
    expect(checked([...ACKNOWLEDGED, 'erasing t/0@0 t/0@1'], read([undefined, undefined]))).toEqual(FINE);
    expect(checked([...ACKNOWLEDGED, 'erasing t/0@0 t/0@1'], read(BOTH))).toEqual(FINE);
    expect(checked([...ACKNOWLEDGED, 'cutting t/0@2'], read([], 2))).toEqual(FINE);
    expect(checked([...ACKNOWLEDGED, 'cutting t/0@1'], read([BOTH[1]], 1))).toEqual(FINE);
  });
});
