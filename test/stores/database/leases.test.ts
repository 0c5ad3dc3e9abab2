import { beforeEach, describe, expect, test } from 'vitest';
import { keepRenewing, IS_FREE, Leases, NEW_LEASE } from '../../../services/stores/database/leases.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { eventually } from '../../support/eventually.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';

const LEASE_MS = 60_000;

describe.each(DATABASES)('a lease of a row: $name', ({ share }) => {
  const database = share();
  let leases: Leases;
  let id: string;
  beforeEach(async () => {
    await database().script('truncate projects, api_keys, audiences cascade');
    leases = new Leases(database(), 'audiences');
    const project = await new SqlProjectStore(database()).createProject({
      name: 'A',
      timezone: 'UTC',
      rateLimit: null,
    });
    const audience = { name: 'One', definition: '{}', refreshMs: null };
    ({ id } = await new SqlAudienceStore(database(), 9).create(project.id, audience));
  });

  const take = async (forMs: number) => {
    const token = Leases.newToken();
    const sql = `update audiences set ${NEW_LEASE} where ${IS_FREE} and id = $3 returning id`;
    const [row] = await database().query<{ id: string }>(sql, [token, BigInt(forMs), id]);
    return row && { id: row.id, token };
  };
  const rename = (name: string, lease: { id: string; token: string }) =>
    leases.changeLeased(lease, 'name = $3', [name]);
  const runOut = () => database().query('update audiences set claimed_until_ms = 1');

  test('one of several that want it at once has it, and the others have it once it is released', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => take(LEASE_MS)));
    const [held, ...others] = all.filter((lease) => lease !== undefined);
    expect([held === undefined, others]).toEqual([false, []]);

    if (held !== undefined) await leases.release(held);

    expect(await take(LEASE_MS)).toMatchObject({ id });
  });

  test('whoever died with it loses it to another, and then changes nothing, renews nothing and releases nothing', async () => {
    const dead = await take(LEASE_MS);
    await runOut();
    const next = await take(LEASE_MS);
    if (dead === undefined || next === undefined) throw new Error('it could not be taken');

    expect([await rename('Dead', dead), await leases.renew(dead, LEASE_MS)]).toEqual([false, false]);
    await leases.release(dead);

    expect(await take(LEASE_MS)).toBeUndefined();
    expect(await rename('Next', next)).toBe(true);
  });

  test('one that ran out changes nothing, also where nobody has taken it since', async () => {
    const lease = await take(LEASE_MS);
    if (lease === undefined) throw new Error('it could not be taken');
    await runOut();

    expect([await rename('Late', lease), await leases.renew(lease, LEASE_MS)]).toEqual([false, false]);
  });

  test('it is kept for longer than it is valid while it is renewed, and its holder learns that it was lost', async () => {
    const lease = await take(2_000);
    if (lease === undefined) throw new Error('it could not be taken');
    let isLost = false;
    const end = keepRenewing(
      () => leases.renew(lease, LEASE_MS),
      100,
      () => (isLost = true),
    );
    const sql =
      'select claimed_until_ms - (extract(epoch from now()) * 1000)::int8 > 10000 as is_renewed from audiences';
    await eventually(async () => expect(await database().query(sql)).toEqual([{ is_renewed: true }]));
    expect([await take(LEASE_MS), isLost]).toEqual([undefined, false]);

    await runOut();

    await eventually(async () => expect(isLost).toBe(true));
    end();
  });
});
