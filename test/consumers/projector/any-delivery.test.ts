import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import type { LogRecord, PartitionRecords, Position } from '../../../services/event-log/event-log.ts';
import { beginningOf, positionAfter } from '../../../services/event-log/identity.ts';
import { MAX_TRAITS, topicOf, type Message } from '../../../services/messages/message.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { changeOf, fold } from '../../../services/consumers/projector/fold.ts';
import { decodeBatch } from '../../../services/consumers/decode-batch.ts';
import { serverUrl } from '../../servers/server.ts';
import { sharedDatabase, sharedPostgres } from '../../support/stores/database.ts';
import { codec, recordOf } from '../../support/messages/messages.ts';
import { randomProjectId, randomTopic } from '../../support/messages/random-project.ts';
import { type Bounded, drawnMessage, messageOf, naiveProfileOf, profileOf } from './drawn-history.ts';

/** What happens to one batch: how much of each partition it takes, and whether its writing fails or comes twice. */
const drawnBatch = fc.record({ takes: fc.array(fc.nat(3), { minLength: 6, maxLength: 6 }), fate: fc.nat(3) });

const server = await serverUrl('postgres');

describe('on PGlite', () => {
  const database = sharedDatabase();
  testAnyDelivery(database, 120);
  testAnyDelivery(database, 120, 2);
});

describe.skipIf(server === undefined)('on Postgres', () => {
  const database = sharedPostgres(server);
  testAnyDelivery(database, 40);
  testAnyDelivery(database, 40, 2);
});

function testAnyDelivery(open: () => Database, numRuns: number, maxTraits = MAX_TRAITS): void {
  const database = (): Bounded => ({ database: open(), maxTraits });

  test(`a history yields one profile of ${maxTraits} traits at most, however it is delivered`, async () => {
    const history = fc.array(drawnMessage, { maxLength: 25 });
    const delivery = fc.array(drawnBatch, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(history, delivery, async (drawn, batches) => {
        const projectId = randomProjectId();
        const messages = drawn.map((one, index) => messageOf(projectId, one, index));

        await deliver(database(), partitionsOf(messages), batches);

        for (const user of ['user-0', 'user-1', 'user-2']) {
          const mine = messages.filter(({ userId }) => userId === user);
          expect(await profileOf(database(), mine)).toEqual(await naiveProfileOf(database(), mine));
        }
      }),
      { numRuns },
    );
  });
}

/** Six partitions: two of each type. A user's messages of a type are in one, in the order of the history. */
function partitionsOf(messages: readonly Message[]): readonly { at: Position; records: LogRecord[] }[] {
  const run = randomTopic();
  const partitions = new Map<string, { at: Position; records: LogRecord[] }>();
  for (const message of messages) {
    const partition = { topic: topicOf(message), partition: message.userId === 'user-1' ? 1 : 0 };
    const name = `${partition.topic}/${partition.partition}`;
    // Positions are remembered by topic: each run has its own.
    const held = partitions.get(name) ?? {
      at: beginningOf({ ...partition, topic: `${run}.${partition.topic}` }),
      records: [],
    };
    partitions.set(name, held);
    held.records.push({ offset: BigInt(held.records.length), appendedAtMs: 0, ...recordOf(message) });
  }
  return [...partitions.values()];
}

async function deliver(
  database: Bounded,
  partitions: readonly { at: Position; records: LogRecord[] }[],
  batches: readonly { takes: number[]; fate: number }[],
): Promise<void> {
  const stand = partitions.map(({ at }) => at);
  const everything = { takes: partitions.map(() => Infinity), fate: 0 };
  for (const { takes, fate } of [...batches, everything]) {
    const taken = partitions.map(({ records }, index) => {
      const from = Number(stand[index]!.offset);
      return records.slice(from, from + takes[index]!);
    });
    const steps = stand.map((from, index) => {
      const last = taken[index]!.at(-1);
      return { from, to: last ? positionAfter(from, last) : from };
    });
    const moving = steps.filter(({ from, to }) => to.offset > from.offset);
    const records = stand
      .map((at, index) => ({ ...at, records: taken[index]! }))
      .filter((part) => part.records.length > 0);
    if (fate === 1) await expect(write(database, records, moving, true)).rejects.toThrow('crash');
    await write(database, records, moving, false);
    if (fate === 2 && moving.length > 0) {
      await expect(write(database, records, moving, false)).rejects.toMatchObject({ code: 'POSITION_MOVED' });
    }
    for (const [index, { to }] of steps.entries()) stand[index] = to;
  }
}

async function write(
  { database, maxTraits }: Bounded,
  batch: readonly PartitionRecords[],
  steps: Parameters<SqlProfileStore['write']>[0],
  crash: boolean,
) {
  const named = batch.map((part) => ({ ...part, topic: `tidemark.${part.topic.split('.tidemark.')[1]}` }));
  const { decoded } = await decodeBatch(codec, named, changeOf);
  const claims = decoded.flatMap(({ claim }) => claim ?? []);
  await new SqlProfileStore(database, 1, { maxTraits }).write(steps, claims, (counts) => {
    if (crash) throw new Error('crash');
    const results = [...counts];
    const counting = decoded.filter(({ claim }) => !claim || results.shift()).map(({ content }) => content);
    return fold(counting, { maxTraits });
  });
}
