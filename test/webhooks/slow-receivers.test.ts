import { describe, expect, test } from 'vitest';
import { SqlProjectStore } from '../../services/stores/projects/sql-project-store.ts';
import { noteForgotten } from '../../services/webhooks/notices.ts';
import { SETTINGS } from '../contract/endpoint-store.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { webhookScenes } from '../support/webhooks/webhook-scenes.ts';

const PATIENCE = { timeout: 20_000 };
const PERSON = { user_id: 'ada', anonymous_id: null, internal_id: 'a'.repeat(64) };

for (const tested of await testedAnalytics()) {
  describe(`slow receivers, with audiences in ${tested.name}`, () => {
    const { database, scene, receiver } = webhookScenes(tested);

    test('the deletion of an endpoint ends its turn, whatever its receiver does', async () => {
      await scene().evaluate();
      const { id } = await scene().endpoint(receiver().url);
      receiver().answering = () => undefined;
      const deliverer = scene().deliverer({ timeoutMs: 600_000, leaseMs: 3_000 });
      deliverer.start();
      await scene().evaluate(1);
      await expect.poll(() => receiver().received.length, PATIENCE).toBe(1);
      const metrics = (): Promise<string> => deliverer.metrics();
      expect(await metrics()).toContain('tidemark_webhook_turns 1');

      await scene().endpoints.remove(scene().projectId, id);

      await expect.poll(metrics, PATIENCE).toContain('tidemark_webhook_turns 0');
      expect(await metrics()).toContain('tidemark_webhook_oldest_turn_seconds 0');
      expect(scene().warnings).toEqual([]);
    });

    test('slow receivers of some projects keep those of another from nothing, also when their endpoints are made anew', async () => {
      const slow = await WebhookReceiver.start();
      slow.answering = () => undefined;
      const projects = new SqlProjectStore(database());
      const tell = async (projectId: string, endpoints: number, url: string): Promise<readonly string[]> => {
        const ids: string[] = [];
        const settings = { ...SETTINGS, url, types: ['user.forgotten'] as const };
        for (let n = 0; n < endpoints; n++) ids.push((await scene().endpoints.create(projectId, settings)).endpoint.id);
        await noteForgotten(database(), projectId, [PERSON]);
        return ids;
      };
      const made = { name: 'Slow', timezone: 'UTC', rateLimit: null };
      const slowProjects = [await projects.createProject(made), await projects.createProject(made)];
      const deliverer = scene().deliverer({ timeoutMs: 600_000, leaseMs: 600_000 });
      deliverer.start();
      for (const { id: projectId } of slowProjects) {
        const before = slow.received.length;
        const ids = await tell(projectId, 20, slow.url);
        await expect.poll(() => slow.received.length, PATIENCE).toBeGreaterThan(before);
        for (const id of ids) await scene().endpoints.remove(projectId, id);
        await tell(projectId, 20, slow.url);
      }

      await tell(scene().projectId, 1, receiver().url);

      await expect.poll(() => receiver().received.length, PATIENCE).toBe(1);
      expect(slow.received.length).toBeLessThan(32);
    });
  });
}
