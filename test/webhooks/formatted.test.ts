import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { note } from '../../services/webhooks/notices.ts';
import { SETTINGS } from '../contract/endpoint-store.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';
import { webhookScenes } from '../support/webhooks/webhook-scenes.ts';

const PATIENCE = { timeout: 20_000 };

for (const tested of await testedAnalytics()) {
  describe(`webhooks for chats, of audiences in ${tested.name}`, () => {
    const { database, scene, receiver } = webhookScenes(tested);

    test('an endpoint of a chat gets a signed text, and the others the documented body', async () => {
      const settings = { ...SETTINGS, url: receiver().url, types: ['audience.changed', 'watch.raised'] as const };
      const chat = await scene().endpoints.create(scene().projectId, { ...settings, format: 'slack' });
      await scene().endpoints.create(scene().projectId, settings);
      await note(database(), { type: 'watch.raised', projectId: scene().projectId, data: { text: 'a < b' } });
      await scene().evaluate(1);
      scene().deliverer().start();

      await scene().evaluate(2);

      await expect.poll(() => receiver().received.length, PATIENCE).toBe(4);
      const texts = receiver().received.filter(({ body }) => body.includes('mrkdwn'));
      expect(texts.map(({ body, headers }) => new Webhook(chat.secret).verify(body, headers))).toEqual([
        { text: 'a &lt; b', mrkdwn: false },
        { text: 'Audience Pro: 1 left (user-1); 1 entered (user-2).', mrkdwn: false },
      ]);
      const others = receiver().received.filter((one) => !texts.includes(one));
      expect(others.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
        'watch.raised',
        'audience.changed',
      ]);
    });

    test('the format of an endpoint is changed, and counts from the next attempt on', async () => {
      receiver().answering = (res) => res.writeHead(503).end();
      const { id } = await scene().endpoint(receiver().url, { types: ['watch.raised'] });
      await note(database(), { type: 'watch.raised', projectId: scene().projectId, data: { text: 'none' } });
      scene().deliverer().start();
      await expect.poll(() => receiver().received.length, PATIENCE).toBe(1);

      await scene().endpoints.update(scene().projectId, id, { format: 'discord' });
      await scene().waitIsOver();

      await expect.poll(() => receiver().received.length, PATIENCE).toBeGreaterThan(1);
      expect(JSON.parse(receiver().received[1]?.body ?? '')).toMatchObject({ content: 'none' });
    });
  });
}
