import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeOf } from '../../services/consumers/projector/fold.ts';
import { beginningOf, positionAfter } from '../../services/event-log/identity.ts';
import { compareProfiles } from '../../services/operations/replay/compare-profiles.ts';
import { makeTables } from '../../services/operations/replay/replay.ts';
import { checkProfiles } from '../../services/operations/verify/profile-check.ts';
import { MESSAGE_TOPICS } from '../../services/messages/message.ts';
import type { AnalyticsStore } from '../../services/stores/analytics/analytics-store.ts';
import { SchemaDatabase } from '../../services/stores/database/schema-database.ts';
import { FIRST_GENERATION, schemaOf } from '../../services/stores/generations/generation.ts';
import { SqlGenerations } from '../../services/stores/generations/sql-generations.ts';
import { checkedRangesOf, progressOf } from '../../services/stores/profiles/progress-of.ts';
import { SqlProfileStore } from '../../services/stores/profiles/sql-profile-store.ts';
import { sharedDatabase } from '../support/stores/database.ts';
import { MemoryLog } from '../support/event-log/memory-log.ts';
import { codec, recordOf, track } from '../support/messages/messages.ts';
import { randomProjectId } from '../support/messages/random-project.ts';

const PARTITION = { topic: 'tidemark.track', partition: 0 };
const signal = new AbortController().signal;

describe('profiles that are ahead of the position', () => {
  const database = sharedDatabase();

  beforeAll(async () => {
    const made = { kind: 'profiles', projectId: null, rateLimit: null } as const;
    await makeTables(database(), await new SqlGenerations(database()).make(made));
  });
  beforeEach(() => database().script('delete from reader_positions; delete from profiles_g2.reader_positions'));

  test('a check against the log leaves users of later messages undecided, written or not, and the others not', async () => {
    const { log, projectId, projector, messages } = await scene();
    await projector.write();
    await projector.runAhead();
    const profiles = new SchemaDatabase(database(), schemaOf('profiles', FIRST_GENERATION));
    const parts = { log, codec, profiles, deadLettered: { has: () => false }, repeatWindowMs: 60_000, projectId };
    const check = () => checkProfiles(parts);

    expect(await check()).toEqual({ users: 3, undecided: 2, different: { count: 0, first: [] } });

    await database().query('delete from users where user_key = $1', [messages[0]!.userKey]);
    expect((await check()).different.count).toBe(1);
  });

  test('a comparison of generations leaves those users undecided', async () => {
    const { log, projectId, projector } = await scene();
    for (const generation of [1, 2]) await projector.write(generation);
    await projector.runAhead(2);
    const parts = {
      log,
      codec,
      database: database(),
      analytics: {} as AnalyticsStore,
      signal,
      onStep: () => undefined,
    };

    const compared = await compareProfiles(parts, { live: 1, fresh: 2, projectId, except: [] });

    expect(compared).toMatchObject({ equal: 1, undecided: 1, missing: 0, extra: 0, different: 0 });
  });

  test('a generation counts as being where its profiles may be, not where its position is', async () => {
    const { projector } = await scene();
    await projector.write();
    await projector.runAhead();

    expect(await progressOf(database(), 'profiles', FIRST_GENERATION)).toMatchObject([{ offset: 1n }]);
    expect(await checkedRangesOf(database(), 'profiles', FIRST_GENERATION)).toMatchObject([{ offset: 3n }]);
    await projector.finish();
    expect(await checkedRangesOf(database(), 'profiles', FIRST_GENERATION)).toMatchObject([{ offset: 3n }]);
  });

  test('a position that comes only part of the way leaves the profiles ahead', async () => {
    const { projector } = await scene();
    await projector.runAhead();
    await projector.write();

    expect(await checkedRangesOf(database(), 'profiles', FIRST_GENERATION)).toMatchObject([{ offset: 3n }]);
  });

  /** Messages of three users. `write` writes the first with its position, `runAhead` the second without. */
  async function scene() {
    const projectId = randomProjectId();
    const log = new MemoryLog();
    for (const topic of MESSAGE_TOPICS) log.records(topic, 0);
    const messages = ['ada', 'bob', 'eve'].map((userId) => track({ projectId, userId }));
    for (const message of messages) log.put(PARTITION.topic, 0, recordOf(message));
    const [, second] = messages.map(changeOf);
    const records = log.records(PARTITION.topic, 0);
    const at = (offset: number) =>
      offset === 0 ? beginningOf(PARTITION) : { ...PARTITION, ...positionAfter(PARTITION, records[offset - 1]!) };
    const step = async (store: SqlProfileStore) => {
      const [from = at(0)] = await store.positions([PARTITION]);
      return { from, to: at(3) };
    };
    const projector = {
      write: (generation = 1) =>
        new SqlProfileStore(database(), generation).write([{ from: at(0), to: at(1) }], [], () => [
          changeOf(messages[0]!),
        ]),
      runAhead: async (generation = 1) => {
        const store = new SqlProfileStore(database(), generation);
        await store.noteAhead([await step(store)]);
        await store.merge([second!]);
      },
      finish: async () => {
        const store = new SqlProfileStore(database());
        await store.write([await step(store)], [], () => messages.map(changeOf));
      },
    };
    return { log, projectId, projector, messages };
  }
});
