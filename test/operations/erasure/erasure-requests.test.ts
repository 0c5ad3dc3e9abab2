import { describe, expect, test } from 'vitest';
import { anonymousKeyOf, userKeyOf } from '../../../services/messages/user-key.ts';
import type { ErasureReport } from '../../../services/stores/erasures/erasure.ts';
import { SqlJobStore } from '../../../services/operations/jobs/sql-job-store.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { deleteProject } from '../../../services/stores/projects/delete-project.ts';
import { ForgettingScene } from './forgetting-scene.ts';
import { testedForms } from '../../support/service/tested-forms.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';

const DAY_MS = 86_400_000;

describe.each(await testedForms())('requests to forget people, $form', ({ form }) => {
  const installation = sharedInstallation(form);
  const scene = new ForgettingScene(installation);

  test('a person of another project with the same id stays', async () => {
    const [shop, other] = [await scene.projectWithPeople('Same ids'), await scene.projectWithPeople('Same ids there')];
    const before = await scene.rowsOf(other.projectId, 'ada');

    await scene.request(shop.projectId, ['ada']);
    await scene.forget();

    expect(await scene.rowsOf(other.projectId, 'ada')).toEqual(before);
    await scene.request(other.projectId, ['ada']);
    await scene.forget();
  });

  test('an anonymous id goes with the one person it was seen with, and one of two people stays', async () => {
    const shop = await scene.projectWithPeople('Anonymous ids');
    const { projectId } = shop;
    await installation().append([
      shop.track({ userId: null, anonymousId: 'a-own', userKey: anonymousKeyOf(projectId, 'a-own') }),
      shop.track({ anonymousId: 'a-shared' }),
      shop.track({ userId: 'ben', anonymousId: 'a-shared' }),
    ]);
    await installation().readAll();

    const { erasures, shared } = await scene.request(projectId, ['ada']);

    expect(shared).toEqual(['a-shared']);
    const [person, ...others] = erasures;
    expect(person).toMatchObject({ userKey: userKeyOf(projectId, 'ada'), cameWith: null });
    expect(others).toMatchObject([{ userKey: anonymousKeyOf(projectId, 'a-own'), cameWith: person?.id }]);
    await scene.forget();
  });

  test('every anonymous id goes that was seen with the person, and none that the full list of another lost', async () => {
    const shop = await scene.projectWithPeople('Many anonymous ids');
    const idsOf = (user: string) => Array.from({ length: 130 }, (_, index) => `${user}-${index}`);
    const seen = (userId: string, anonymousId: string) => shop.track({ userId, anonymousId });
    await installation().append([
      // The first of either list, which forgets it.
      seen('ben', 'a-of-both'),
      ...idsOf('ben').map((id) => seen('ben', id)),
      ...idsOf('ada').map((id) => seen('ada', id)),
      seen('ada', 'a-of-both'),
    ]);
    await installation().readAll();

    const { erasures, shared } = await scene.request(shop.projectId, ['ada']);

    expect(shared).toEqual(['a-of-both']);
    const own = ['a-own', ...idsOf('ada')].map((id) => anonymousKeyOf(shop.projectId, id));
    const keys = erasures.map(({ userKey }) => userKey);
    expect(keys.toSorted()).toEqual([userKeyOf(shop.projectId, 'ada'), ...own].toSorted());
    await scene.forget();
  });

  test('somebody whose first message no reader has come to is known, and goes', async () => {
    const shop = await scene.projectWithPeople('Not read yet');
    await installation().append([shop.identify({ userId: 'eve', traits: '{"plan":"pro"}' })]);

    const answer = await scene.request(shop.projectId, ['eve', 'nobody']);

    expect(answer).toMatchObject({ erasures: [{ state: 'pending' }], unknown: [userKeyOf(shop.projectId, 'nobody')] });
    await installation().readAll();
    await scene.forget();
    expect(await scene.rowsOf(shop.projectId, 'eve')).toEqual({});
  });

  test('somebody of whom nothing is known is named, and nothing is done', async () => {
    const shop = await scene.projectWithPeople('Unknown ids');

    const answer = await scene.request(shop.projectId, ['nobody']);

    expect(answer).toEqual({ erasures: [], shared: [], unknown: [userKeyOf(shop.projectId, 'nobody')] });
  });

  test('a request that is repeated keeps its erasure, which is carried out again', async () => {
    const shop = await scene.projectWithPeople('Twice');
    const first = await scene.request(shop.projectId, ['ada']);
    await scene.forget();

    const again = await scene.request(shop.projectId, ['ada']);

    expect(again.erasures.map(({ id }) => id)).toEqual(first.erasures.map(({ id }) => id).slice(0, 1));
    expect(again.erasures).toMatchObject([{ state: 'pending' }]);
    await scene.forget();
    expect(await new SqlErasures(installation().database).pending()).toEqual([]);
  });

  test('people of a project that is deleted meanwhile are forgotten all the same', async () => {
    const shop = await scene.projectWithPeople('Deleted meanwhile');
    await scene.request(shop.projectId, ['ada']);
    await deleteProject(installation().database, shop.projectId, 'Deleted meanwhile');

    await scene.forget();

    expect(await scene.tablesWith([scene.mark, scene.email])).toEqual([]);
    expect(await new SqlErasures(installation().database).pending()).toEqual([]);
  });

  test('two processes that forget at once come to the same', async () => {
    const shop = await scene.projectWithPeople('Two processes');
    await scene.request(shop.projectId, ['ada']);

    await Promise.all([scene.forget(), scene.forget()]);

    expect(await scene.tablesWith([scene.mark, scene.email])).toEqual([]);
    expect(await new SqlErasures(installation().database).pending()).toEqual([]);
  });

  test('one that is pending says what the job waits for, or why it failed before', async () => {
    const { database } = installation();
    const jobs = new SqlJobStore(database);
    const { id } =
      (await scene.request((await scene.projectWithPeople('Held up')).projectId, ['ada'])).erasures[0] ?? {};
    const reason = async (): Promise<unknown> => (await new SqlErasures(database).find(id ?? ''))?.waitsBecause;
    const begin = () => jobs.add({ kind: 'users erase', args: {}, principal: 'local' }, 'a process');
    const beat = (job: string, waits: object) =>
      jobs.beat([{ id: job, token: 'a process', state: 'running', progress: { done: 0, ...waits }, rate: null }]);
    const end = { result: null, progress: null, rate: null };

    const first = await begin();
    expect(await reason()).toBeNull();
    await beat(first.id, { waits_because: 'no space' });
    expect(await reason()).toBe('no space');
    await jobs.finish(first.id, { ...end, state: 'failed', failure: { message: 'no store' } }, 'a process');
    expect(await reason()).toBe('no store');
    expect(await jobs.restart(first.id, 'a process')).toMatchObject({ state: 'queued', failure: null });
    await beat(first.id, {});
    expect(await reason()).toBe('no store');
    await jobs.finish(first.id, { ...end, state: 'done', failure: null }, 'a process');
    expect(await reason()).toBeNull();
    await beat((await begin()).id, { waits_because: 'no space' });
    await scene.forget();
    expect(await reason()).toBeNull();
  });

  test('the certificate says what was deleted, and that nothing was found at the end', async () => {
    const shop = await scene.projectWithPeople('Certified');
    const { erasures } = await scene.request(shop.projectId, ['ada']);
    await scene.forget();

    const found = await new SqlErasures(installation().database).find(erasures[0]?.id ?? '');
    const report = JSON.parse(found?.report ?? '{}') as ErasureReport;

    expect(found).toMatchObject({ state: 'done', cut: null });
    expect(report.postgres).toMatchObject({ users: 1, profiles: 1 });
    expect(report.clickhouse).toMatchObject({ track_rows: 2, user_rows: expect.any(Number) as number });
    expect(report.found_at_end).toEqual({ postgres: 0, clickhouse: 0 });
    expect(report.user_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(report.remains?.map(({ what }) => what)).toContain('backups that were made before');
    expect(report.remains?.map(({ what }) => what).join()).not.toContain('tidemark.audience-change');
  });

  test.each([
    ['until when', async () => 8 * DAY_MS, expect.stringMatching(/Z$/u) as string],
    ['that it is not known', () => Promise.reject(new Error('Kafka cannot be reached')), null],
    ['that it is not known', async () => null, null],
  ])('the certificate says of the topic of changes %s', async (_, topicKept, until) => {
    const shop = await scene.projectWithPeople('Told on Kafka');
    const { erasures } = await scene.request(shop.projectId, ['ada']);
    scene.topicKept = topicKept;
    const beforeMs = Date.now();
    await scene.forget();

    const found = await new SqlErasures(installation().database).find(erasures[0]?.id ?? '');
    const { remains } = JSON.parse(found?.report ?? '{}') as ErasureReport;

    const ofTopic = remains?.find(({ what }) => what === 'records of the topic tidemark.audience-change');
    expect(ofTopic).toMatchObject({ until });
    expect(ofTopic?.until === null || Date.parse(ofTopic?.until ?? '') >= beforeMs + 8 * DAY_MS).toBe(true);
  });
});
