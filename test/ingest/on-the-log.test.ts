/** The door in front of the embedded log: what was answered 200 stands there after the log is opened anew. */
import { expect, onTestFinished, test } from 'vitest';
import type { EventLog, LogRecord } from '../../services/event-log/event-log.ts';
import { beginningOf } from '../../services/event-log/identity.ts';
import { openEventLog } from '../../services/event-log/open.ts';
import { type Message, MESSAGE_TOPICS } from '../../services/messages/message.ts';
import { codec, IngestServer, PROJECT } from '../support/http/ingest-server.ts';
import { readReceipt } from '../support/http/receipts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PARTITIONS = 4;

interface Found {
  readonly place: string;
  readonly message: Message;
}

async function open(folder: string): Promise<EventLog> {
  const log = await openEventLog(`log:${folder}`, { topics: MESSAGE_TOPICS, partitions: PARTITIONS });
  onTestFinished(() => log.close());
  return log;
}

/** Everything in the log, by its place. */
async function readAll(log: EventLog): Promise<Found[]> {
  const start = (assigned: Parameters<typeof beginningOf>[0][]) => Promise.resolve(assigned.map(beginningOf));
  const reader = await log.openReader({ group: 'test', topics: MESSAGE_TOPICS, start: (all) => start([...all]) });
  const ends = await log.ends(MESSAGE_TOPICS);
  const wanted = ends.reduce((sum, { offset }) => sum + Number(offset), 0);
  const found: Found[] = [];
  while (found.length < wanted) {
    for (const { topic, partition, records } of await reader.poll({
      maxRecords: 1_000,
      maxBytes: 1e7,
      maxWaitMs: 1_000,
    })) {
      const of = ({ offset, value }: LogRecord): Found => ({
        place: `${topic}/${partition}/${offset}`,
        message: codec.decode(topic, value),
      });
      found.push(...records.map(of));
    }
  }
  await reader.close();
  return found;
}

/** The thread that makes the records: the one that answers, or the log's own. */
const WAYS = [{ offload: false }, { offload: true }];

test.each(WAYS)('a message is where its receipt says, digits and all ($offload)', async ({ offload }) => {
  const folder = await temporaryFolder();
  const log = await open(folder);
  const server = await IngestServer.start({ log, offload });
  const body = '{"user_id":"jane","event":"e","properties":{"n":9007199254740993,"s":"😀","d":1,"d":2}}';

  const { status, json } = await server.post('/v1/track', body);
  await server.stop();
  await log.close();
  const [only, ...others] = await readAll(await open(folder));

  const place = readReceipt(json.receipt, PROJECT).places[0];
  expect(status).toBe(200);
  expect(others).toEqual([]);
  expect(only?.place).toBe(`${place?.topic}/${place?.partition}/${place!.offset - 1n}`);
  expect(only?.message).toMatchObject({
    messageId: json.message_id,
    properties: '{"n":9007199254740993,"s":"😀","d":2}',
  });
});

test.each(WAYS)('hundreds of requests at once are all there, once each ($offload)', async ({ offload }) => {
  const folder = await temporaryFolder();
  const log = await open(folder);
  const server = await IngestServer.start({ log, offload });
  const batch = (i: number): object => ({
    batch: Array.from({ length: 20 }, (_, k) => ({
      type: 'track',
      user_id: `u${i + k}`,
      event: 'e',
      message_id: `${i}-${k}`,
    })),
  });

  const replies = await Promise.all([
    ...Array.from({ length: 200 }, (_, i) => server.post('/v1/track', { user_id: `u${i}`, event: 'e' })),
    ...Array.from({ length: 20 }, (_, i) => server.post('/v1/batch', batch(i))),
    ...Array.from({ length: 20 }, (_, i) =>
      server.post('/legacy/project-user', { user_id: `u${i}`, anonymous: false }),
    ),
  ]);
  await server.stop();
  await log.close();

  const found = await readAll(await open(folder));
  const ids = replies.flatMap(
    ({ json }) => json.message_ids ?? (json.message_id === undefined ? [] : [json.message_id]),
  );
  const recorded = found.map(({ message }) => message.messageId);
  expect(replies.every(({ status }) => status === 200)).toBe(true);
  expect(found).toHaveLength(200 + 400 + 20);
  expect(new Set(recorded).size).toBe(found.length);
  expect(recorded).toEqual(expect.arrayContaining(ids));
});

test.each(WAYS)("a batch's receipt names the highest place of each partition ($offload)", async ({ offload }) => {
  const folder = await temporaryFolder();
  const log = await open(folder);
  const server = await IngestServer.start({ log, offload });
  const items = Array.from({ length: 100 }, (_, i) => ({ type: 'identify', user_id: `u${i}`, traits: {} }));

  const { json } = await server.post('/v1/batch', { batch: items });
  await server.stop();

  const ends = (await log.ends(['tidemark.identify'])).filter(({ offset }) => offset > 0n);
  expect(readReceipt(json.receipt, PROJECT).places).toEqual(expect.arrayContaining([...ends]));
  expect(ends.length).toBe(PARTITIONS);
});
