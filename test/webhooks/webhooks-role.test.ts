/** What other processes leave to those of the role `webhooks`: endpoints that are URLs, and their tests. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SqlProcessStore } from '../../services/stores/service-state/sql-process-store.ts';
import { SqlEndpointClaims } from '../../services/webhooks/sql-endpoint-claims.ts';
import { TOPIC_URL } from '../../services/webhooks/topic.ts';
import { claimScene, LEASE_MS } from '../contract/endpoint-claims.ts';
import { SETTINGS } from '../contract/endpoint-store.ts';
import { testedAnalytics } from '../support/stores/tested-analytics.ts';
import { DATABASES } from '../support/stores/tested-databases.ts';
import { answer } from '../support/webhooks/webhook-receiver.ts';
import { webhookScenes } from '../support/webhooks/webhook-scenes.ts';

const WEBHOOKS_PROCESS = { id: 'a-1', role: 'webhooks', version: '1', startedAtMs: 0, parts: {}, rates: {} };
const GOOD_ATTEMPT = { atMs: 5, status: 200, error: null, tookMs: 3, answer: 'ok' };

describe.each(DATABASES)('endpoints and the role webhooks on $name', ({ share }) => {
  const database = share();

  async function scene(url = SETTINGS.url) {
    const one = await claimScene(database());
    const processes = new SqlProcessStore(database());
    onTestFinished(async () => void (await database().query('delete from processes')));
    await one.evaluated(one.audiences[0], 10n);
    const { endpoint } = await one.store.create(one.project, { ...SETTINGS, url });
    await one.evaluated(one.audiences[0], 20n);
    const webhooks = new SqlEndpointClaims(database(), 'webhooks');
    /** Whether this process may send to it now; it does not. */
    const mayClaim = async (claims: SqlEndpointClaims): Promise<boolean> => {
      const claim = await claims.claimDue(LEASE_MS, '');
      if (claim !== undefined) await claims.release(claim);
      return claim !== undefined;
    };
    return { ...one, processes, endpoint, webhooks, mayClaim };
  }

  test('a URL is left to the role webhooks while one of its processes reports, and an hour longer', async () => {
    const { claims: others, webhooks, processes, mayClaim } = await scene();
    const both = async () => [await mayClaim(others), await mayClaim(webhooks)];

    await processes.report({ ...WEBHOOKS_PROCESS, role: 'sink' });
    expect(await both()).toEqual([true, true]);
    await processes.report(WEBHOOKS_PROCESS);
    expect(await both()).toEqual([false, true]);
    await database().query('update processes set beat_at_ms = beat_at_ms - 3500000');
    expect(await both()).toEqual([false, true]);
    await database().query('update processes set beat_at_ms = beat_at_ms - 200000');
    expect(await both()).toEqual([true, true]);
  });

  test('a URL is not left to a process of the role webhooks that stopped in order', async () => {
    const { claims: others, processes, mayClaim } = await scene();
    await processes.report(WEBHOOKS_PROCESS);

    await processes.remove(WEBHOOKS_PROCESS.id);

    expect(await mayClaim(others)).toBe(true);
  });

  test('a topic is sent to by the other roles alone', async () => {
    const { claims: others, webhooks, processes, mayClaim, endpoint } = await scene(TOPIC_URL);
    await processes.report(WEBHOOKS_PROCESS);

    expect([await mayClaim(others), await mayClaim(webhooks)]).toEqual([true, false]);
    expect(await others.leaveTest(endpoint, 'msg_t')).toBe(false);
  });

  test('a test is left to one process of the role webhooks, also of an endpoint that is disabled', async () => {
    const { claims: others, webhooks, processes, store, project, endpoint } = await scene();
    await store.update(project, endpoint.id, { isEnabled: false });
    expect(await others.leaveTest(endpoint, 'msg_none')).toBe(false);
    await processes.report(WEBHOOKS_PROCESS);

    expect(await others.leaveTest(endpoint, 'msg_t')).toBe(true);
    expect([await others.takeTest([]), await webhooks.takeTest([project])]).toEqual([undefined, undefined]);
    const left = await webhooks.takeTest([]);
    expect(left).toMatchObject({ testId: 'msg_t', endpoint: { id: endpoint.id }, secrets: [expect.any(String)] });
    expect([await webhooks.takeTest([]), await others.tested('msg_t')]).toEqual([undefined, undefined]);
    const noted = await webhooks.noteTest(endpoint, 'msg_t', true, GOOD_ATTEMPT);

    expect(await others.tested('msg_t')).toEqual(noted);
    expect(noted).toMatchObject({ state: 'delivered', attempts: 1, lastAttempt: GOOD_ATTEMPT });
  });

  test('a test that waits is no message in turn', async () => {
    const { claims: others, webhooks, processes, endpoint, claimed } = await scene();
    const claim = await claimed();
    await processes.report(WEBHOOKS_PROCESS);

    await others.leaveTest(endpoint, 'msg_t');

    expect(await webhooks.waiting(claim)).toBeUndefined();
    expect(await webhooks.behind(claim)).toBeDefined();
  });
});

const [tested] = await testedAnalytics();

describe('a test of an endpoint where a process has the role webhooks', () => {
  const { database, scene, receiver } = webhookScenes(tested!);

  async function withRole() {
    await new SqlProcessStore(database()).report(WEBHOOKS_PROCESS);
    onTestFinished(async () => void (await database().query('delete from processes')));
    const { endpoint, secret } = await scene().endpoints.create(scene().projectId, {
      ...SETTINGS,
      url: receiver().url,
    });
    return { endpoint, secret, sender: scene().deliverer({ claims: new SqlEndpointClaims(database(), 'webhooks') }) };
  }

  test.each([
    [204, 'delivered'],
    [500, 'failed'],
  ])('what is answered (%i) is known where the test was asked for (%s), and it is sent once', async (status, state) => {
    const { endpoint, secret, sender } = await withRole();
    await scene().endpoints.update(scene().projectId, endpoint.id, { isEnabled: false });
    receiver().answering = answer(status);
    sender.start();

    const delivery = await scene().deliverer().test(scene().projectId, endpoint.id);

    expect(delivery).toMatchObject({ type: 'endpoint.test', state, attempts: 1, lastAttempt: { status } });
    expect(receiver().ids).toEqual([delivery.id]);
    const { body = '', headers = {} } = receiver().received[0] ?? {};
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ data: { endpoint_id: endpoint.id } });
    expect(await scene().state(endpoint.id)).toMatchObject({ failures: 0, waitingSinceMs: null });
  });

  test('a test that no process takes in time has failed, and is not sent later', async () => {
    const { endpoint, sender } = await withRole();

    const delivery = await scene().deliverer({ testedWithinMs: 20 }).test(scene().projectId, endpoint.id);

    expect(delivery).toMatchObject({ state: 'failed', lastAttempt: { status: null } });
    expect(delivery.lastAttempt?.error).toContain('no process of the role webhooks');
    sender.start();
    const sent = await scene().deliverer().test(scene().projectId, endpoint.id);
    expect(receiver().ids).toEqual([sent.id]);
  });
});
