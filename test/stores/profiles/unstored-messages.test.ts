import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { SettledDeadLetters } from '../../../services/operations/dead-letters/settled-dead-letters.ts';
import type { Database, SqlValue } from '../../../services/stores/database/database.ts';
import {
  noteUnstored,
  SqlDeadLetterHistory,
  unstoredMessages,
} from '../../../services/stores/profiles/unstored-messages.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';

const TOPIC = 'tidemark.track';
const FIRST = { projector: 1, sink: 1 };

function at(offset: bigint, partition = 0) {
  return { topic: TOPIC, partition, offset };
}

/** Records of one partition, from the first of these offsets to the last. */
function batchOf(first: bigint, last: bigint, partition = 0) {
  const record = (offset: bigint) => ({ offset, appendedAtMs: 0, key: new Uint8Array(), value: new Uint8Array() });
  return [{ topic: TOPIC, partition, records: [record(first), record(last)] }];
}

describe.each(DATABASES)('messages that are not stored, on $name', ({ share }) => {
  const database = share();
  beforeEach(() =>
    database().script(
      'delete from dead_letters; delete from settled_dead_letters; delete from reader_positions; delete from sink_plans',
    ),
  );

  /** The database, and how often it was asked. */
  function counted(): { readonly database: Database; readonly asked: string[] } {
    const asked: string[] = [];
    const query = (sql: string, values?: readonly SqlValue[]) => {
      asked.push(sql);
      return database().query(sql, values);
    };
    return { asked, database: { query } as Database };
  }

  test('a reader asks for settled dead letters once in two seconds, and of a batch only where some were settled', async () => {
    // No second passes.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { asked, database: counting } = counted();
    const history = new SqlDeadLetterHistory(counting, 'profiles', 1);
    for (let n = 0n; n < 5n; n++) expect(await history.settledIn(batchOf(n, n + 9n))).toBeUndefined();
    expect(asked).toHaveLength(1);

    await noteUnstored(database(), 'projector', 1, [at(50n), at(60n)]);
    await new SettledDeadLetters(database()).noteDropped([at(50n), at(60n)]);
    await history.begin();
    asked.length = 0;

    expect(await history.settledIn(batchOf(0n, 49n))).toBeUndefined();
    expect(await history.settledIn(batchOf(61n, 99n))).toBeUndefined();
    expect(await history.settledIn(batchOf(50n, 60n, 1))).toBeUndefined();
    expect(asked).toHaveLength(1);
    expect(await history.settledIn(batchOf(40n, 55n))).toEqual(new Map([[`${TOPIC}/0`, new Set([50n])]]));
    expect(asked).toHaveLength(2);
  });

  test('a decision holds for readers of the name that had a dead letter of the message, in every generation', async () => {
    await noteUnstored(database(), 'sink', 3, [at(7n)]);
    await noteUnstored(database(), 'sink', 4, [at(7n), at(8n)]);
    await new SettledDeadLetters(database()).noteDropped([at(7n), at(8n)]);
    const settledIn = (kind: 'profiles' | 'analytics', generation: number) =>
      new SqlDeadLetterHistory(database(), kind, generation).settledIn(batchOf(0n, 9n));

    expect(await settledIn('analytics', 1)).toEqual(new Map([[`${TOPIC}/0`, new Set([7n, 8n])]]));
    expect(await settledIn('profiles', 1)).toBeUndefined();
  });

  test('what lies at the position of a generation or after it counts as not read, and stays known as a dead letter', async () => {
    await database().query(
      `insert into reader_positions (topic, partition, counted_from, next_offset, identity) values ($1, 0, 0, 5, 'x')`,
      [TOPIC],
    );
    await noteUnstored(database(), 'projector', 1, [at(4n), at(5n), at(2n, 1)]);
    await noteUnstored(database(), 'projector', 2, [at(9n)]);
    const history = new SqlDeadLetterHistory(database(), 'profiles', 1);

    await history.begin();

    expect(await unstoredMessages(database(), FIRST)).toEqual([{ reader: 'projector', ...at(4n) }]);
    expect(await unstoredMessages(database(), { projector: 2, sink: 2 })).toHaveLength(1);
    expect(await history.knownAmong([at(4n), at(5n), at(6n)])).toEqual(new Map([[`${TOPIC}/0`, new Set([4n, 5n])]]));
    await noteUnstored(database(), 'projector', 1, [at(5n)]);
    expect(await unstoredMessages(database(), FIRST)).toHaveLength(2);
  });

  test('the same holds for a sink, whose position is the end of its last plan, or its beginning where that is not inserted', async () => {
    await database().query(
      `insert into sink_plans (topic, partition, from_offset, from_identity, to_offset, to_identity, inserted)
       values ($1, 0, 3, 'x', 6, 'y', true), ($1, 1, 3, 'x', 6, 'y', false)`,
      [TOPIC],
    );
    await noteUnstored(database(), 'sink', 1, [at(2n), at(5n), at(6n), at(2n, 1), at(3n, 1)]);

    await new SqlDeadLetterHistory(database(), 'analytics', 1).begin();

    const left = (await unstoredMessages(database(), FIRST)).map(({ partition, offset }) => `${partition}/${offset}`);
    expect(left.toSorted()).toEqual(['0/2', '0/5', '1/2']);
  });
});
