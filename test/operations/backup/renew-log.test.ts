import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isBlank } from '../../../services/event-log/blank.ts';
import type { EventLog, LogCopy, LogReader } from '../../../services/event-log/event-log.ts';
import { identityOf, positionAfter } from '../../../services/event-log/identity.ts';
import { openEventLog, openLogCopy, urlWithPrefix } from '../../../services/event-log/open.ts';
import { type Message, topicOf, TOPICS } from '../../../services/messages/message.ts';
import { renewLog } from '../../../services/operations/backup/renew-log.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { serverUrl } from '../../servers/server.ts';
import { askFor, erasureOf } from '../../support/erasures.ts';
import { PATIENT, placed } from '../../support/event-log/event-log.ts';
import { codec, identify, recordOf, track } from '../../support/messages/messages.ts';
import { openNewDatabase } from '../../support/stores/new-stores.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const kafka = await serverUrl('kafka');
const PARTITIONS = 2;
const SILENT = { report: () => undefined, signal: new AbortController().signal };
const WHO = { projectId: 'proj_a', userId: 'ada' };

interface Urls {
  readonly from: string;
  readonly to: string;
}

describe.each([
  [
    'logs of a folder',
    true,
    async (): Promise<Urls> => {
      const folder = await temporaryFolder();
      return { from: `log:${join(folder, 'from')}`, to: `log:${join(folder, 'to')}` };
    },
  ],
  [
    'Kafka',
    kafka !== undefined,
    async (): Promise<Urls> => {
      const from = urlWithPrefix(kafka ?? '', `${randomUUID().slice(0, 8)}.`) ?? '';
      return { from, to: urlWithPrefix(kafka ?? '', `${randomUUID().slice(0, 8)}.g2.`) ?? '' };
    },
  ],
] as const)('a log that is renewed, %s', (_, isThere, urlsOf) => {
  const scene = async () => {
    const urls = await urlsOf();
    const from = await openEventLog(urls.from, { topics: TOPICS, partitions: PARTITIONS });
    const database = await openNewDatabase();
    onTestFinished(async () => {
      await from.close();
      await database.close();
    });
    await migrateDatabase(database);
    const append = (messages: readonly Message[]) =>
      from.append(messages.map((message) => ({ topic: topicOf(message), ...recordOf(message) })));
    const renew = async (isLast: boolean, change: (to: LogCopy) => LogCopy = (to) => to) => {
      const to = await openLogCopy(urls.to, { topics: TOPICS, partitions: PARTITIONS });
      try {
        return await renewLog({ from, to: change(to), codec, database, quietMs: 0 }, isLast, SILENT);
      } finally {
        await to.close();
      }
    };
    const renewed = async () => {
      const log = await openEventLog(urls.to, { topics: TOPICS });
      onTestFinished(() => log.close());
      return log;
    };
    return { from, database, append, renew, renewed };
  };

  test.runIf(isThere)(
    'the copy has every record at its offset with its time and identity, but for those of forgotten people',
    async () => {
      const { from, database, append, renew, renewed } = await scene();
      await append(traffic(300));
      await askFor(database, erasureOf(WHO.projectId, WHO.userId));

      expect(await renew(false)).toMatchObject({ records: 300, blank: 100, finished: false });
      await append(traffic(30));
      expect(await renew(true)).toMatchObject({ records: 30, blank: 10, finished: true });

      const [before, after] = [await linesOf(from), await linesOf(await renewed())];
      expect(after.length).toBe(before.length);
      const other = before.filter((line, index) => line !== after[index]);
      expect(other).toHaveLength(110);
      expect(after.filter((line) => line.endsWith('blank'))).toHaveLength(110);
      const listed = await database.query<{ topic: string; partition: number; offset: bigint }>(
        'select topic, partition, log_offset as "offset" from blanked',
      );
      const places = listed.map(({ topic, partition, offset }) => `${topic}/${partition}@${offset}`);
      expect(places.toSorted()).toEqual(other.map((line) => line.split(' ')[0] ?? '').toSorted());
    },
  );

  test.runIf(isThere)(
    'a reader goes on in the copy at its old positions, also behind a record that is blank now',
    async () => {
      const { from, database, append, renew, renewed } = await scene();
      await append([track(WHO), track(WHO), track(WHO)]);
      const reader = await readerOf(from);
      const read = placed(await polled(reader, 3));
      const last = read[1]!;
      await askFor(database, erasureOf(WHO.projectId, WHO.userId));
      await renew(true);

      const copy = await readerOf(await renewed(), [positionAfter(last, last)]);
      const [next] = placed(await polled(copy, 1));

      expect([next?.offset, next && isBlank(next)]).toEqual([last.offset + 1n, true]);
    },
  );

  test.runIf(isThere)('a run that is killed goes on where it ended, and one beside a writer does not end', async () => {
    const { from, append, renew, renewed } = await scene();
    await append(traffic(60));
    await expect(renew(true, dyingAt(2))).rejects.toThrow('killed');
    await expect(
      renew(true, (to) => ({
        ...methodsOf(to),
        // Somebody appends once the last round was copied.
        ends: async (topics) => {
          const ends = await to.ends(topics);
          await append(traffic(1));
          return ends;
        },
      })),
    ).rejects.toMatchObject({ code: 'COMMAND_INVALID' });

    await renew(true);

    expect(await linesOf(await renewed())).toEqual(await linesOf(from));
  });

  test.runIf(isThere)('topics that hold other records are refused', async () => {
    const { from, append, renew } = await scene();
    await append(traffic(6));
    const foreign: LogCopy['appendAt'] = async () => undefined;
    await expect(renew(false, (to) => ({ ...methodsOf(to), appendAt: foreign }))).rejects.toMatchObject({
      code: 'COMMAND_INVALID',
    });
    await renew(false, (to) => ({
      ...methodsOf(to),
      appendAt: (at, records) =>
        to.appendAt(
          at,
          records.map((record) => ({ ...record, value: Buffer.from('other') })),
        ),
    })).catch(() => undefined);

    await expect(renew(false)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
    expect(await from.ends(TOPICS)).toHaveLength(TOPICS.length * PARTITIONS);
  });
});

function traffic(count: number): readonly Message[] {
  return Array.from({ length: count }, (_, index): Message => {
    const who = index % 3 === 0 ? WHO : { ...WHO, userId: `u${index}` };
    return index % 2 === 0 ? track(who) : identify(who);
  });
}

/** `topic/partition@offset time identity`, of every record in order. */
async function linesOf(log: EventLog): Promise<readonly string[]> {
  const ranges = (await log.ends(TOPICS)).map(({ offset, ...at }) => ({ ...at, from: 0n, to: offset }));
  const lines: string[] = [];
  for await (const { topic, partition, records } of log.scan(ranges, { withBlank: true })) {
    for (const record of records) {
      const identity = isBlank(record) ? 'blank' : identityOf(record);
      lines.push(`${topic}/${partition}@${record.offset} ${record.appendedAtMs} ${identity}`);
    }
  }
  return lines.toSorted();
}

async function readerOf(log: EventLog, positions: Awaited<ReturnType<LogReader['poll']>> | readonly object[] = []) {
  const start = () => Promise.resolve(positions as never);
  const reader = await log.openReader({ group: randomUUID(), topics: ['tidemark.track'], start });
  onTestFinished(() => reader.close());
  return reader;
}

async function polled(reader: LogReader, count: number) {
  const pieces = [];
  for (let records = 0; records < count;) {
    const found = await reader.poll(PATIENT);
    pieces.push(...found);
    records += placed(found).length;
  }
  return pieces;
}

function methodsOf(log: LogCopy): LogCopy {
  return {
    ends: (topics) => log.ends(topics),
    scan: (...range) => log.scan(...range),
    appendAt: (...records) => log.appendAt(...records),
    finish: () => log.finish(),
    close: () => log.close(),
  };
}

function dyingAt(call: number): (log: LogCopy) => LogCopy {
  let calls = 0;
  return (log) => ({
    ...methodsOf(log),
    appendAt: async (...records) => {
      if (++calls === call) throw new Error('killed');
      await log.appendAt(...records);
    },
  });
}
