import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { noteForgotten } from '../../services/webhooks/notices.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';
import { answer, WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { webhookScenes } from '../support/webhooks/webhook-scenes.ts';

const PATIENCE = { timeout: 20_000 };

for (const tested of await testedAnalytics()) {
  describe(`webhooks of audiences in ${tested.name}`, () => {
    const { database, scene, receiver } = webhookScenes(tested);

    test('an endpoint gets what changes from its beginning on, signed, and nothing of before', async () => {
      await scene().evaluate(1, 2);
      const { endpoint, secret } = await scene().endpoints.create(scene().projectId, {
        ...(await scene().endpoint(receiver().url)),
        traits: 'plan',
      });
      scene().deliverer().start();

      await scene().evaluate(2, 3);

      await expect.poll(() => receiver().received.length, PATIENCE).toBe(2);
      const [message] = receiver().received.filter(({ body }) => body.includes('traits'));
      const { body = '', headers = {} } = message ?? {};
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({
        type: 'audience.changed',
        timestamp: '2026-11-20T00:00:00.000002Z',
        data: {
          project_id: scene().projectId,
          audience: { id: scene().audienceId, name: 'Pro' },
          changes: [
            {
              user_id: 'user-1',
              anonymous_id: null,
              internal_id: expect.stringMatching(/^01/) as string,
              change: 'left',
              at: '2026-11-20T00:00:00.000002Z',
              version: 1,
              cause: 'refresh',
              traits: { plan: ['plan', 64] },
            },
            { user_id: 'user-3', change: 'entered' },
          ],
        },
      });
      await expect
        .poll(() => scene().state(endpoint.id), PATIENCE)
        .toMatchObject({ waitingSinceMs: null, failures: 0 });
    });

    test('with the members first, an endpoint gets who is in it, in messages of its size, and then what changes', async () => {
      await scene().evaluate(1, 2, 3, 4);
      await scene().evaluate(1, 2, 3);
      await scene().endpoint(receiver().url, { initial: 'members', batchSize: 2 });
      await scene().evaluate(3, 5);

      scene().deliverer().start();

      await expect.poll(() => receiver().told.length, PATIENCE).toBe(4);
      // Users 1 and 2 have left since: nobody leaves who was not told of.
      expect(receiver().told).toEqual([
        ['user-1 entered first', 'user-2 entered first'],
        ['user-3 entered first'],
        ['user-1 left refresh', 'user-2 left refresh'],
        ['user-5 entered refresh'],
      ]);
    });

    test.each([
      ['members', [['user-1 entered first'], ['user-2 entered refresh']]],
      ['none', [['user-2 entered refresh']]],
    ] as const)(
      'of an audience that is evaluated later, an endpoint with initial %s gets its own',
      async (initial, expected) => {
        await scene().endpoint(receiver().url, { initial, batchSize: 1 });
        await scene().evaluate(1);
        await scene().evaluate(1, 2);

        scene().deliverer().start();

        await expect.poll(() => receiver().told, PATIENCE).toEqual(expected);
      },
    );

    test('an endpoint that wants it is told of people who were forgotten, after what it waits for, and then nobody has their names', async () => {
      const types = ['audience.changed', 'user.forgotten'] as const;
      const { id } = await scene().endpoint(receiver().url, { types });
      const other = await WebhookReceiver.start();
      await scene().endpoint(other.url);
      const person = { user_id: 'ada', anonymous_id: null, internal_id: 'a'.repeat(64) };
      await noteForgotten(database(), scene().projectId, [person]);
      receiver().answering = answer(503);
      scene().deliverer().start();
      await expect.poll(() => receiver().received.length, PATIENCE).toBeGreaterThan(0);
      receiver().answering = answer(200);
      await scene().waitIsOver();

      await expect.poll(() => scene().state(id), PATIENCE).toMatchObject({ waitingSinceMs: null });

      expect(JSON.parse(receiver().received.at(-1)?.body ?? '')).toMatchObject({
        type: 'user.forgotten',
        data: { project_id: scene().projectId, users: [person] },
      });
      expect(new Set(receiver().ids).size).toBe(1);
      expect(other.received).toEqual([]);
      const [delivery] = await scene().endpoints.deliveries(scene().projectId, id, { limit: 10 });
      expect(delivery).toMatchObject({
        type: 'user.forgotten',
        state: 'delivered',
        attempts: receiver().received.length,
      });
      const left = await database().query('select 1 from endpoint_deliveries where notice is not null');
      expect(left).toEqual([]);
    });

    test('several that send share the endpoints: each message is sent once', async () => {
      await scene().evaluate();
      const { id } = await scene().endpoint(receiver().url, { batchSize: 1 });
      for (let n = 0; n < 3; n++) scene().deliverer().start();

      await scene().evaluate(1, 2, 3, 4);
      await scene().evaluate();

      await expect.poll(() => receiver().received.length, PATIENCE).toBeGreaterThanOrEqual(8);
      await expect.poll(() => scene().state(id), PATIENCE).toMatchObject({ waitingSinceMs: null });
      expect(receiver().told.flat()).toHaveLength(8);
      expect(new Set(receiver().ids).size).toBe(8);
    });

    test('one delivery is sent again under its id, and all since a time under new ones', async () => {
      await scene().evaluate();
      const { id } = await scene().endpoint(receiver().url);
      scene().deliverer().start();
      const first = await scene().evaluate(1);
      await expect.poll(() => receiver().received.length, PATIENCE).toBe(1);
      await scene().evaluate(1, 2);
      await expect.poll(() => receiver().received.length, PATIENCE).toBe(2);

      await scene().endpoints.resend(scene().projectId, id, receiver().ids[0] ?? '');
      await expect.poll(() => receiver().received.length, PATIENCE).toBe(3);
      await scene().endpoints.resendSince(scene().projectId, id, first);
      await expect.poll(() => receiver().received.length, PATIENCE).toBe(4);

      expect(receiver().ids[2]).toBe(receiver().ids[0]);
      expect(receiver().told.slice(2)).toEqual([['user-1 entered refresh'], ['user-2 entered refresh']]);
      expect(receiver().ids.slice(0, 3)).not.toContain(receiver().ids[3]);
    });

    test('a test is sent once and noted, whatever it is answered, and metrics count deliveries', async () => {
      await scene().evaluate();
      const { endpoint, secret } = await scene().endpoints.create(scene().projectId, {
        ...(await scene().endpoint(receiver().url)),
      });
      receiver().answering = answer(500);
      const deliverer = scene().deliverer();

      const failed = await deliverer.test(scene().projectId, endpoint.id);
      receiver().answering = answer(200);
      const delivered = await deliverer.test(scene().projectId, endpoint.id);

      expect(failed).toMatchObject({ type: 'endpoint.test', state: 'failed', lastAttempt: { status: 500 } });
      expect(delivered).toMatchObject({ state: 'delivered', attempts: 1, lastAttempt: { answer: 'answered 200' } });
      const { body = '', headers = {} } = receiver().received[1] ?? {};
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({
        type: 'endpoint.test',
        data: { project_id: scene().projectId, endpoint_id: endpoint.id },
      });
      expect(await scene().state(endpoint.id)).toMatchObject({ failures: 0 });
      deliverer.start();
      await scene().evaluate(1);
      const metrics = (): Promise<string> => deliverer.metrics();
      await expect.poll(metrics, PATIENCE).toContain('tidemark_webhook_attempts_total{result="delivered"} 2');
      await expect.poll(metrics, PATIENCE).toContain('tidemark_webhook_oldest_undelivered_seconds 0');
      await expect.poll(metrics, PATIENCE).toContain('tidemark_webhook_turns 0');
    });
  });
}
