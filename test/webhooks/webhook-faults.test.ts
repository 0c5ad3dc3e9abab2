import { describe, expect, test } from 'vitest';
import { WebhookAddresses } from '../../services/webhooks/addresses.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';
import { answer, type Answering, WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { webhookScenes } from '../support/webhooks/webhook-scenes.ts';

const PATIENCE = { timeout: 20_000 };

const switchProtocols: Answering = (res) =>
  void res.socket?.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');

for (const tested of await testedAnalytics()) {
  describe(`endpoints that fail, with audiences in ${tested.name}`, () => {
    const { analytics, scene, receiver } = webhookScenes(tested);

    test('an endpoint that is down keeps its position, and has everything once it is up, in order and once', async () => {
      await scene().evaluate();
      const { id } = await scene().endpoint(receiver().url, { batchSize: 3 });
      await receiver().close();
      await scene().evaluate(1, 2);
      scene().deliverer().start();
      await expect.poll(() => scene().state(id), PATIENCE).toMatchObject({ failures: 1 });
      for (const users of [[2], [2, 3], [4, 5, 6], []]) await scene().evaluate(...users);

      await receiver().open();
      await scene().waitIsOver();

      await expect.poll(() => scene().state(id), PATIENCE).toMatchObject({ failures: 0, waitingSinceMs: null });
      await expect
        .poll(
          () =>
            receiver()
              .told.flat()
              .map((one) => one.replace(/ (\w+)$/, '')),
          PATIENCE,
        )
        .toEqual([
          'user-1 entered',
          'user-2 entered',
          'user-1 left',
          'user-3 entered',
          'user-2 left',
          'user-3 left',
          'user-4 entered',
          'user-5 entered',
          'user-6 entered',
          'user-4 left',
          'user-5 left',
          'user-6 left',
        ]);
      expect(new Set(receiver().ids).size).toBe(receiver().ids.length);
    });

    test('an endpoint that is down for an hour is tried four times, and has everything when it is tried next', async () => {
      await scene().evaluate();
      const { id } = await scene().endpoint(receiver().url);
      const waits: number[] = [];
      const claims = scene().claimsWith({
        failed: (claim, delivery, failure) => {
          waits.push(failure.nextInMs);
          return scene().claims.failed(claim, delivery, failure);
        },
      });
      await receiver().close();
      await scene().evaluate(1);
      scene().deliverer({ claims }).start();
      for (const failures of [1, 2, 3, 4]) {
        await expect.poll(() => scene().state(id), PATIENCE).toMatchObject({ failures });
        await scene().evaluate(1, failures + 1);
        if (failures < 4) await scene().timePasses(waits.at(-1) ?? NaN);
      }
      await receiver().open();
      await scene().timePasses(waits.at(-1) ?? NaN);

      await expect.poll(() => scene().state(id), PATIENCE).toMatchObject({ failures: 0 });
      const seconds = [5, 300, 1_800, 7_200];
      expect(waits.map((ms, index) => Math.abs(ms / 1_000 / (seconds[index] ?? NaN) - 1) <= 0.1)).toEqual(
        seconds.map(() => true),
      );
      const since = [2, 3, 4].flatMap((user) => [`user-${user} entered refresh`, `user-${user} left refresh`]);
      await expect
        .poll(() => receiver().told, PATIENCE)
        .toEqual([['user-1 entered refresh'], [...since, 'user-5 entered refresh']]);
      expect(new Set(receiver().ids).size).toBe(2);
    });

    test.each([
      ['answers 500', answer(500), [4_500, 5_500], null],
      ['answers 429 with Retry-After', answer(429, { 'retry-after': '600' }), [600_000, 600_000], null],
      ['redirects', answer(302, { location: '/other' }), [4_500, 5_500], null],
      ['answers 410', answer(410), [4_500, 5_500], 'gone'],
      ['is slow', () => undefined, [4_500, 5_500], null],
      ['switches protocols', switchProtocols, [4_500, 5_500], null],
    ] as const)(
      'an endpoint that %s is tried again when it says, under the same id',
      async (_, answering, wait, disabled) => {
        await scene().evaluate();
        const { id } = await scene().endpoint(receiver().url);
        const waits: number[] = [];
        const claims = scene().claimsWith({
          failed: (claim, delivery, failure) => {
            waits.push(failure.nextInMs);
            return scene().claims.failed(claim, delivery, failure);
          },
        });
        receiver().answering = answering;
        scene().deliverer({ claims, timeoutMs: 200 }).start();
        await scene().evaluate(1);
        await expect.poll(() => scene().state(id), PATIENCE).toMatchObject({ failures: 1, disabled });
        receiver().answering = answer(204);

        if (disabled === null) await scene().waitIsOver();
        else await scene().endpoints.update(scene().projectId, id, { isEnabled: true });

        await expect
          .poll(() => scene().state(id), PATIENCE)
          .toMatchObject({ failures: 0, waitingSinceMs: null, disabled: null });
        expect(receiver().told).toEqual([['user-1 entered refresh'], ['user-1 entered refresh']]);
        expect(new Set(receiver().ids).size).toBe(1);
        expect(receiver().received.map(({ path }) => path)).toEqual(['/hook', '/hook']);
        expect(waits).toHaveLength(1);
        expect(waits[0]).toBeGreaterThanOrEqual(wait[0]);
        expect(waits[0]).toBeLessThanOrEqual(wait[1]);
        const [delivery] = await scene().endpoints.deliveries(scene().projectId, id, { limit: 9 });
        expect(delivery).toMatchObject({ state: 'delivered', attempts: 2, lastAttempt: { status: 204 } });
      },
    );

    test('the waits grow while an endpoint fails, and begin anew after a success in the same turn', async () => {
      await scene().evaluate();
      const { id } = await scene().endpoint(receiver().url, { batchSize: 1 });
      const failures: number[] = [];
      const claims = scene().claimsWith({
        failed: (claim, delivery, failure) => {
          failures.push(failure.nextInMs);
          return scene().claims.failed(claim, delivery, { ...failure, nextInMs: 0 });
        },
      });
      const statuses = [500, 500, 200, 500, 200];
      receiver().answering = (res) => res.writeHead(statuses[receiver().received.length - 1] ?? 200).end();
      await scene().evaluate(1, 2);

      scene().deliverer({ claims }).start();

      await expect.poll(() => receiver().received.length, PATIENCE).toBe(5);
      await expect.poll(() => scene().state(id), PATIENCE).toMatchObject({ failures: 0, waitingSinceMs: null });
      expect(failures.map((ms) => (ms < 10_000 ? 'seconds' : 'minutes'))).toEqual(['seconds', 'minutes', 'seconds']);
    });

    test('a name that leads to an inner address is not sent to, and the delivery says so', async () => {
      await scene().evaluate();
      const { id } = await scene().endpoint(`https://localhost:${receiver().port}/`);
      scene()
        .deliverer({ addresses: new WebhookAddresses([]) })
        .start();
      await scene().evaluate(1);

      await expect.poll(() => scene().state(id), PATIENCE).toMatchObject({ failures: 1 });

      const [delivery] = await scene().endpoints.deliveries(scene().projectId, id, { limit: 9 });
      expect(delivery?.lastAttempt?.error).toBe(
        'localhost leads to an inner address, which WEBHOOK_ALLOW does not name',
      );
      expect(receiver().received).toEqual([]);
    });

    test('what died between the answer and the position sends the same message again, under the same id', async () => {
      await scene().evaluate();
      const { id } = await scene().endpoint(receiver().url, { batchSize: 1, traits: 'plan' });
      const died = Promise.withResolvers<void>();
      const dead = scene().claimsWith({
        delivered: () => {
          died.resolve();
          return Promise.reject(new Error('it died'));
        },
        postpone: async () => false,
      });
      await scene().evaluate(1, 2);
      const dying = scene().deliverer({ claims: dead, everyMs: 60_000 });
      dying.start();
      await died.promise;
      await dying.stop();
      // What was changed meanwhile is of later messages.
      await scene().endpoints.update(scene().projectId, id, { batchSize: 9 });

      scene().deliverer().start();

      await expect.poll(() => scene().state(id), PATIENCE).toMatchObject({ waitingSinceMs: null });
      await expect.poll(() => receiver().received.length, PATIENCE).toBe(3);
      expect(receiver().told).toEqual([
        ['user-1 entered refresh'],
        ['user-1 entered refresh'],
        ['user-2 entered refresh'],
      ]);
      expect(receiver().ids[0]).toBe(receiver().ids[1]);
      expect(receiver().received[0]?.body).toBe(receiver().received[1]?.body);
      expect(receiver().ids[2]).not.toBe(receiver().ids[1]);
    });

    test('a slow endpoint keeps no other from its messages', async () => {
      await scene().evaluate();
      const slow = await WebhookReceiver.start();
      slow.answering = () => undefined;
      await scene().endpoint(slow.url);
      await scene().endpoint(receiver().url);
      scene().deliverer().start();

      await scene().evaluate(1);
      await expect.poll(() => receiver().told.length, PATIENCE).toBe(1);
      await scene().evaluate(1, 2);

      await expect.poll(() => receiver().told.length, PATIENCE).toBe(2);
      expect(slow.received).toHaveLength(1);
    });

    test('a message of which the history has nothing any more is given up, and the next is sent', async () => {
      await scene().evaluate();
      const { id } = await scene().endpoint(receiver().url);
      receiver().answering = answer(500);
      scene().deliverer().start();
      await scene().evaluate(1);
      await expect.poll(() => scene().state(id), PATIENCE).toMatchObject({ failures: 1 });
      await analytics().forgetAudience(scene().projectId, scene().audienceId);
      const { projectId, audienceId } = scene();
      await expect.poll(() => analytics().finalizedAt(projectId, audienceId), PATIENCE).toBeNull();
      receiver().answering = answer(200);
      await scene().evaluate(2);

      await scene().waitIsOver();

      // User 1 may have left before, as long as the members are not deleted.
      await expect.poll(() => receiver().told.at(-1), PATIENCE).toContain('user-2 entered refresh');
      const deliveries = await scene().endpoints.deliveries(projectId, id, { limit: 9, state: 'failed' });
      expect(deliveries).toMatchObject([{ lastAttempt: { error: 'nothing is left of these changes' } }]);
    });

    test('a stop ends what is under way without a failure, and what was sent is sent again', async () => {
      await scene().evaluate();
      const { id } = await scene().endpoint(receiver().url);
      const reached = Promise.withResolvers<void>();
      receiver().answering = () => reached.resolve();
      const first = scene().deliverer();
      first.start();
      await scene().evaluate(1);
      await reached.promise;
      await first.stop();
      expect(await scene().state(id)).toMatchObject({ failures: 0, waitingSinceMs: expect.any(Number) as number });
      receiver().answering = answer(200);

      scene().deliverer().start();

      await expect.poll(() => scene().state(id), PATIENCE).toMatchObject({ waitingSinceMs: null });
      expect(receiver().ids).toHaveLength(2);
      expect(receiver().ids[0]).toBe(receiver().ids[1]);
    });
  });
}
