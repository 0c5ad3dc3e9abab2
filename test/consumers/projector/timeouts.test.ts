import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import { migrateDatabase } from '../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import { DEAD_LETTER_TOPIC, type Message } from '../../../services/messages/message.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { Projector } from '../../../services/consumers/projector/projector.ts';
import type { BatchReport } from '../../../services/consumers/reader-metrics.ts';
import { type ErrorCode, TidemarkError } from '../../../services/runtime/errors.ts';
import { serverUrl } from '../../servers/server.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { type FreshDatabase, freshDatabase } from '../../support/stores/fresh-database.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { codec, identify } from '../../support/messages/messages.ts';
import { append, overriding } from '../../support/service/projector.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';

const server = await serverUrl('postgres');
const STATEMENT_TIMEOUT_MS = 400;
const PATIENCE = { timeout: 60_000 };

describe.skipIf(server === undefined)('on a Postgres that ends statements which take too long', () => {
  let fresh: FreshDatabase;
  let database: Database;
  let owner: Database;

  beforeAll(async () => {
    fresh = await freshDatabase(server!);
    owner = await openDatabase(fresh.url);
    database = await openDatabase(`${fresh.url}?statement_timeout_ms=${STATEMENT_TIMEOUT_MS}`);
    await migrateDatabase(owner);
    await slowWhere('false');
    await owner.script('create trigger slow before insert or update on users for each row execute function slow()');
  });
  beforeEach(() => slowWhere('false'));
  afterAll(async () => {
    await database?.close();
    await owner?.close();
    await fresh?.drop();
  });

  test('the one message that times out again and again becomes a dead letter, every other one is applied once', async () => {
    const { log, people, project, reports, letters, applied } = await scene(() => database);
    append(log, people(0, 20));
    project();
    await expect.poll(applied).toBe(20);
    await slowWhere(`new.user_id = 'user-27'`);
    append(log, people(20, 40));

    await expect.poll(() => letters().length, PATIENCE).toBe(1);
    await expect.poll(applied, PATIENCE).toBe(39);

    expect(letters()).toMatchObject([{ offset: 27n, reader: 'projector' }]);
    expect(letters()[0]!.error).toMatch(/^STORE_REJECTED: it timed out 3 times in a row: .*57014/);
    await expect.poll(() => reports.reduce((sum, { messages }) => sum + messages, 0)).toBe(39);
    append(log, people(40, 41));
    await expect.poll(applied, PATIENCE).toBe(40);
  });

  test('the first message after a start becomes a dead letter too, when nothing was accepted before', async () => {
    const { log, people, project, letters, applied } = await scene(() => database);
    append(log, people(0, 1));
    const first = project();
    await expect.poll(applied).toBe(1);
    await first.stop();
    await slowWhere(`new.user_id = 'user-0'`);
    append(log, [...people(0, 1), ...people(1, 2)]);

    project();

    await expect.poll(applied, PATIENCE).toBe(2);
    expect(letters()).toMatchObject([{ offset: 1n }]);
  });

  test('other messages of a user who became slow after one was accepted become dead letters', async () => {
    const { log, people, project, letters, applied } = await scene(() => database);
    append(log, people(0, 1));
    project();
    await expect.poll(applied).toBe(1);
    await slowWhere(`new.user_id = 'user-0'`);

    append(log, people(0, 1));

    await expect.poll(() => letters().length, PATIENCE).toBe(1);
  });

  test.each([
    { when: 'from the start', before: 0 },
    { when: 'after it took some', before: 5 },
    { when: 'but for rows that are new', before: 5, slow: `tg_op = 'UPDATE'` },
  ])('where all of it times out $when, it waits, and no message is to blame', async ({ before, slow = 'true' }) => {
    const { log, people, project, letters, applied, probes } = await scene(() => database);
    append(log, people(0, before));
    if (before > 0) {
      const first = project();
      await expect.poll(applied).toBe(before);
      await first.stop();
    }
    await slowWhere(slow);
    append(log, people(0, 6));
    project();
    await expect.poll(probes, PATIENCE).toBe(2);
    expect(letters()).toEqual([]);

    await slowWhere('false');

    await expect.poll(applied, PATIENCE).toBe(before + 6);
    expect(letters()).toEqual([]);
  });

  /** Which rows of users a trigger takes for ever over. */
  async function slowWhere(condition: string): Promise<void> {
    await owner.script(`
      create or replace function slow() returns trigger language plpgsql as $$
      begin
        if ${condition} then perform pg_sleep(600); end if;
        return new;
      end $$`);
  }
});

describe('what a store times out on', () => {
  const database = sharedDatabase();
  const [TIMEOUT, UNREACHABLE] = ['STORE_TIMEOUT', 'STORE_UNAVAILABLE'] as const;

  test.each([
    { often: 'twice', failures: [TIMEOUT, TIMEOUT] },
    { often: 'four times, and was unreachable between', failures: [TIMEOUT, TIMEOUT, UNREACHABLE, TIMEOUT, TIMEOUT] },
  ])('$often is no dead letter', async ({ failures }) => {
    const { log, people, project, store, letters, applied, probes } = await scene(database);
    const left: ErrorCode[] = [...failures];
    append(log, people(0, 1));

    project(failing(store, () => left.shift()));

    await expect.poll(applied, PATIENCE).toBe(1);
    expect(left).toEqual([]);
    expect([letters(), probes()]).toEqual([[], 0]);
  });

  test('one of 1,000 messages that always times out is found in some 15 timeouts', async () => {
    const { log, people, project, store, letters, applied } = await scene(database);
    let timeouts = 0;
    append(log, people(0, 1_000));

    project(
      failing(store, (users) => {
        if (!users.includes('user-700')) return undefined;
        timeouts++;
        return TIMEOUT;
      }),
    );

    await expect.poll(applied, PATIENCE).toBe(999);
    expect(letters()).toMatchObject([{ offset: 700n }]);
    expect(timeouts).toBeLessThanOrEqual(16);
  });

  test('a store that times out on a step without messages is retried', async () => {
    const { log, people, project, store, letters, applied, probes } = await scene(database);
    let [isRejected, timeouts] = [false, 0];
    append(log, people(0, 1));
    const slow = failing(store, (users) => {
      if (users.length > 0) return 'STORE_REJECTED';
      isRejected = true;
      return timeouts++ < 5 ? TIMEOUT : undefined;
    });

    const { failed } = project(slow);
    let hasEnded = false;
    failed.catch(() => (hasEnded = true));

    await expect.poll(() => timeouts, PATIENCE).toBe(6);
    expect(isRejected).toBe(true);
    append(log, [...people(1, 2)]);
    await expect.poll(() => letters().length, PATIENCE).toBe(2);
    expect([await applied(), probes()]).toEqual([0, 0]);
    expect(hasEnded).toBe(false);
  });
});

/** A store whose writes of messages fail as ordered, by user. */
function failing(
  store: SqlProfileStore,
  fail: (users: readonly (string | null)[]) => ErrorCode | undefined,
): SqlProfileStore {
  return overriding(store, {
    write: (steps, claims, fold, countApplied) => {
      const code = fail(fold([]).map(({ userId }) => userId));
      if (code !== undefined) throw new TidemarkError(code, 'as ordered');
      return store.write(steps, claims, fold, countApplied);
    },
  });
}

/** A log of its own, and a store that is at its beginning. */
async function scene(database: () => Database) {
  await database().script('delete from reader_positions');
  const log = new MemoryLog();
  const projectId = randomProjectId();
  const real = new SqlProfileStore(database());
  let probes = 0;
  const store = overriding(real, {
    probe: async (steps) => {
      probes++;
      await real.probe(steps);
    },
  });
  const reports: BatchReport[] = [];
  const project = (over: SqlProfileStore = store): Projector => {
    const logger = pino({ level: 'silent' });
    const onBatch = (report: BatchReport) => void reports.push(report);
    const projector = new Projector({ log, store: over, codec, logger, repeatWindowMs: 60_000, onBatch });
    onTestFinished(() => projector.stop());
    projector.start();
    return projector;
  };
  const people = (from: number, to: number): readonly Message[] =>
    Array.from({ length: to - from }, (_, index) =>
      identify({ projectId, userId: `user-${from + index}`, traits: '{"a":1}' }),
    );
  const applied = async (): Promise<number> => {
    const sql = 'select coalesce(sum(messages), 0)::int4 as n from applied_counts where project_id = $1';
    const [row] = await database().query<{ n: number }>(sql, [projectId]);
    return row!.n;
  };
  const letters = () => log.records(DEAD_LETTER_TOPIC, 0).map(({ value }) => codec.decodeDeadLetter(value));
  return { log, store, people, project, reports, letters, applied, probes: () => probes };
}
