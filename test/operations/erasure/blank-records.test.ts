import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openEventLog } from '../../../services/event-log/open.ts';
import {
  DEAD_LETTER_TOPIC,
  type Message,
  MESSAGE_TOPICS,
  SNAPSHOT_TOPIC,
  topicOf,
  TOPICS,
} from '../../../services/messages/message.ts';
import { partitionKeyOf, userKeyOf } from '../../../services/messages/user-key.ts';
import { blankRecords, type BlankParts } from '../../../services/operations/erasure/blank-records.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { ALL_TIME, userName } from '../../../services/stores/erasures/erased-users.ts';
import { codec, identify, recordOf, TODAY, track } from '../../support/messages/messages.ts';
import { SNAPSHOT, SNAPSHOT_END } from '../../support/messages/sample-messages.ts';
import { searchFiles } from '../../support/search-files.ts';
import { openNewDatabase } from '../../support/stores/new-stores.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PROJECT = 'proj_a';
const SILENT = { report: () => undefined, signal: new AbortController().signal };
const WANTED = { id: 'ada@example.com', value: 'a-marked-value', key: userKeyOf(PROJECT, 'ada@example.com') };

function nameOf(userId: string): string {
  return userName(PROJECT, userKeyOf(PROJECT, userId));
}

async function scene() {
  const folder = join(await temporaryFolder(), 'log');
  const log = await openEventLog(`log:${folder}`, { topics: TOPICS, partitions: 2 });
  const database = await openNewDatabase();
  await migrateDatabase(database);
  onTestFinished(async () => {
    await log.close();
    await database.close();
  });
  const append = async (messages: readonly Message[]) => {
    return log.append(messages.map((message) => ({ topic: topicOf(message), ...recordOf(message) })));
  };
  const parts = { log, codec, database } as BlankParts;
  const offsets = async (): Promise<readonly string[]> => {
    const ranges = (await log.ends(TOPICS)).map(({ offset, ...at }) => ({ ...at, from: 0n, to: offset }));
    const found: string[] = [];
    for await (const { topic, partition, records } of log.scan(ranges))
      found.push(...records.map(({ offset }) => `${topic}/${partition}@${offset}`));
    return found.toSorted();
  };
  const listed = async () => {
    const sql = 'select topic, partition, log_offset as "offset", project_id, hour from blanked order by 1, 2, 3';
    return database.query<{ topic: string; partition: number; offset: bigint; project_id: string; hour: number }>(sql);
  };
  return { folder, log, database, append, parts, offsets, listed };
}

/** Messages of one project. Every third is of Ada, with her marked value. */
function traffic(count: number): readonly Message[] {
  return Array.from({ length: count }, (_, index): Message => {
    const who = { projectId: PROJECT, userId: index % 3 === 0 ? WANTED.id : `u${index}@example.com` };
    if (index % 2 === 0) return track({ ...who, properties: `{"note":"${index % 3 === 0 ? WANTED.value : 'other'}"}` });
    return identify({ ...who, traits: `{"email":"${who.userId}"}` });
  });
}

test('every record of a person is blank, dead letters too, and nothing of them is in a file of the log', async () => {
  const { folder, log, append, parts, offsets, listed } = await scene();
  await append(traffic(60));
  const [letter] = traffic(1);
  const value = codec.encodeDeadLetter({
    topic: topicOf(letter!),
    partition: 0,
    offset: 0n,
    key: partitionKeyOf(letter!),
    value: codec.encode(letter!),
    error: 'no',
    failedAt: TODAY,
    reader: 'sink',
  });
  await log.append([{ topic: DEAD_LETTER_TOPIC, key: partitionKeyOf(letter!), value }]);
  const before = await offsets();
  expect((await searchFiles(folder, WANTED)).length).toBeGreaterThan(0);

  const blanked = await blankRecords(parts, new Map([[nameOf(WANTED.id), ALL_TIME]]), SILENT);

  expect(Object.fromEntries(blanked)).toEqual({
    [nameOf(WANTED.id)]: { 'tidemark.track': 10, 'tidemark.identify': 10, [DEAD_LETTER_TOPIC]: 1 },
  });
  expect(await searchFiles(folder, WANTED)).toEqual([]);
  const rows = await listed();
  expect(rows).toHaveLength(21);
  expect(new Set(rows.map(({ project_id: project }) => project))).toEqual(new Set([PROJECT]));
  const gone = rows.map(({ topic, partition, offset }) => `${topic}/${partition}@${offset}`);
  expect([...(await offsets()), ...gone].toSorted()).toEqual(before);
});

test('messages that were received after the cut stay', async () => {
  const { append, parts, offsets } = await scene();
  const at = (receivedAt: bigint) => track({ projectId: PROJECT, userId: WANTED.id, receivedAt });
  await append([at(TODAY), at(TODAY + 1n), at(TODAY + 2n)]);

  const blanked = await blankRecords(parts, new Map([[nameOf(WANTED.id), TODAY + 1n]]), SILENT);

  expect(blanked.get(nameOf(WANTED.id))).toEqual({ 'tidemark.track': 2 });
  expect(await offsets()).toHaveLength(1);
});

test('snapshots of a person that were read before the cut are blank, and later ones and those of others stay', async () => {
  const { folder, log, parts, offsets } = await scene();
  const snapshotOf = (userId: string, value: string, readAt: bigint) => {
    const [userKey, traits] = [userKeyOf(PROJECT, userId), [{ ...SNAPSHOT.traits[0]!, value: JSON.stringify(value) }]];
    const user = { ...SNAPSHOT, projectId: PROJECT, userKey, userId, traits, readAt };
    return { topic: SNAPSHOT_TOPIC, key: partitionKeyOf(user), value: codec.encodeSnapshot(user) };
  };
  await log.append([
    snapshotOf(WANTED.id, WANTED.value, TODAY),
    snapshotOf('ben', 'of-ben', TODAY),
    { topic: SNAPSHOT_TOPIC, key: Buffer.from('end/0'), value: codec.encodeSnapshot(SNAPSHOT_END) },
  ]);

  const blanked = await blankRecords(parts, new Map([[nameOf(WANTED.id), TODAY]]), SILENT);

  expect(Object.fromEntries(blanked)).toEqual({ [nameOf(WANTED.id)]: { [SNAPSHOT_TOPIC]: 1 } });
  expect(await searchFiles(folder, WANTED)).toEqual([]);
  expect(await searchFiles(folder, { value: 'of-ben' })).not.toEqual([]);
  await log.append([snapshotOf(WANTED.id, 'later', TODAY + 1n)]);
  await blankRecords(parts, new Map([[nameOf(WANTED.id), TODAY]]), SILENT);
  expect(await offsets()).toHaveLength(3);
});

test('a record that cannot be decoded is judged by when the log stored it', async () => {
  const { log, parts } = await scene();
  await log.append([{ topic: MESSAGE_TOPICS[0], key: Buffer.from(nameOf(WANTED.id)), value: Buffer.from('no avro') }]);
  const cut = (ms: number) => new Map([[nameOf(WANTED.id), BigInt(ms) * 1000n]]);

  expect((await blankRecords(parts, cut(Date.now() - 3_600_000), SILENT)).size).toBe(0);
  expect((await blankRecords(parts, cut(Date.now() + 3_600_000), SILENT)).size).toBe(1);
});

test('a run that ends before or after any call to the log is completed by the next, and no blank record is unlisted', async () => {
  const { folder, append, parts, offsets, listed } = await scene();
  await append(traffic(2_000));
  const before = (await offsets()).length;
  const erased = new Map([[nameOf(WANTED.id), ALL_TIME]]);
  for (const [call, isDone] of [
    [1, false],
    [1, true],
    [2, false],
  ] as const) {
    await expect(blankRecords(dyingAt(parts, call, isDone), erased, SILENT)).rejects.toThrow('killed');
    expect(before - (await offsets()).length).toBeLessThanOrEqual((await listed()).length);
  }

  await blankRecords(parts, erased, SILENT);

  expect(before - (await offsets()).length).toBe(667);
  expect(await listed()).toHaveLength(667);
  expect(await searchFiles(folder, WANTED)).toEqual([]);
  expect((await blankRecords(parts, erased, SILENT)).size).toBe(0);
});

/** Dies at a call of `erase`, before or after it was done. */
function dyingAt(parts: BlankParts, call: number, isDone: boolean): BlankParts {
  let calls = 0;
  const { log } = parts;
  const erase: BlankParts['log']['erase'] = async (places) => {
    const dies = ++calls === call;
    if (!dies || isDone) await log.erase(places);
    if (dies) throw new Error('killed');
    return places.length;
  };
  const { scan, beginnings, ends } = log;
  const bound = { scan: scan.bind(log), beginnings: beginnings.bind(log), ends: ends.bind(log), erase };
  return { ...parts, log: bound };
}
