import { describe, expect, test } from 'vitest';
import type { EventLog } from '../../../services/event-log/event-log.ts';
import { openEventLog } from '../../../services/event-log/open.ts';
import { type PlacedRecord, placeOf, readCount, text } from '../../support/event-log/event-log.ts';
import { startProgram } from '../../support/service/program.ts';
import type { Program } from '../../support/service/spawn-program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const TOPICS = ['one', 'two'];
const APPENDER = 'test/support/programs/event-log-appender.ts';

describe('an embedded log whose writer is killed', () => {
  test('a log whose writer is killed has every acknowledged record at its offset, without gaps or repeats', async () => {
    const url = `log:${await temporaryFolder()}`;
    const acknowledged = new Map<string, string>();

    for (let round = 0; round < 6; round++) {
      const writer = startProgram([APPENDER, url, TOPICS.join(','), `round-${round}`]);
      await collect(writer, acknowledged, 1 + Math.floor(Math.random() * 400));
      writer.child.kill('SIGKILL');
      await collect(writer, acknowledged, Infinity);
      await verify(url, acknowledged);
    }

    expect(acknowledged.size).toBeGreaterThan(6);
  }, 120_000);
});

/** Notes up to `count` acknowledged records, or all that come. */
async function collect(writer: Program, acknowledged: Map<string, string>, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const line = await writer.line();
    if (line === undefined) return;
    const [topic = '', partition, offset, value = ''] = line.split(' ');
    // The last line of one who was killed may be cut.
    if (value === '') return;
    const place = placeOf({ topic, partition: Number(partition), offset: BigInt(offset ?? '') });
    expect(acknowledged.has(place), `two records were said to be at ${place}`).toBe(false);
    acknowledged.set(place, value);
  }
}

async function verify(url: string, acknowledged: ReadonlyMap<string, string>): Promise<void> {
  const log = await openEventLog(url, { topics: TOPICS });
  const read = await readWhole(log);
  await log.close();
  const found = new Map(read.map((one) => [placeOf(one), text(one.value)]));
  expect(found.size).toBe(read.length);
  expect(new Set(found.values()).size).toBe(read.length);
  for (const [place, value] of acknowledged) expect(found.get(place)).toBe(value);
}

/** Every record up to the ends; fails where offsets have a gap. */
async function readWhole(log: EventLog): Promise<readonly PlacedRecord[]> {
  const ends = await log.ends(TOPICS);
  const count = ends.reduce((sum, { offset }) => sum + Number(offset), 0);
  const reader = await log.openReader({ group: 'check', topics: TOPICS, start: () => Promise.resolve([]) });
  const read = await readCount(reader, count);
  for (const { topic, partition, offset } of ends) {
    const offsets = read.filter((one) => one.topic === topic && one.partition === partition).map((one) => one.offset);
    expect(offsets).toEqual(Array.from({ length: Number(offset) }, (_, i) => BigInt(i)));
  }
  return read;
}
