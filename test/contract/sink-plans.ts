import { describe, expect, test } from 'vitest';
import type { Database } from '../../services/stores/database/database.ts';
import type { Position } from '../../services/event-log/event-log.ts';
import { beginningOf } from '../../services/event-log/identity.ts';
import type { Claim } from '../../services/stores/profiles/profile-store.ts';
import { progressOf } from '../../services/stores/profiles/progress-of.ts';
import { SqlProfileStore } from '../../services/stores/profiles/sql-profile-store.ts';
import { SqlSinkPlans } from '../../services/stores/profiles/sql-sink-plans.ts';
import { randomIdentity, randomProjectId, randomTopic, randomUserKey } from '../support/messages/random-project.ts';

/** What the plans of the sink must do, on a migrated database that other tests may share. */
export function testSinkPlans(name: string, openDatabase: () => Database, generation = 1): void {
  describe(`SqlSinkPlans of generation ${generation} on ${name}`, () => {
    test('a partition that was never planned has no plan', async () => {
      expect(await new SqlSinkPlans(openDatabase(), generation).last([partition()])).toEqual([]);
    });

    test('a fixed plan is the last one until it is inserted', async () => {
      const { plans, at, first, second } = planned(openDatabase(), generation);
      await plans.fix([first], []);

      expect(await plans.last([at])).toEqual([{ ...first, inserted: false }]);
      await expect(plans.fix([second], [])).rejects.toMatchObject({ code: 'POSITION_MOVED' });
      await plans.finish([first.to]);
      await plans.finish([first.to]);
      expect(await plans.last([at])).toEqual([{ ...first, inserted: true }]);
      await plans.fix([second], []);
      expect(await plans.last([at])).toEqual([{ ...second, inserted: false }]);
    });

    test('a step from elsewhere than the end of the last plan is refused, with all that came with it', async () => {
      const { plans, at, first } = planned(openDatabase(), generation);
      const other = planned(openDatabase(), generation);
      await plans.fix([first], []);
      await plans.finish([first.to]);
      const astray = { from: { ...first.to, identity: randomIdentity() }, to: position(at, 9n) };
      const claim = someClaim();

      await expect(plans.fix([other.first, astray], [claim])).rejects.toMatchObject({ code: 'POSITION_MOVED' });
      await expect(plans.fix([first], [])).rejects.toMatchObject({ code: 'POSITION_MOVED' });

      expect(await plans.last([at, other.at])).toEqual([{ ...first, inserted: true }]);
      expect(await plans.claim([{ ...claim, offset: 99n }])).toEqual([true]);
    });

    test('a partition without a plan begins at its beginning only', async () => {
      const { plans, second } = planned(openDatabase(), generation);

      await expect(plans.fix([second], [])).rejects.toMatchObject({ code: 'POSITION_MOVED' });
    });

    test('only the plan that ends there can be finished', async () => {
      const { plans, first, second } = planned(openDatabase(), generation);
      await plans.fix([first], []);

      await expect(plans.finish([second.to])).rejects.toMatchObject({ code: 'POSITION_MOVED' });
    });

    test('fixing a plan says which claims count, and claiming again says the same', async () => {
      const { plans, first, second } = planned(openDatabase(), generation);
      const claim = someClaim();
      const claims = [claim, { ...claim, offset: claim.offset + 1n }];

      expect(await plans.fix([first], claims)).toEqual([true, false]);
      expect(await plans.claim(claims)).toEqual([true, false]);
      await plans.finish([first.to]);
      expect(await plans.fix([second], [{ ...claim, offset: 50n }])).toEqual([false]);
    });

    test("the projector's claims are not the sink's", async () => {
      const claim = someClaim();
      await new SqlProfileStore(openDatabase(), generation).write([], [claim], () => []);

      expect(await new SqlSinkPlans(openDatabase(), generation).claim([{ ...claim, offset: 99n }])).toEqual([true]);
    });

    test('a rewound partition goes on from where it was put', async () => {
      const { plans, at, first, second } = planned(openDatabase(), generation);
      await plans.fix([first], []);
      await plans.finish([first.to]);

      await plans.rewind(first.to, beginningOf(at), 0n);

      expect(await plans.last([at])).toEqual([{ from: beginningOf(at), to: beginningOf(at), inserted: true }]);
      await expect(plans.fix([second], [])).rejects.toMatchObject({ code: 'POSITION_MOVED' });
      await plans.fix([first], []);
    });

    test('a partition that does not stand there is not rewound', async () => {
      const { plans, at, first } = planned(openDatabase(), generation);
      await plans.fix([first], []);

      await expect(plans.rewind(first.to, beginningOf(at), 0n)).rejects.toMatchObject({ code: 'POSITION_MOVED' });
    });

    test('a claim that is taken back counts at another place, and one that does not count stays', async () => {
      const { plans, first } = planned(openDatabase(), generation);
      const [kept, refused] = [someClaim(), someClaim()];
      await plans.fix([first], [kept, refused]);
      const copyOf = (claim: Claim): Claim => ({ ...claim, offset: 9n });

      for (const _ of ['once', 'again after a crash']) await plans.release([refused, copyOf(kept)]);

      expect(await plans.claim([kept, copyOf(kept)])).toEqual([true, false]);
      expect(await plans.claim([copyOf(refused), refused])).toEqual([true, false]);
    });

    test('progress: the sink has come to the end of what is inserted', async () => {
      const { plans, first, second } = planned(openDatabase(), generation);
      const progress = () => progressOf(openDatabase(), 'analytics', generation);
      await plans.fix([first], []);
      expect(await progress()).toContainEqual(first.from);

      await plans.finish([first.to]);

      expect(await progress()).toContainEqual(first.to);
      await plans.fix([second], []);
      expect(await progress()).toContainEqual(first.to);
    });

    test('progress: the projector has come to where its profiles are', async () => {
      const to = position(partition(), 5n);
      await new SqlProfileStore(openDatabase(), generation).write([{ from: beginningOf(to), to }], [], () => []);

      expect(await progressOf(openDatabase(), 'profiles', generation)).toContainEqual(to);
    });
  });
}

function planned(database: Database, generation: number) {
  const at = partition();
  const first = { from: beginningOf(at), to: position(at, 5n) };
  return { plans: new SqlSinkPlans(database, generation), at, first, second: { from: first.to, to: position(at, 8n) } };
}

function partition() {
  return { topic: randomTopic(), partition: 3 };
}

function position({ topic, partition }: { topic: string; partition: number }, offset: bigint): Position {
  return { topic, partition, offset, identity: randomIdentity() };
}

function someClaim(): Claim {
  const who = { projectId: randomProjectId(), userKey: randomUserKey(), messageId: 'm1' };
  return { topic: 'tidemark.session', partition: 0, offset: 1n, appendedAtMs: 0, ...who };
}
