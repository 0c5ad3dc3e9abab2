import { describe, expect, test } from 'vitest';
import { SqlAudienceStore } from '../../services/questions/saved/sql-audience-store.ts';
import type { Database } from '../../services/stores/database/database.ts';
import { deleteProject } from '../../services/stores/projects/delete-project.ts';
import { SqlProjectStore } from '../../services/stores/projects/sql-project-store.ts';
import type { EndpointClaim, WaitingDelivery } from '../../services/webhooks/endpoint-store.ts';
import { SqlEndpointClaims } from '../../services/webhooks/sql-endpoint-claims.ts';
import { SqlEndpointStore } from '../../services/webhooks/sql-endpoint-store.ts';
import { SETTINGS } from './endpoint-store.ts';

export const LEASE_MS = 60_000;
const ATTEMPT = { atMs: 5, status: 200, error: null, tookMs: 3, answer: 'ok' };

/** What `testEndpointStore` begins with, in a database that is emptied. */
export async function emptiedEndpoints(database: Database) {
  await database.script('truncate projects, api_keys, audiences cascade');
  const projects = new SqlProjectStore(database);
  const made = { name: 'Shop', timezone: 'UTC', rateLimit: null };
  const [project, other] = [(await projects.createProject(made)).id, (await projects.createProject(made)).id];
  const saved = new SqlAudienceStore(database, 100);
  const save = async (projectId: string, name: string): Promise<string> =>
    (await saved.create(projectId, { name, definition: '{"trait":"n","is":1}', refreshMs: null })).id;
  const audiences = [await save(project, 'One'), await save(project, 'Two')] as const;
  const store = new SqlEndpointStore(database);
  return { store, project, other, audiences, foreign: await save(other, 'Three') };
}

export async function claimScene(database: Database) {
  const opened = await emptiedEndpoints(database);
  const claims = new SqlEndpointClaims(database);
  const claimed = async (): Promise<EndpointClaim> => {
    const claim = await claims.claimDue(LEASE_MS, '');
    if (claim === undefined) throw new Error('nothing is due');
    return claim;
  };
  /** As if an evaluation had found changes. */
  const evaluated = async (id: string, at: bigint): Promise<void> => {
    const sql = 'update audiences set evaluated_at = $2::int8, changes_readable_at = $2::int8 where id = $1';
    await database.query(sql, [id, at]);
  };
  return { ...opened, claims, claimed, evaluated };
}

type Scene = Awaited<ReturnType<typeof claimScene>>;

/** A message of what the audience has up to this evaluation, begun. */
export async function begun({ claims }: Scene, claim: EndpointClaim, at: bigint): Promise<WaitingDelivery> {
  const behind = await claims.behind(claim);
  if (behind === undefined) throw new Error('nothing is behind');
  const { audienceId, audienceName, position: from } = behind;
  const to = { isInitial: false, at, afterUser: null };
  const delivery = await claims.begin(claim, { audienceId, audienceName, from, to, changes: 2 });
  if (delivery === undefined) throw new Error('the claim is lost');
  return delivery;
}

/** What holds of the rows that messages are sent by. */
export function testEndpointClaims(name: string, database: () => Database): void {
  const scene = () => claimScene(database());

  describe(`claims on endpoints: ${name}`, () => {
    test('an endpoint is due once there are changes after its beginning, and one claim has it', async () => {
      const one = await scene();
      await one.evaluated(one.audiences[0], 10n);
      await one.store.create(one.project, SETTINGS);

      expect(await one.claims.claimDue(LEASE_MS, '')).toBeUndefined();
      await one.evaluated(one.audiences[0], 20n);
      const claim = await one.claimed();

      expect(await one.claims.claimDue(LEASE_MS, '')).toBeUndefined();
      expect(await one.claims.behind(claim)).toMatchObject({
        audienceId: one.audiences[0],
        audienceName: 'One',
        position: { isInitial: false, at: 10n, afterUser: null },
      });
      await one.claims.release(claim);
      expect(await one.claims.claimDue(LEASE_MS, '')).toMatchObject({ endpoint: { id: claim.endpoint.id } });
    });

    test('a message waits until it is delivered, and then the position is behind it', async () => {
      const one = await scene();
      await one.evaluated(one.audiences[0], 10n);
      const { endpoint } = await one.store.create(one.project, SETTINGS);
      await one.evaluated(one.audiences[0], 20n);
      const claim = await one.claimed();
      const delivery = await begun(one, claim, 20n);

      expect(await one.claims.waiting(claim)).toEqual(delivery);
      expect((await one.store.find(one.project, endpoint.id)).waitingSinceMs).toBe(delivery.createdAtMs);
      expect(await one.claims.oldestWaitingMs()).toBe(delivery.createdAtMs);
      expect(await one.claims.delivered(claim, delivery, ATTEMPT)).toBe(true);

      expect(await one.claims.waiting(claim)).toBeUndefined();
      expect(await one.claims.behind(claim)).toBeUndefined();
      expect(await one.claims.oldestWaitingMs()).toBeNull();
      expect(await one.store.deliveries(one.project, endpoint.id, { limit: 9 })).toMatchObject([
        { id: delivery.id, state: 'delivered', attempts: 1, changes: 2, lastAttempt: ATTEMPT },
      ]);
    });

    test('after a failure nothing is due until its wait is over, or the endpoint is changed', async () => {
      const one = await scene();
      await one.evaluated(one.audiences[0], 10n);
      const { endpoint } = await one.store.create(one.project, SETTINGS);
      await one.evaluated(one.audiences[0], 20n);
      const claim = await one.claimed();
      const delivery = await begun(one, claim, 20n);
      const failure = { attempt: { ...ATTEMPT, status: 500 }, nextInMs: LEASE_MS, isGone: false };

      await one.claims.failed(claim, delivery, failure);
      await one.claims.release(claim);

      expect(await one.claims.claimDue(LEASE_MS, '')).toBeUndefined();
      const failing = await one.store.find(one.project, endpoint.id);
      expect(failing).toMatchObject({ failures: 1, disabled: null, nextAttemptAtMs: expect.any(Number) as number });
      await one.store.update(one.project, endpoint.id, { url: 'https://b.example/' });
      const again = await one.claimed();
      expect(again.endpoint).toMatchObject({ failures: 0, nextAttemptAtMs: null });
      expect(await one.claims.waiting(again)).toEqual(delivery);
    });

    test('an endpoint that is gone, or was disabled, is not due', async () => {
      const one = await scene();
      await one.evaluated(one.audiences[0], 10n);
      const { endpoint } = await one.store.create(one.project, SETTINGS);
      await one.evaluated(one.audiences[0], 20n);
      const claim = await one.claimed();
      const delivery = await begun(one, claim, 20n);

      await one.claims.failed(claim, delivery, { attempt: ATTEMPT, nextInMs: 0, isGone: true });
      await one.claims.release(claim);

      expect(await one.store.find(one.project, endpoint.id)).toMatchObject({ disabled: 'gone' });
      expect([await one.claims.claimDue(LEASE_MS, ''), await one.claims.oldestWaitingMs()]).toEqual([undefined, null]);
      await one.store.update(one.project, endpoint.id, { isEnabled: true });
      expect(await one.claims.waiting(await one.claimed())).toEqual(delivery);
    });

    test('without its claim, a method changes nothing', async () => {
      const one = await scene();
      await one.evaluated(one.audiences[0], 10n);
      await one.store.create(one.project, SETTINGS);
      await one.evaluated(one.audiences[0], 20n);
      const claim = await one.claimed();
      const delivery = await begun(one, claim, 20n);
      await one.claims.release(claim);
      const failure = { attempt: ATTEMPT, nextInMs: LEASE_MS, isGone: true };

      expect(await one.claims.renew(claim, LEASE_MS)).toBe(false);
      expect(await one.claims.delivered(claim, delivery, ATTEMPT)).toBe(false);
      expect(await one.claims.failed(claim, delivery, failure)).toBe(false);
      expect(await one.claims.begin(claim, delivery.range)).toBeUndefined();
      expect(await one.claims.waiting(await one.claimed())).toEqual(delivery);
    });

    test('what is sent again since a time is not passed over by a message that was under way', async () => {
      const one = await scene();
      await one.evaluated(one.audiences[0], 10n);
      const { endpoint } = await one.store.create(one.project, SETTINGS);
      await one.evaluated(one.audiences[0], 20n);
      const claim = await one.claimed();
      const delivery = await begun(one, claim, 20n);

      await one.store.resendSince(one.project, endpoint.id, 5n);
      await one.claims.delivered(claim, delivery, ATTEMPT);

      expect(await one.claims.behind(claim)).toMatchObject({ position: { at: 5n, afterUser: null } });
    });

    test('a delivery that is sent again waits under its id', async () => {
      const one = await scene();
      await one.evaluated(one.audiences[0], 10n);
      const { endpoint } = await one.store.create(one.project, SETTINGS);
      await one.evaluated(one.audiences[0], 20n);
      const claim = await one.claimed();
      const delivery = await begun(one, claim, 20n);
      await one.claims.delivered(claim, delivery, ATTEMPT);
      await one.claims.release(claim);

      const again = await one.store.resend(one.project, endpoint.id, delivery.id);

      expect(again).toMatchObject({ id: delivery.id, state: 'waiting' });
      expect(await one.claims.waiting(await one.claimed())).toEqual(delivery);
    });

    test('with the members first, an audience begins with them; one that comes later with its first evaluation', async () => {
      const one = await scene();
      await one.evaluated(one.audiences[0], 10n);
      await one.store.create(one.project, { ...SETTINGS, initial: 'members' });
      await one.evaluated(one.audiences[1], 20n);
      const claim = await one.claimed();

      const first = await one.claims.behind(claim);
      const later = { audienceId: one.audiences[1], audienceName: 'Two' };
      expect(first).toMatchObject({ ...later, position: { isInitial: false } });
      const to = { isInitial: false, at: 20n, afterUser: null };
      await one.claims.pass(claim, { ...later, from: first!.position, to });
      expect(await one.claims.behind(claim)).toMatchObject({
        audienceId: one.audiences[0],
        position: { isInitial: true, at: 10n, afterUser: null },
      });
    });

    test('audiences that are not wanted are not behind, and one that comes later begins then', async () => {
      const one = await scene();
      for (const id of one.audiences) await one.evaluated(id, 10n);
      const { endpoint } = await one.store.create(one.project, { ...SETTINGS, audiences: [one.audiences[0]] });
      for (const id of one.audiences) await one.evaluated(id, 20n);
      const claim = await one.claimed();

      expect(await one.claims.behind(claim)).toMatchObject({ audienceId: one.audiences[0] });
      await one.store.update(one.project, endpoint.id, { audiences: [one.audiences[1]] });
      await one.claims.release(claim);
      expect(await one.claims.claimDue(LEASE_MS, '')).toBeUndefined();
      await one.evaluated(one.audiences[1], 30n);
      const next = await one.claimed();
      expect(await one.claims.behind(next)).toMatchObject({ audienceId: one.audiences[1], position: { at: 20n } });
    });

    test('old deliveries are deleted, and those that wait are kept', async () => {
      const one = await scene();
      await one.evaluated(one.audiences[0], 10n);
      const { endpoint } = await one.store.create(one.project, SETTINGS);
      await one.evaluated(one.audiences[0], 20n);
      const claim = await one.claimed();
      const delivery = await begun(one, claim, 20n);
      const test = await one.claims.noteTest(endpoint, 'msg_test', false, ATTEMPT);
      const daysAgo = async (days: number): Promise<void> => {
        const sql = 'update endpoint_deliveries set created_at_ms = $1::int8';
        await database().query(sql, [BigInt(Date.now() - days * 86_400_000)]);
        await one.claims.deleteOld();
      };
      const ids = async (): Promise<readonly string[]> =>
        (await one.store.deliveries(one.project, endpoint.id, { limit: 9 })).map(({ id }) => id);

      await daysAgo(6);
      expect(await ids()).toEqual([test.id, delivery.id]);
      await daysAgo(8);
      expect(await ids()).toEqual([delivery.id]);
    });

    test('the newest 100,000 deliveries of an endpoint are kept', async () => {
      const one = await scene();
      const { endpoint } = await one.store.create(one.project, SETTINGS);
      await database().query(
        `insert into endpoint_deliveries (id, endpoint_id, type, state, created_at_ms)
         select 'msg_' || n, $1, 'endpoint.test', 'delivered', $2::int8 from generate_series(1, 100003) n`,
        [endpoint.id, BigInt(Date.now())],
      );

      await one.claims.deleteOld();

      const [row] = await database().query(
        'select count(*)::int4 as n, min(sequence) as oldest from endpoint_deliveries',
      );
      const [last] = await one.store.deliveries(one.project, endpoint.id, { limit: 1 });
      expect(row).toEqual({ n: 100_000, oldest: (last?.sequence ?? 0n) - 99_999n });
    });

    test('deliveries are listed newest first, in pages, by their state', async () => {
      const one = await scene();
      const { endpoint } = await one.store.create(one.project, SETTINGS);
      for (const id of ['msg_a', 'msg_b', 'msg_c']) await one.claims.noteTest(endpoint, id, id !== 'msg_b', ATTEMPT);
      const list = one.store.deliveries.bind(one.store, one.project, endpoint.id);

      const [first] = await list({ limit: 1 });
      const rest = await list({ limit: 9, before: first?.sequence ?? 0n });

      expect([first, ...rest].map((one) => one?.id)).toEqual(['msg_c', 'msg_b', 'msg_a']);
      expect((await list({ limit: 9, state: 'failed' })).map(({ id }) => id)).toEqual(['msg_b']);
    });

    test('a deleted project and a deleted audience leave nothing of their endpoints', async () => {
      const one = await scene();
      await one.evaluated(one.audiences[0], 10n);
      const { endpoint } = await one.store.create(one.project, SETTINGS);
      await one.claims.noteTest(endpoint, 'msg_a', true, ATTEMPT);

      await deleteProject(database(), one.project, 'Shop');

      for (const table of ['endpoints', 'endpoint_positions', 'endpoint_deliveries']) {
        expect(await database().query(`select 1 from ${table}`), table).toEqual([]);
      }
    });

    test('while a secret is replaced both sign, and afterwards the new one alone', async () => {
      const one = await scene();
      const { endpoint, secret } = await one.store.create(one.project, SETTINGS);

      const fresh = await one.store.rotate(one.project, endpoint.id, 60_000);
      expect(await one.claims.secretsOf(endpoint)).toEqual([fresh.secret, secret]);
      const last = await one.store.rotate(one.project, endpoint.id, 0);
      expect(await one.claims.secretsOf(endpoint)).toEqual([last.secret]);
    });
  });
}
