import { describe, expect, test } from 'vitest';
import type { AudienceChange } from '../../services/messages/message.ts';
import { TidemarkError } from '../../services/runtime/errors.ts';
import { noteForgotten } from '../../services/webhooks/notices.ts';
import { type ChangeTopic, TOPIC_URL } from '../../services/webhooks/topic.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';
import { webhookScenes } from '../support/webhooks/webhook-scenes.ts';

const PATIENCE = { timeout: 20_000 };

/** A topic that keeps what is written to it, or fails as a test wants. */
class KeptTopic implements ChangeTopic {
  readonly records: AudienceChange[] = [];
  /** The `messageId`s of appends that failed. */
  readonly lost: string[][] = [];
  failing: Error | undefined;
  isClosed = false;

  async open(): Promise<void> {
    if (this.failing !== undefined) throw this.failing;
  }

  async append(changes: readonly AudienceChange[]): Promise<void> {
    if (this.failing !== undefined) {
      this.lost.push(changes.map(({ messageId }) => messageId));
      throw this.failing;
    }
    this.records.push(...changes);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  /** `user change cause` of each record. */
  get lines(): readonly string[] {
    return this.records.map(({ userId, change, cause }) => `${userId} ${change} ${cause}`);
  }
}

for (const tested of await testedAnalytics()) {
  describe(`topics of audiences in ${tested.name}`, () => {
    const { database, scene } = webhookScenes(tested);

    test('an endpoint that is a topic has a record for each change, in order, with its audience and traits', async () => {
      await scene().evaluate(1);
      const { id } = await scene().endpoint(TOPIC_URL, { initial: 'members', traits: 'plan' });
      await scene().evaluate(1, 2);
      const at = await scene().evaluate(1);
      const topic = new KeptTopic();

      scene().deliverer({ topic }).start();

      await expect
        .poll(() => topic.lines, PATIENCE)
        .toEqual(['user-1 entered first', 'user-2 entered refresh', 'user-2 left refresh']);
      expect(topic.records.at(-1)).toEqual({
        messageId: expect.stringMatching(new RegExp(`^msg_[0-9a-z]{24}/${at}$`)) as string,
        endpointId: id,
        projectId: scene().projectId,
        userKey: expect.stringMatching(/^02/) as string,
        userId: 'user-2',
        anonymousId: null,
        change: 'left',
        at,
        audience: { id: scene().audienceId, name: 'Pro', version: 1 },
        cause: 'refresh',
        person: null,
        traits: '{"plan":["plan",64]}',
      });
      expect(new Set(topic.records.map(({ messageId }) => messageId)).size).toBe(3);
      const [newest] = await scene().endpoints.deliveries(scene().projectId, id, { limit: 10 });
      expect(newest).toMatchObject({ state: 'delivered', lastAttempt: { status: null, error: null } });
    });

    test('what a topic does not take is written under the same ids once it does, and a wait is no longer than half a minute', async () => {
      await scene().evaluate();
      const { id } = await scene().endpoint(TOPIC_URL);
      const topic = new KeptTopic();
      topic.failing = new TidemarkError('LOG_UNAVAILABLE', 'Kafka cannot be reached');
      scene().deliverer({ topic }).start();
      await scene().evaluate(1, 2);
      await expect.poll(() => topic.lost.length, PATIENCE).toBeGreaterThan(0);
      await expect.poll(async () => (await scene().state(id)).failures, PATIENCE).toBe(1);
      const { nextAttemptAtMs } = await scene().state(id);
      const [failed] = await scene().endpoints.deliveries(scene().projectId, id, { limit: 1 });
      topic.failing = undefined;
      await scene().waitIsOver();

      await expect.poll(() => topic.lines, PATIENCE).toEqual(['user-1 entered refresh', 'user-2 entered refresh']);

      expect(topic.records.map(({ messageId }) => messageId)).toEqual(topic.lost[0]);
      expect(nextAttemptAtMs! - failed!.lastAttempt!.atMs).toBeLessThan(60_000);
      expect(failed).toMatchObject({ lastAttempt: { error: 'LOG_UNAVAILABLE: Kafka cannot be reached' } });
    });

    test('everything since a time is written again under other ids', async () => {
      await scene().evaluate();
      const { id } = await scene().endpoint(TOPIC_URL);
      const topic = new KeptTopic();
      scene().deliverer({ topic }).start();
      const since = await scene().evaluate(1);
      await scene().evaluate(1, 2);
      await expect.poll(() => topic.records.length, PATIENCE).toBe(2);

      await scene().endpoints.resendSince(scene().projectId, id, since);

      await expect.poll(() => topic.lines.slice(2), PATIENCE).toEqual(['user-2 entered refresh']);
      expect(topic.records[2]?.messageId).not.toBe(topic.records[1]?.messageId);
    });

    test('a topic is told of people who were forgotten, and a test names nobody', async () => {
      const types = ['audience.changed', 'user.forgotten'] as const;
      const { id } = await scene().endpoint(TOPIC_URL, { types });
      const person = { user_id: null, anonymous_id: 'cookie', internal_id: 'a'.repeat(64) };
      await noteForgotten(database(), scene().projectId, [person]);
      const topic = new KeptTopic();
      const deliverer = scene().deliverer({ topic });
      deliverer.start();
      await expect.poll(() => topic.records.length, PATIENCE).toBe(1);

      const tried = await deliverer.test(scene().projectId, id);

      const ofNone = { audience: null, cause: null, traits: null, endpointId: id };
      expect(topic.records).toMatchObject([
        { change: 'forgotten', anonymousId: 'cookie', userKey: 'a'.repeat(64), ...ofNone },
        { change: 'test', userId: null, anonymousId: null, userKey: '', ...ofNone },
      ]);
      expect(tried).toMatchObject({ state: 'delivered', lastAttempt: { answer: '1 record' } });
    });

    test('where the log is not on Kafka any more, an endpoint that is a topic says so and waits', async () => {
      await scene().evaluate();
      const { id } = await scene().endpoint(TOPIC_URL);
      scene().deliverer().start();
      await scene().evaluate(1);

      await expect.poll(async () => (await scene().state(id)).failures, PATIENCE).toBe(1);

      const [delivery] = await scene().endpoints.deliveries(scene().projectId, id, { limit: 1 });
      expect(delivery).toMatchObject({ state: 'waiting', lastAttempt: { status: null } });
      expect(delivery?.lastAttempt?.error).toMatch(/^KAFKA_MISSING: /);
    });

    test('an append under way holds up no stop, and counts as no failure', async () => {
      await scene().evaluate();
      const { id } = await scene().endpoint(TOPIC_URL);
      const begun = Promise.withResolvers<void>();
      const topic = new KeptTopic();
      topic.append = async () => {
        begun.resolve();
        await new Promise(() => undefined);
      };
      const deliverer = scene().deliverer({ topic });
      deliverer.start();
      await scene().evaluate(1);
      await begun.promise;

      await deliverer.stop();

      expect(topic.isClosed).toBe(true);
      expect(await scene().state(id)).toMatchObject({ failures: 0, waitingSinceMs: expect.any(Number) as number });
    });
  });
}
