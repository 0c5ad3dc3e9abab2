import { describe, expect, test } from 'vitest';
import type { Database } from '../../services/stores/database/database.ts';
import { begun, claimScene, LEASE_MS } from './endpoint-claims.ts';
import { SETTINGS } from './endpoint-store.ts';

/** Which endpoint is sent to next, for how long, and since when it has been waiting. */
export function testEndpointOrder(name: string, database: () => Database): void {
  const scene = () => claimScene(database());

  describe(`turns of endpoints: ${name}`, () => {
    test.each([{ isEnabled: false }, { url: 'https://b.example/' }])(
      'an endpoint that is changed (%o) while it is sent to has nothing to send by the claim of before',
      async (changes) => {
        const one = await scene();
        await one.evaluated(one.audiences[0], 10n);
        const { endpoint } = await one.store.create(one.project, SETTINGS);
        await one.evaluated(one.audiences[0], 20n);
        // The time of a change is in milliseconds.
        await database().query('update endpoints set updated_at_ms = updated_at_ms - 1');
        const claim = await one.claimed();
        expect(await one.claims.behind(claim)).toMatchObject({ audienceId: one.audiences[0] });
        await begun(one, claim, 20n);

        await one.store.update(one.project, endpoint.id, changes);

        expect([await one.claims.waiting(claim), await one.claims.behind(claim)]).toEqual([undefined, undefined]);
        expect(await one.claims.renew(claim, LEASE_MS)).toBe(true);
      },
    );

    test('the claim of an endpoint that is deleted is lost', async () => {
      const one = await scene();
      await one.evaluated(one.audiences[0], 10n);
      const { endpoint } = await one.store.create(one.project, SETTINGS);
      await one.evaluated(one.audiences[0], 20n);
      const claim = await one.claimed();

      await one.store.remove(one.project, endpoint.id);

      expect(await one.claims.renew(claim, LEASE_MS)).toBe(false);
    });

    test('the endpoints of a project come by turns, and those of a project that is named not at all', async () => {
      const one = await scene();
      await one.evaluated(one.audiences[0], 10n);
      const made = [await one.store.create(one.project, SETTINGS), await one.store.create(one.project, SETTINGS)];
      await one.evaluated(one.audiences[0], 20n);
      const came: string[] = [];

      for (let turn = 0; turn < 4; turn++) {
        const claim = await one.claimed();
        came.push(claim.endpoint.id);
        await one.claims.release(claim);
        // The time of a turn is in milliseconds.
        await database().query('update endpoints set claimed_until_ms = claimed_until_ms - 10');
      }

      expect(came.slice(0, 2).toSorted()).toEqual(made.map(({ endpoint }) => endpoint.id).toSorted());
      expect(came.slice(2)).toEqual(came.slice(0, 2));
      expect(await one.claims.claimDue(LEASE_MS, '', [one.project])).toBeUndefined();
      expect(await one.claims.claimDue(LEASE_MS, '', [one.other, ''])).toBeDefined();
    });

    test.each([
      ['an evaluation that found changes', 1n, 0n, 30],
      ['one that found nothing', 0n, 0n, null],
    ])('a message that nobody has begun waits since %s', async (_, entered, left, since) => {
      const one = await scene();
      await one.evaluated(one.audiences[0], 10n);
      const { endpoint } = await one.store.create(one.project, SETTINGS);
      const sql = `insert into audience_evaluations (audience_id, evaluated_at, version, cause, members, entered, left_members)
                   values ($1, 30000, 1, 'refresh', 1, $2, $3), ($1, 40000, 1, 'refresh', 1, 0, 0)`;
      await database().query(sql, [one.audiences[0], entered, left]);
      await one.evaluated(one.audiences[0], 40_000n);

      expect(await one.claims.oldestWaitingMs()).toBe(since);
      expect(await one.store.find(one.project, endpoint.id)).toMatchObject({ waitingSinceMs: since });
      await one.store.update(one.project, endpoint.id, { isEnabled: false });
      expect(await one.claims.oldestWaitingMs()).toBeNull();
    });
  });
}
