import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Projector, type ProjectorOptions } from '../../../services/consumers/projector/projector.ts';
import type { BatchReport } from '../../../services/consumers/reader-metrics.ts';
import type { Message } from '../../../services/messages/message.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { ALL_TIME, userName, EVERYBODY } from '../../../services/stores/erasures/erased-users.ts';
import { leftOutOf } from '../../../services/stores/erasures/left-out.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { codec, identify, track } from '../../support/messages/messages.ts';
import { append } from '../../support/service/projector.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';

const WHO = [
  { what: 'a project was deleted', isProject: true },
  { what: 'somebody was forgotten', isProject: false },
];

describe.each(DATABASES)('the projector and deleted projects on $name', ({ share }) => {
  const database = share();

  test('messages of a project that was deleted are passed and change nothing, also read from the start', async () => {
    const { log, project, profile, find, ada, reports } = await scene();
    const gone = identify({ projectId: randomProjectId(), userId: 'gone', messageId: 'm1', messageIdGiven: true });
    append(log, [gone, identify(ada), gone]);
    await SqlErasures.addProject(database(), { id: gone.projectId, name: 'Gone', leaves: true, actor: 'local' });

    project({ leftOut: leftOutOf(database()) });

    await expect.poll(profile).toBeDefined();
    await expect.poll(async () => (await log.committed()).reduce((sum, { offset }) => sum + Number(offset), 0)).toBe(3);
    expect(await find(gone)).toBeUndefined();
    expect(reports.reduce((sum, { messages }) => sum + messages, 0)).toBe(1);
    const counted = 'select 1 from applied_counts where project_id = $1';
    expect(await database().query(counted, [gone.projectId])).toEqual([]);
  });

  test('a project that is deleted while the projector runs is skipped from the next batches on', async () => {
    const { log, project, profile, find, ada, reports } = await scene();
    const erased = new Map<string, bigint>();
    const gone = identify({ projectId: randomProjectId(), userId: 'gone' });
    project({ leftOut: async () => new Map(erased) });
    append(log, [gone]);
    await expect.poll(() => find(gone)).toBeDefined();
    erased.set(userName(gone.projectId, EVERYBODY), ALL_TIME);
    await database().query('delete from users where project_id = $1', [gone.projectId]);

    append(log, [gone, identify(ada)]);

    await expect.poll(profile).toBeDefined();
    await expect.poll(() => reports.reduce((sum, { messages }) => sum + messages, 0)).toBe(2);
    expect(await find(gone)).toBeUndefined();
  });

  test.each(WHO)(
    'what waited for the database while $what is not written any more, and others are',
    async ({ isProject }) => {
      const { log, store, project, profile, find, ada, reports } = await scene();
      const erased = new Map<string, bigint>();
      const projectId = isProject ? randomProjectId() : ada.projectId;
      const gone = identify({ projectId, userId: 'gone', messageId: 'm2', messageIdGiven: true });
      append(log, [gone, identify(ada)]);
      let attempts = 0;
      const refusing = withBefore(store, 'write', async () => {
        erased.set(userName(projectId, isProject ? EVERYBODY : gone.userKey), ALL_TIME);
        if (attempts++ === 0) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
      });

      project({ store: refusing, leftOut: async () => new Map(erased) });

      await expect.poll(profile).toBeDefined();
      await expect.poll(() => reports.length).toBeGreaterThan(0);
      expect(attempts).toBeGreaterThan(1);
      expect(await find(gone)).toBeUndefined();
    },
  );

  test.each(WHO)('a large batch is read again, and written without, where $what meanwhile', async ({ isProject }) => {
    const { log, store, project, find, ada } = await scene();
    const erased = new Map<string, bigint>();
    const projectId = isProject ? randomProjectId() : ada.projectId;
    const gone = identify({ projectId, userId: 'gone' });
    const many = Array.from({ length: 40 }, (_, n) => identify({ projectId: ada.projectId, userId: `user-${n}` }));
    append(log, [...many, gone, gone, gone]);
    let merges = 0;
    const slow = withBefore(store, 'noteAhead', async () => {
      // The erasure is over: messages of a person that are received later are taken.
      if (merges++ === 0) {
        if (isProject) erased.set(userName(projectId, EVERYBODY), ALL_TIME);
        else erased.set(userName(projectId, gone.userKey), gone.receivedAt);
        await database().query('delete from users where user_key = $1', [gone.userKey]);
      }
    });

    project({ store: slow, leftOut: async () => new Map(erased), maxRecords: () => 1 });

    const last = many.at(-1);
    await expect.poll(() => last && find(last), { timeout: 20_000 }).toBeDefined();
    expect(merges).toBeGreaterThan(0);
    await expect.poll(async () => (await Promise.all(many.map(find))).filter((one) => one === undefined)).toEqual([]);
    await expect
      .poll(async () => (await log.committed()).reduce((sum, { offset }) => sum + Number(offset), 0))
      .toBe(43);
    expect(await find(gone)).toBeUndefined();
  });

  async function scene() {
    await database().script('delete from reader_positions');
    const log = new MemoryLog();
    const store = new SqlProfileStore(database());
    const ada = { projectId: randomProjectId(), userId: 'ada' };
    const reports: BatchReport[] = [];
    const project = (options: Partial<ProjectorOptions>): void => {
      const onBatch = (report: BatchReport) => void reports.push(report);
      const common = { log, store, codec, logger: pino({ level: 'silent' }), repeatWindowMs: 60_000, onBatch };
      const projector = new Projector({ ...common, ...options });
      onTestFinished(() => projector.stop());
      projector.start();
    };
    const find = ({ projectId, userKey }: Message) => store.find(projectId, userKey);
    return { log, store, ada, reports, project, find, profile: () => find(track(ada)) };
  }
});

/** A store that does this before each call of one of its methods. */
function withBefore<Store extends object>(store: Store, method: keyof Store, act: () => Promise<void>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== method) return member.bind(target) as unknown;
      return async (...args: unknown[]): Promise<unknown> => {
        await act();
        return (member as (...all: unknown[]) => Promise<unknown>).apply(target, args);
      };
    },
  });
}
