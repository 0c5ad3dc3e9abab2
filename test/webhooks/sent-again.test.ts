/** What went out under an id once stays that list, less who was forgotten. */
import { describe, expect, test } from 'vitest';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';
import { answer } from '../support/webhooks/webhook-receiver.ts';
import { webhookScenes } from '../support/webhooks/webhook-scenes.ts';

const PATIENCE = { timeout: 20_000 };

for (const tested of await testedAnalytics()) {
  describe(`messages that are sent again, with audiences in ${tested.name}`, () => {
    const { analytics, scene, receiver } = webhookScenes(tested);

    async function forget(...users: readonly number[]): Promise<void> {
      const keys = users.map((user) => `0${user}${'0'.repeat(62)}`);
      const { signal } = new AbortController();
      await analytics().forget({ projectId: scene().projectId, users: keys }, { signal });
    }

    /** The receiver refuses the first message; what it was, by users. */
    async function firstAttempt(): Promise<readonly string[]> {
      receiver().answering = answer(503);
      scene().deliverer().start();
      await expect.poll(() => receiver().received.length, PATIENCE).toBe(1);
      await expect.poll(async () => (await states()).map(({ failures }) => failures), PATIENCE).toEqual([1]);
      receiver().answering = answer(200);
      return receiver().told[0] ?? [];
    }

    const states = () => scene().endpoints.list(scene().projectId);

    async function allDelivered(): Promise<void> {
      await scene().waitIsOver();
      await expect.poll(async () => (await states())[0]?.waitingSinceMs, PATIENCE).toBeNull();
    }

    test('a message is not filled up from the next one after somebody of it was forgotten', async () => {
      await scene().evaluate();
      await scene().endpoint(receiver().url, { batchSize: 3 });
      await scene().evaluate(1, 2, 3, 4, 5, 6, 7);
      const first = await firstAttempt();

      await forget(2);
      await allDelivered();

      const entered = (...users: readonly number[]) => users.map((user) => `user-${user} entered refresh`);
      expect(first).toEqual(entered(1, 2, 3));
      expect(receiver().told.slice(1)).toEqual([entered(1, 3), entered(4, 5, 6), entered(7)]);
      expect(receiver().ids[1]).toBe(receiver().ids[0]);
      expect(new Set(receiver().ids.slice(1)).size).toBe(3);
    });

    test('initial members who leave, and who leave and come back, stay in the message that is sent again', async () => {
      await scene().evaluate(1, 2, 3, 4);
      await scene().endpoint(receiver().url, { initial: 'members', batchSize: 3 });
      const first = await firstAttempt();

      await scene().evaluate(3);
      await scene().evaluate(1, 3, 9);
      await allDelivered();

      expect(first).toEqual(['user-1 entered first', 'user-2 entered first', 'user-3 entered first']);
      expect(receiver().told.slice(1)).toEqual([
        first,
        ['user-4 entered first'],
        ['user-1 left refresh', 'user-2 left refresh', 'user-4 left refresh'],
        ['user-1 entered refresh', 'user-9 entered refresh'],
      ]);
      expect(receiver().ids[1]).toBe(receiver().ids[0]);
    });

    test('a delivery that a caller sends again is the list that it was, less who was forgotten', async () => {
      await scene().evaluate(1, 2, 3);
      const { id } = await scene().endpoint(receiver().url, { initial: 'members', batchSize: 2 });
      scene().deliverer().start();
      await scene().evaluate(1, 2, 3, 4, 5, 6);
      await expect.poll(() => receiver().received.length, PATIENCE).toBe(4);
      const [initial, , changed] = receiver().told;
      expect([initial, changed]).toEqual([
        ['user-1 entered first', 'user-2 entered first'],
        ['user-4 entered refresh', 'user-5 entered refresh'],
      ]);
      await forget(2, 4);
      await scene().evaluate(3);

      await expect.poll(() => receiver().received.length, PATIENCE).toBeGreaterThan(4);
      await allDelivered();
      const before = receiver().received.length;
      for (const delivery of [receiver().ids[0], receiver().ids[2]])
        await scene().endpoints.resend(scene().projectId, id, delivery ?? '');
      await expect.poll(() => receiver().received.length, PATIENCE).toBe(before + 2);

      expect(receiver().told.slice(before)).toEqual([['user-1 entered first'], ['user-5 entered refresh']]);
      expect(receiver().ids.slice(before)).toEqual([receiver().ids[0], receiver().ids[2]]);
    });
  });
}
