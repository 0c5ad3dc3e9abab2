import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { addNotices, noteDifference, noteForgotten } from '../../services/webhooks/notices.ts';
import { SETTINGS } from '../contract/endpoint-store.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';
import { answer, WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { webhookScenes } from '../support/webhooks/webhook-scenes.ts';

const PATIENCE = { timeout: 20_000 };
const FOUND = {
  job: 'job_1',
  project: null,
  since: '2026-11-20T00:00:00.000000Z',
  until: null,
  missing: { postgres: 0, clickhouse: 2 },
  surplus: { postgres: 1, clickhouse: 0 },
  hoursDifferent: 1,
  profilesDifferent: 0,
  blankUnlisted: 0,
};

const [tested] = await testedAnalytics();

describe.skipIf(tested === undefined)('messages that tell of no change', () => {
  if (tested === undefined) return;
  const { database, scene, receiver } = webhookScenes(tested);

  const typesReceived = (): unknown[] =>
    receiver().received.map(({ body }) => (JSON.parse(body) as { readonly type: unknown }).type);

  test('an endpoint of the installation is told of a verification that found differences, signed', async () => {
    const types = ['verification.differs'] as const;
    const { secret, endpoint } = await scene().endpoints.create(null, { ...SETTINGS, types, url: receiver().url });
    await scene().endpoint(receiver().url);
    scene().deliverer().start();

    await noteDifference(database(), FOUND);

    await expect.poll(() => receiver().received.length, PATIENCE).toBe(1);
    const { body = '', headers = {} } = receiver().received[0] ?? {};
    expect(new Webhook(secret).verify(body, headers)).toEqual({
      type: 'verification.differs',
      timestamp: expect.stringMatching(/^20\d\d-/u) as string,
      data: {
        job_id: 'job_1',
        project_id: null,
        since: '2026-11-20T00:00:00.000000Z',
        until: null,
        missing: { postgres: 0, clickhouse: 2 },
        surplus: { postgres: 1, clickhouse: 0 },
        hours_different: 1,
        profiles_different: 0,
        blank_unlisted: 0,
      },
    });
    await expect
      .poll(() => scene().endpoints.deliveries(null, endpoint.id, { limit: 9 }), PATIENCE)
      .toMatchObject([{ type: 'verification.differs', state: 'delivered', audienceId: null, changes: 0 }]);
  });

  test('messages come in order, each until it was taken, and are sent again under their ids', async () => {
    const types = ['verification.differs'] as const;
    const { endpoint } = await scene().endpoints.create(null, { ...SETTINGS, types, url: receiver().url });
    receiver().answering = answer(500);
    for (const job of ['job_1', 'job_2']) await noteDifference(database(), { ...FOUND, job });
    scene().deliverer().start();
    await expect.poll(() => receiver().received.length, PATIENCE).toBe(1);
    receiver().answering = answer(200);
    await scene().waitIsOver();
    await expect.poll(() => receiver().received.length, PATIENCE).toBe(3);
    const [first, again, second] = receiver().ids;
    expect([again, receiver().received.map(({ body }) => /job_\d/u.exec(body)?.[0])]).toEqual([
      first,
      ['job_1', 'job_1', 'job_2'],
    ]);

    await scene().endpoints.resend(null, endpoint.id, first ?? '');
    await expect.poll(() => receiver().received.length, PATIENCE).toBe(4);
    await scene().endpoints.resendSince(null, endpoint.id, 0n);
    await expect.poll(() => receiver().received.length, PATIENCE).toBe(6);

    expect(receiver().ids.slice(3)).toEqual([first, first, second]);
  });

  test('a message of people who were forgotten is not sent again: nobody has their names', async () => {
    const types = ['user.forgotten'] as const;
    const { id } = await scene().endpoint(receiver().url, { types });
    scene().deliverer().start();
    await noteForgotten(database(), scene().projectId, [
      { user_id: 'ada', anonymous_id: null, internal_id: 'a'.repeat(64) },
    ]);
    await expect.poll(() => scene().state(id), PATIENCE).toMatchObject({ waitingSinceMs: null });
    await expect.poll(() => receiver().received.length, PATIENCE).toBe(1);

    await expect(scene().endpoints.resend(scene().projectId, id, receiver().ids[0] ?? '')).rejects.toMatchObject({
      code: 'DELIVERY_UNKNOWN',
    });
    await scene().endpoints.resendSince(scene().projectId, id, 0n);

    expect(await scene().state(id)).toMatchObject({ waitingSinceMs: null });
    expect(typesReceived()).toEqual(['user.forgotten']);
  });

  test('more people than a message has are told of in several', async () => {
    const { id } = await scene().endpoint(receiver().url, { types: ['user.forgotten'] });
    const people = Array.from({ length: 101 }, (_, n) => {
      return { user_id: `user-${n}`, anonymous_id: null, internal_id: String(n).padStart(64, '0') };
    });
    scene().deliverer().start();

    await noteForgotten(database(), scene().projectId, people);

    await expect.poll(() => receiver().received.length, PATIENCE).toBe(2);
    const users = receiver().received.flatMap(({ body }) => {
      return (JSON.parse(body) as { readonly data: { readonly users: readonly object[] } }).data.users;
    });
    expect(users).toEqual(people);
    await expect.poll(() => scene().state(id), PATIENCE).toMatchObject({ waitingSinceMs: null });
  });

  test('an endpoint that was deleted meanwhile keeps nobody from being told', async () => {
    const { id: endpointId } = await scene().endpoint(receiver().url, { types: ['user.forgotten'] });
    const data = '{"users":[]}';

    await addNotices(database(), 'user.forgotten', [
      { endpointId: 'end_gone', data },
      { endpointId, data },
    ]);

    const [delivery, ...others] = await scene().endpoints.deliveries(scene().projectId, endpointId, { limit: 9 });
    expect([delivery, others]).toMatchObject([{ type: 'user.forgotten', state: 'waiting' }, []]);
  });

  test('what an endpoint of the installation is told of does not go to one of a project', async () => {
    const other = await WebhookReceiver.start();
    const types = ['dead_letter.waiting'] as const;
    const { id } = await scene().endpoint(other.url, { types });

    await noteDifference(database(), FOUND);

    expect(await scene().endpoints.deliveries(scene().projectId, id, { limit: 9 })).toEqual([]);
  });
});
