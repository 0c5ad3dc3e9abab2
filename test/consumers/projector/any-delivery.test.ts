import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import type { LogRecord, PartitionRecords, Position } from '../../../services/event-log/event-log.ts';
import { beginningOf, positionAfter } from '../../../services/event-log/identity.ts';
import { MAX_TRAITS } from '../../../services/messages/max-traits.ts';
import { topicOf, type Message } from '../../../services/messages/message.ts';
import { versionOf } from '../../../services/messages/version.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { changeOf, fold } from '../../../services/consumers/projector/fold.ts';
import { decodeBatch } from '../../../services/consumers/decode-batch.ts';
import { serverUrl } from '../../servers/server.ts';
import { sharedDatabase, sharedPostgres } from '../../support/database.ts';
import { codec, identify, recordOf, session, TODAY, track } from '../../support/messages.ts';
import { randomProjectId, randomTopic } from '../../support/random-project.ts';

const VALUES = [
  'null',
  '1',
  '9007199254740993',
  '0.1000000000000000055',
  '"x"',
  '[null, {"a": null}]',
  '{"a": {"b": null}}',
  'false',
];

// The last two sort otherwise by UTF-16 than by bytes.
const NAMES = ['a', 'b', 'c', '__proto__', '\uff5e', '\u{1f600}'];

/** What varies of a message: few users, ids, times and traits, so that everything meets everything. */
const drawnMessage = fc.record({
  type: fc.constantFrom('identify', 'identify', 'track', 'session'),
  user: fc.nat(2),
  givenId: fc.option(fc.constantFrom('m1', 'm2', 'm3')),
  // Some lie after their arrival: in the future.
  time: fc.integer({ min: -5, max: 8 }),
  arrival: fc.nat(4),
  anonymous: fc.boolean(),
  anonymousId: fc.option(fc.constantFrom(...NAMES)),
  traits: fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom(...VALUES)),
});

type DrawnMessage = typeof drawnMessage extends fc.Arbitrary<infer T> ? T : never;

/** What happens to one batch: how much of each partition it takes, and whether its writing fails or comes twice. */
const drawnBatch = fc.record({ takes: fc.array(fc.nat(3), { minLength: 6, maxLength: 6 }), fate: fc.nat(3) });

interface Bounded {
  readonly database: Database;
  /** How many traits a profile keeps. */
  readonly maxTraits: number;
}

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

function messageOf(projectId: string, drawn: DrawnMessage, index: number) {
  const timestamp = TODAY + BigInt(drawn.time);
  const receivedAt = TODAY + BigInt(drawn.arrival);
  const traits = `{${Object.entries(drawn.traits)
    .map(([key, value]) => `"${key}":${value}`)
    .join()}}`;
  const said = {
    projectId,
    userId: `user-${drawn.user}`,
    anonymousId: drawn.anonymousId,
    timestamp,
    receivedAt,
    version: versionOf(timestamp, receivedAt, index),
    messageId: drawn.givenId ?? `own-${index}`,
    messageIdGiven: drawn.givenId !== null,
  };
  if (drawn.type === 'track') return track(said);
  return drawn.type === 'session'
    ? session({ ...said, traits, anonymous: drawn.anonymous })
    : identify({ ...said, traits });
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

async function profileOf({ database }: Bounded, [any]: readonly Message[]) {
  return any && new SqlProfileStore(database).find(any.projectId, any.userKey);
}

/** The model: the first of each given id by type, oldest version first, one assignment after another. */
async function naiveProfileOf({ database, maxTraits }: Bounded, messages: readonly Message[]) {
  const [any] = messages;
  if (!any) return undefined;
  const counting = messages.filter((message, index) => {
    const isSame = (other: Message) => other.type === message.type && other.messageId === message.messageId;
    return message.type === 'track' || messages.findIndex(isSame) === index;
  });
  let anonymous: boolean | null = null;
  const said = new Map<string, { readonly json: string; readonly version: string }>();
  for (const message of counting.toSorted((a, b) => (a.version < b.version ? -1 : 1))) {
    if (message.type === 'session') anonymous = message.anonymous;
    if (message.type === 'track') continue;
    for (const [key, json] of membersOf(message.traits)) {
      said.set(key, { json, version: message.version });
    }
  }
  const newest = [...said]
    .sort(([a, x], [b, y]) =>
      x.version === y.version ? Buffer.from(a).compare(Buffer.from(b)) : x.version < y.version ? 1 : -1,
    )
    .slice(0, maxTraits);
  const traits = newest.flatMap(([key, { json }]) => (json === 'null' ? [] : [`"${key}":${json}`]));
  const times = counting.map(({ timestamp }) => timestamp).toSorted((a, b) => Number(a - b));
  return {
    projectId: any.projectId,
    userKey: any.userKey,
    userId: any.userId,
    anonymous,
    anonymousIds: idsSeen(counting),
    traits: await asStored(database, `{${traits.join()}}`),
    firstSeen: times[0],
    lastSeen: times.at(-1),
  };
}

function idsSeen(messages: readonly Message[]): readonly string[] {
  const last = new Map<string, number>();
  for (const { anonymousId, timestamp } of messages) {
    if (anonymousId !== null) last.set(anonymousId, Math.max(Number(timestamp), last.get(anonymousId) ?? 0));
  }
  return [...last].sort(([a, x], [b, y]) => y - x || Buffer.from(a).compare(Buffer.from(b))).map(([id]) => id);
}

/** Of the objects that `messageOf` writes alone: none of its values holds `,"` followed by a key of its own. */
function membersOf(traits: string): readonly (readonly [string, string])[] {
  const body = traits.slice(1, -1);
  if (body === '') return [];
  return body.split(/,(?="(?:a|b|c|__proto__|\uff5e|\u{1f600})":)/u).map((member) => {
    const [, key = '', json = ''] = /^"([^"]*)":(.*)$/.exec(member) ?? [];
    return [key, json];
  });
}

async function asStored(database: Database, json: string): Promise<string> {
  const [row] = await database.query<{ json: string }>('select $1::text::jsonb::text as json', [json]);
  return row?.json ?? '';
}
