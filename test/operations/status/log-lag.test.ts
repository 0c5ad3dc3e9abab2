import { expect, test } from 'vitest';
import { logFigures } from '../../../services/operations/status/log-lag.ts';
import type { Appended, EventLog, Position, ScanOptions, ScanRange } from '../../../services/event-log/event-log.ts';
import { realLogs } from '../../support/event-log/real-logs.ts';
import { recordOf, track } from '../../support/messages/messages.ts';

const TOPIC = 'tidemark.track';

/** Appends a message to this topic, and resolves with where and when. */
async function append(log: EventLog, topic: string, userId: string) {
  const [appended] = await log.append([{ ...recordOf(track({ projectId: 'proj_1', userId })), topic }]);
  return appended!;
}

function positionAt(partition: number, offset: bigint): Position {
  return { topic: TOPIC, partition, offset, identity: '' };
}

test.each(await realLogs())(
  'the lag on $name is told by one record of each partition that is not read',
  async ({ open }) => {
    const log = await open(3);
    const users = Array.from({ length: 40 }, (_, n) => `u${n}`);
    const appended: Appended[] = [];
    for (const user of users) appended.push(await append(log, TOPIC, user));
    const imported = await append(log, 'tidemark.import-track', 'ada');
    const of = (partition: number) => appended.filter((one) => one.partition === partition);
    // The projector has read the first partition whole, of the second all but three, of the third nothing.
    const projector = [positionAt(0, BigInt(of(0).length)), positionAt(1, BigInt(of(1).length - 3))];
    const sink = [0, 1, 2].map((partition) => positionAt(partition, BigInt(of(partition).length)));
    let records = 0;
    const counting = {
      ends: log.ends.bind(log),
      beginnings: log.beginnings.bind(log),
      scan: async function* (ranges: readonly ScanRange[], options: ScanOptions) {
        for await (const piece of log.scan(ranges, options)) {
          records += piece.records.length;
          yield piece;
        }
      },
    };
    const progress = { progress: async () => ({ projector, sink }) };

    const { lags, newestQueryableAtMs } = await logFigures({ log: counting, progress }, AbortSignal.timeout(20_000));

    const oldest = Math.min(of(1).at(-3)!.appendedAtMs, of(2)[0]!.appendedAtMs);
    expect(lags.projector).toEqual({ messages: of(2).length + 3, oldestAtMs: oldest });
    expect(lags.sink).toEqual({ messages: 0, oldestAtMs: null });
    expect(lags['import-sink']).toEqual({ messages: 1, oldestAtMs: imported.appendedAtMs });
    expect(newestQueryableAtMs).toBe(appended.at(-1)!.appendedAtMs);
    // Two of the projector, one of each import reader, three of the newest events.
    expect(records).toBe(7);
  },
  60_000,
);
