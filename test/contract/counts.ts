import { describe, expect, test } from 'vitest';
import type { Database } from '../../services/stores/database/database.ts';
import { beginningOf } from '../../services/event-log/identity.ts';
import type { AppliedCount, ReaderStep } from '../../services/stores/profiles/profile-store.ts';
import { SqlProfileStore } from '../../services/stores/profiles/sql-profile-store.ts';
import { SqlSinkPlans } from '../../services/stores/profiles/sql-sink-plans.ts';
import { randomIdentity, randomProjectId, randomTopic } from '../support/messages/random-project.ts';

/** What the readers leave behind to be held against the log, on a migrated database that other tests may share. */
export function testCounts(name: string, openDatabase: () => Database): void {
  describe(`what the projector counts in ${name}`, () => {
    test('the counts of the projector add up, from a known offset on', async () => {
      const { write, counts, at } = counted(openDatabase());

      const first = await write(at, 5n, [
        { hour: 7, messages: 4, repeats: 1 },
        { hour: 8, messages: 1, repeats: 0 },
      ]);
      await write(first, 9n, [{ hour: 7, messages: 2, repeats: 2 }]);

      expect(await counts()).toEqual([
        { hour: 7, messages: 6n, repeats: 3n, counted_from: 0n },
        { hour: 8, messages: 1n, repeats: 0n, counted_from: 0n },
      ]);
    });

    test('message counts are written together with the positions or not at all', async () => {
      const { write, counts, at } = counted(openDatabase());
      await write(at, 5n, [{ hour: 7, messages: 5, repeats: 0 }]);

      const again = write(at, 5n, [{ hour: 7, messages: 5, repeats: 0 }]);

      await expect(again).rejects.toMatchObject({ code: 'POSITION_MOVED' });
      expect(await counts()).toMatchObject([{ messages: 5n }]);
    });

    test('message counts are complete from the next step on where a partition was read before counts existed', async () => {
      const { write, counts, at } = counted(openDatabase());
      const before = await write(at, 5n, []);
      await openDatabase().query('update reader_positions set counted_from = null where topic = $1', [at.topic]);

      await write(before, 9n, [{ hour: 7, messages: 4, repeats: 0 }]);

      expect(await counts()).toMatchObject([{ messages: 4n, counted_from: 5n }]);
    });
  });

  describe(`the plans in ${name}, as to from where analytics has every row`, () => {
    test('that is the beginning of a new partition, also after a rewind', async () => {
      const { plans, at, rowsFrom } = planned(openDatabase());
      const first = stepTo(beginningOf(at), 5n);
      await plans.fix([first], []);
      await plans.finish([first.to]);

      await plans.rewind(first.to, { ...first.to, offset: 3n }, 0n);

      expect(await rowsFrom()).toBe(0n);
    });

    test('that is the next plan where there was one before it was known, and where it is rewound to', async () => {
      const { plans, at, rowsFrom } = planned(openDatabase());
      const first = stepTo(beginningOf(at), 5n);
      const second = stepTo(first.to, 8n);
      await plans.fix([first], []);
      await openDatabase().query('update sink_plans set rows_from = null where topic = $1', [at.topic]);
      await plans.finish([first.to]);
      expect(await rowsFrom()).toBeNull();

      await plans.fix([second], []);
      await plans.finish([second.to]);
      expect(await rowsFrom()).toBe(5n);

      await plans.rewind(second.to, { ...first.to, offset: 2n }, 0n);
      expect(await rowsFrom()).toBe(2n);
    });
  });
}

function counted(database: Database) {
  const store = new SqlProfileStore(database);
  const at = beginningOf({ topic: randomTopic(), partition: 0 });
  const projectId = randomProjectId();
  const write = async (
    from: ReaderStep['from'],
    to: bigint,
    counts: readonly Pick<AppliedCount, 'hour' | 'messages' | 'repeats'>[],
  ) => {
    const step = stepTo(from, to);
    await store.write(
      [step],
      [],
      () => [],
      () => counts.map((count) => ({ topic: at.topic, partition: 0, projectId, ...count })),
    );
    return step.to;
  };
  const sql = `select hour, messages, repeats, counted_from
               from applied_counts join reader_positions using (topic, partition)
               where topic = $1 and project_id = $2 order by hour`;
  return { at, write, counts: () => database.query(sql, [at.topic, projectId]) };
}

function planned(database: Database) {
  const at = { topic: randomTopic(), partition: 0 };
  const sql = 'select rows_from from sink_plans where topic = $1';
  const rowsFrom = async () => (await database.query<{ rows_from: bigint | null }>(sql, [at.topic]))[0]?.rows_from;
  return { plans: new SqlSinkPlans(database), at, rowsFrom };
}

function stepTo(from: ReaderStep['from'], offset: bigint): ReaderStep {
  return { from, to: { ...from, offset, identity: randomIdentity() } };
}
