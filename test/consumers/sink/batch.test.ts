import { expect, test } from 'vitest';
import { blankRecord } from '../../../services/event-log/blank.ts';
import type { LogRecord } from '../../../services/event-log/event-log.ts';
import { beginningOf, positionAfter } from '../../../services/event-log/identity.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { Batch, type Read, type SinkEntry } from '../../../services/consumers/sink/batch.ts';
import { rowsOf } from '../../../services/consumers/sink/row.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';

const TRACKS = { topic: 'tidemark.track', partition: 0 };
const OTHERS = { topic: 'tidemark.track', partition: 1 };
const maker = new MessageMaker();

function record(offset: bigint): LogRecord {
  return { offset, appendedAtMs: 0, key: new Uint8Array(), value: Buffer.from(`value ${offset}`) };
}

function entry(offset: bigint, partition = TRACKS): SinkEntry {
  const message = maker.track();
  const content = { message, rows: rowsOf(message, { ...partition, offset }) };
  return { ...partition, record: record(offset), content, claim: undefined };
}

function blank(offset: bigint): Read {
  return { ...TRACKS, record: blankRecord({ offset, appendedAtMs: 0 }), content: undefined, claim: undefined };
}

test('what was read is taken out once, with the steps it makes', () => {
  const batch = new Batch();
  batch.begin(beginningOf(TRACKS));
  batch.begin(beginningOf(OTHERS));
  for (const offset of [0n, 1n, 4n]) batch.add(entry(offset));

  const portion = batch.take();

  expect(portion?.steps).toEqual([{ from: beginningOf(TRACKS), to: positionAfter(TRACKS, record(4n)) }]);
  expect(portion?.unclaimed).toBe(3);
  expect(portion?.isRepeat).toBe(false);
  expect(batch.isEmpty).toBe(true);
  expect(batch.take()).toBeUndefined();
});

test('the next step begins where the last ended', () => {
  const batch = new Batch();
  batch.begin(beginningOf(TRACKS));
  batch.add(entry(0n));
  const first = batch.take();
  batch.add(entry(1n));

  expect(batch.take()?.steps[0]?.from).toEqual(first?.steps[0]?.to);
});

test('a plan whose last record is blank since is repeated with the position that it was stored with', () => {
  const batch = new Batch();
  const until = positionAfter(TRACKS, record(1n));
  batch.begin(beginningOf(TRACKS), until);
  batch.add(entry(0n));
  batch.add(blank(1n));

  expect(batch.take()).toMatchObject({
    isRepeat: true,
    steps: [{ from: beginningOf(TRACKS), to: until }],
    unclaimed: 1,
  });
});

test('blank records move the position past them, and have no rows', () => {
  const batch = new Batch();
  batch.begin(beginningOf(TRACKS));
  batch.add(blank(0n));
  batch.add(blank(1n));

  expect(batch.take()).toMatchObject({ unclaimed: 0, unprocessable: [], steps: [{ to: { offset: 2n } }] });
});

test('a plan to be repeated is taken out by itself, exactly as far as it goes', () => {
  const batch = new Batch();
  const until = positionAfter(TRACKS, record(1n));
  batch.begin(beginningOf(TRACKS), until);
  batch.begin(beginningOf(OTHERS));
  batch.add(entry(0n));
  expect(batch.isEmpty).toBe(true);
  for (const offset of [1n, 2n]) batch.add(entry(offset));
  batch.add(entry(0n, OTHERS));

  expect(batch.take()).toMatchObject({ isRepeat: true, steps: [{ from: beginningOf(TRACKS), to: until }] });
  expect(batch.take()).toMatchObject({ isRepeat: false, steps: [{ from: until }, { from: beginningOf(OTHERS) }] });
});

test('another record at the end of a plan to be repeated is LOG_REPLACED', () => {
  const batch = new Batch();
  batch.begin(beginningOf(TRACKS), { ...TRACKS, offset: 2n, identity: 'another' });
  batch.add(entry(0n));

  expect(() => batch.add(entry(1n))).toThrow(expect.objectContaining({ code: 'LOG_REPLACED' }));
});

test('a gap where a plan to be repeated ends is LOG_REPLACED', () => {
  const batch = new Batch();
  batch.begin(beginningOf(TRACKS), { ...TRACKS, offset: 2n, identity: 'another' });
  batch.add(entry(0n));

  expect(() => batch.add(entry(2n))).toThrow(expect.objectContaining({ code: 'LOG_REPLACED' }));
});

test('an unprocessable record extends the step, and a partition not begun is ignored', () => {
  const batch = new Batch();
  batch.begin(beginningOf(TRACKS));
  const error = new TidemarkError('MESSAGE_UNDECODABLE', 'no message');
  batch.add({ ...TRACKS, record: record(0n), error });
  batch.add(entry(0n, OTHERS));

  const portion = batch.take();

  expect(portion?.steps.map(({ to }) => to)).toEqual([positionAfter(TRACKS, record(0n))]);
  expect(portion?.unprocessable).toHaveLength(1);
  expect(portion?.unclaimed).toBe(0);
});
