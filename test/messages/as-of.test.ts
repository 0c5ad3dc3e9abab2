import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AsOf, asOfFromJson, asOfToJson, readAsOf } from '../../services/messages/as-of.ts';
import { EARLIEST, END_OF_TIME } from '../../services/messages/timestamp.ts';
import { versionOf } from '../../services/messages/version.ts';
import { codec, identify, recordOf, TODAY } from '../support/messages/messages.ts';

const YEAR = 31_536_000_000_000n;
const RULE: AsOf = { instant: TODAY, after: TODAY + 1_000n, below: new Map([['tidemark.identify/0', 10n]]) };
const AT = { topic: 'tidemark.identify', partition: 0, offset: 9n };
const WHO = { projectId: 'p', userId: 'ada' };

test('a message that a wrong clock dated is taken as of the instant, and when it arrived stays', () => {
  const wrong = identify({ ...WHO, receivedAt: TODAY + YEAR });

  const result = readAsOf(wrong, AT, [RULE]);

  expect(result).toEqual({
    ...wrong,
    timestamp: TODAY,
    version: versionTaken(TODAY, TODAY + YEAR),
  });
  expect(result.version < versionOf(TODAY + 1n, TODAY + 1n, 0)).toBe(true);
});

test.each([
  ['above the offsets', { offset: 10n }, {}],
  ['in another partition', { partition: 1 }, {}],
  ['that arrived before', {}, { receivedAt: TODAY + 999n }],
])('a message %s is as it was recorded', (_, at, changes) => {
  const message = identify({ ...WHO, receivedAt: TODAY + YEAR, ...changes });

  expect(readAsOf(message, { ...AT, ...at }, [RULE])).toBe(message);
});

test('a time before the instant, and one that its caller set beyond its arrival, stay', () => {
  const early = identify({ ...WHO, receivedAt: TODAY + YEAR, timestamp: TODAY - YEAR });
  const planned = identify({ ...WHO, receivedAt: TODAY + YEAR, timestamp: TODAY + 2n * YEAR });

  expect(readAsOf(early, AT, [RULE])).toEqual(early);
  expect(readAsOf(planned, AT, [RULE]).timestamp).toBe(TODAY + 2n * YEAR);
  expect(readAsOf(planned, AT, [RULE]).version < versionOf(TODAY + 1n, TODAY + 1n, 0)).toBe(true);
});

test('messages that are taken as of the instant keep their order, and are older than what comes later', () => {
  const micros = fc.bigInt({ min: EARLIEST, max: END_OF_TIME - 1n });
  const message = fc
    .tuple(micros, fc.bigInt({ min: RULE.after + 1n, max: END_OF_TIME - 1n }))
    .map(([timestamp, receivedAt]) => identify({ ...WHO, timestamp, receivedAt }));
  fc.assert(
    fc.property(message, message, (one, other) => {
      const [a, b] = [readAsOf(one, AT, [RULE]).version, readAsOf(other, AT, [RULE]).version];

      expect(a < versionOf(TODAY + 1n, TODAY + 1n, 0)).toBe(true);
      const [first, second] = [one, other].map(({ timestamp }) => (timestamp > TODAY ? TODAY : timestamp)) as [
        bigint,
        bigint,
      ];
      if (first === second) expect(a < b).toBe(one.receivedAt < other.receivedAt);
      else expect(a < b).toBe(first < second);
    }),
  );
});

test('rules are the same after they were stored', () => {
  expect(asOfFromJson(asOfToJson([RULE]))).toEqual([RULE]);
});

test('a codec with rules applies them where it is told the position, and leaves what it writes alone', () => {
  const taking = codec.takingAsOf([RULE]);
  const wrong = identify({ ...WHO, receivedAt: TODAY + YEAR });
  const { value } = recordOf(wrong);

  expect(taking.decode(AT.topic, value, AT).timestamp).toBe(TODAY);
  expect(taking.decode(AT.topic, value)).toEqual(wrong);
  expect(taking.encode(wrong)).toEqual(value);
  expect(codec.takingAsOf([])).toBe(codec);
});

/** The version of a time and a later arrival: `versionOf` makes none whose time was changed. */
function versionTaken(time: bigint, arrival: bigint): string {
  const version = (((time - EARLIEST) << 54n) | (arrival - EARLIEST)) << 20n;
  return version.toString(16).padStart(32, '0');
}
