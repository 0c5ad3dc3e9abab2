import { describe, expect, test } from 'vitest';
import type { Claim, NewAudience } from '../../services/questions/saved/audience-store.ts';
import type { SqlAudienceClaims } from '../../services/questions/saved/sql-audience-claims.ts';
import type { SqlAudienceStore } from '../../services/questions/saved/sql-audience-store.ts';

export interface AudienceStoreContract<Store> {
  /** An empty store, and the ids of two projects in it; the one opened for the test before is used no more. */
  readonly open: () => Promise<{ readonly store: Store; readonly project: string; readonly other: string }>;
}

const gold: NewAudience = { name: 'Gold', definition: '{"trait":"tier","is":"gold"}', refreshMs: null };
/** What a project may have in the stores that are opened. */
export const MAX_AUDIENCES = 8;
const HOUR_MS = 3_600_000;
const LEASE_MS = 60_000;

/** What the store of audiences must do on any database. */
export function testAudienceStore(name: string, { open }: AudienceStoreContract<SqlAudienceStore>): void {
  describe(`audience store: ${name}`, () => {
    test('the audience store reads an audience back as it was saved, digit for digit', async () => {
      const { store, project } = await open();
      const definition = '{ "trait" : "n🛍", "is" : 9007199254740993.10 }';

      const made = await store.create(project, { name: "Ünï 'x'", definition, refreshMs: HOUR_MS });

      expect(made).toMatchObject({ name: "Ünï 'x'", definition, refreshMs: HOUR_MS, version: 1, evaluation: null });
      expect(made.id).toMatch(/^aud_[a-z0-9]{20}$/u);
      expect(await store.find(project, made.id)).toEqual(made);
      expect(await store.findAll(project, ['aud_none', made.id])).toEqual([made]);
      expect(structuredClone(made)).toEqual(made);
    });

    test('the audience store keeps one audience of a name in a project', async () => {
      const { store, project, other } = await open();
      const { id } = await store.create(project, gold);
      const second = await store.create(project, { ...gold, name: 'Silver' });

      await expect(store.create(project, gold)).rejects.toMatchObject({ code: 'AUDIENCE_EXISTS' });
      await expect(store.update(project, second.id, { name: 'Gold' })).rejects.toMatchObject({
        code: 'AUDIENCE_EXISTS',
      });
      expect(await store.update(project, id, { name: 'Gold' })).toMatchObject({ name: 'Gold' });
      expect(await store.create(other, gold)).toMatchObject({ name: 'Gold', projectId: other });
    });

    test('the audience store keeps a note and tags, which make no version, and lists those with a tag', async () => {
      const { store, project } = await open();
      const { id } = await store.create(project, gold);
      const tagged = await store.create(project, { ...gold, name: 'Tagged', note: "Ada's", tags: ["it's", 'a'] });

      const changed = await store.update(project, id, { note: 'For mail', tags: ['a', 'b'] });
      const later = await store.update(project, id, { name: 'New' });
      const emptied = await store.update(project, tagged.id, { note: '', tags: [] });

      expect(tagged).toMatchObject({ note: "Ada's", tags: ["it's", 'a'] });
      expect(changed).toMatchObject({ note: 'For mail', tags: ['a', 'b'], version: 1, revision: 2 });
      expect(later).toMatchObject({ name: 'New', note: 'For mail', tags: ['a', 'b'] });
      expect(emptied).toMatchObject({ note: '', tags: [] });
      expect((await store.list(project, 10, undefined, 'a')).map(({ name }) => name)).toEqual(['New']);
      expect(await store.list(project, 10, undefined, 'none')).toEqual([]);
      expect(await store.list(project, 10)).toHaveLength(2);
    });

    test('the audience store gives a version to every definition, and none to other changes', async () => {
      const { store, project } = await open();
      const { id, definition } = await store.create(project, gold);

      const renamed = await store.update(project, id, { name: 'New', definition, refreshMs: HOUR_MS });
      const changed = await store.update(project, id, { definition: '{"trait":"tier","is":"iron"}' });
      const last = await store.update(project, id, { refreshMs: null });

      expect(renamed).toMatchObject({ name: 'New', version: 1, refreshMs: HOUR_MS });
      expect(changed).toMatchObject({ name: 'New', version: 2, refreshMs: HOUR_MS });
      expect(last).toMatchObject({ version: 2, refreshMs: null });
    });

    test('the audience store lists newest first, page by page, those of one project', async () => {
      const { store, project, other } = await open();
      for (let n = 0; n < 5; n++) await store.create(project, { ...gold, name: `${n}` });
      await store.create(other, gold);

      const all = await store.list(project, 10);
      const first = await store.list(project, 2);
      const rest = await store.list(project, 10, first[1]);

      expect(all).toHaveLength(5);
      expect(all.map(({ createdAtMs }) => createdAtMs)).toEqual(
        all.map((one) => one.createdAtMs).sort((a, b) => b - a),
      );
      expect([...first, ...rest]).toEqual(all);
    });

    test("the audience store shows nobody another project's audience, nor a deleted one", async () => {
      const { store, project, other } = await open();
      const { id } = await store.create(project, gold);
      const unknown = { code: 'AUDIENCE_UNKNOWN' };

      expect(await store.find(other, id)).toBeUndefined();
      expect(await store.findAll(other, [id])).toEqual([]);
      await expect(store.update(other, id, { name: 'Mine' })).rejects.toMatchObject(unknown);
      await expect(store.remove(other, id)).rejects.toMatchObject(unknown);
      await store.remove(project, id);

      expect(await store.find(project, id)).toBeUndefined();
      expect(await store.list(project, 10)).toEqual([]);
      await expect(store.remove(project, id)).rejects.toMatchObject(unknown);
      await expect(store.update(project, id, { name: 'Again' })).rejects.toMatchObject(unknown);
      expect(await store.create(project, gold)).not.toMatchObject({ id });
    });

    test('the audience store makes no more than a project may have, however many ask at once, and leaves those that are there', async () => {
      const { store, project, other } = await open();
      const create = (n: number) => store.create(project, { ...gold, name: `${n}` });

      const settled = await Promise.allSettled(Array.from({ length: MAX_AUDIENCES + 3 }, (_, n) => create(n)));

      const made = settled.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
      const refused = settled.filter((one) => one.status === 'rejected').map(({ reason }) => reason as unknown);
      expect([made.length, refused.length]).toEqual([MAX_AUDIENCES, 3]);
      for (const reason of refused) expect(reason).toMatchObject({ code: 'AUDIENCE_LIMIT', retryable: false });
      const [first] = made;
      if (first === undefined) throw new Error('none was made');
      await expect(store.create(project, { ...gold, name: first.name })).rejects.toMatchObject({
        code: 'AUDIENCE_EXISTS',
      });
      expect(await store.update(project, first.id, { name: 'Changed' })).toMatchObject({ name: 'Changed' });
      expect(await store.create(other, gold)).toMatchObject({ projectId: other });
      await store.remove(project, first.id);
      expect(await create(100)).toMatchObject({ name: '100' });
    });

    test('the audience store refuses a project that does not exist', async () => {
      const { store } = await open();

      await expect(store.create('proj_none', gold)).rejects.toMatchObject({ code: 'PROJECT_UNKNOWN' });
    });
  });
}

/** What claims on audiences must do on any database. */
export function testAudienceClaims(
  name: string,
  contract: AudienceStoreContract<SqlAudienceStore & SqlAudienceClaims>,
): void {
  const { open } = contract;

  describe(`audience claims: ${name}`, () => {
    test('an audience with a refresh is due at once, one without only when it is asked for', async () => {
      const { store, project } = await open();
      const kept = await store.create(project, { ...gold, refreshMs: HOUR_MS });
      const saved = await store.create(project, { ...gold, name: 'Silver' });

      const claim = await store.claimDue(LEASE_MS);

      expect(claim?.audience.id).toBe(kept.id);
      expect(await store.claimDue(LEASE_MS)).toBeUndefined();
      expect(await store.claim(project, saved.id, LEASE_MS)).toMatchObject({ isDeleted: false });
    });

    test('what is due is claimed by project in turn', async () => {
      const { store, project, other } = await open();
      for (const name of ['a', 'b', 'c']) await store.create(project, { ...gold, name, refreshMs: HOUR_MS });
      await store.create(other, { ...gold, refreshMs: HOUR_MS });

      const claimed: string[] = [];
      for (let n = 0; n < 4; n++) {
        claimed.push((await store.claimDue(LEASE_MS, claimed.at(-1)))?.audience.projectId ?? 'none');
      }

      expect(claimed.slice(0, 2)).toContain(other);
      expect(claimed.filter((id) => id === project)).toHaveLength(3);
      expect(await store.claimDue(LEASE_MS, claimed.at(-1))).toBeUndefined();
    });

    test('of many who want it, one has it, until the claim is released or runs out', async () => {
      const { store, project } = await open();
      const { id } = await store.create(project, { ...gold, refreshMs: HOUR_MS });

      const claims = await Promise.all(Array.from({ length: 8 }, () => store.claimDue(LEASE_MS)));
      const [claim] = claims.filter((one) => one !== undefined);

      expect(claims.filter((one) => one !== undefined)).toHaveLength(1);
      await expect(store.claim(project, id, LEASE_MS)).rejects.toMatchObject({
        code: 'AUDIENCE_BUSY',
        retryable: true,
      });
      expect(await store.renew(claim as Claim, 1)).toBe(true);
      let second: Claim | undefined;
      await expect
        .poll(async () => (second ??= await store.claim(project, id, LEASE_MS).catch(() => undefined)))
        .toBeDefined();
      expect(await store.renew(claim as Claim, LEASE_MS)).toBe(false);
      await store.release(claim as Claim);
      await expect(store.claim(project, id, LEASE_MS)).rejects.toMatchObject({ code: 'AUDIENCE_BUSY' });
      await store.release(second as Claim);
      const third = await store.claim(project, id, LEASE_MS);
      expect(third.at).toBeGreaterThan((second as Claim).at);
      expect((second as Claim).at).toBeGreaterThan((claim as Claim).at);
    });

    test('an evaluation counts if the claim is still held, and is not due again before its refresh', async () => {
      const { store, project } = await open();
      await store.create(project, { ...gold, refreshMs: HOUR_MS });
      const claim = (await store.claimDue(LEASE_MS)) as Claim;
      const difference = { entered: 5, left: 2, members: 3 };

      expect(await store.commit(claim, evaluationOf(claim), difference)).toBe(true);
      await store.release(claim);

      const { audience } = claim;
      expect((await store.find(project, audience.id))?.evaluation).toEqual({
        ...difference,
        at: claim.at,
        version: 1,
        cause: 'first',
      });
      expect(await store.claimDue(LEASE_MS)).toBeUndefined();
      expect(await store.commit(claim, evaluationOf(claim), difference)).toBe(false);
    });

    test('where the definition was changed meanwhile, or is changed after, it is due at once', async () => {
      const { store, project } = await open();
      const { id } = await store.create(project, { ...gold, refreshMs: HOUR_MS });
      const claim = (await store.claimDue(LEASE_MS)) as Claim;
      await store.update(project, id, { definition: '{"trait":"tier","is":"iron"}' });

      await store.commit(claim, evaluationOf(claim), { entered: 0, left: 0, members: 0 });
      await store.release(claim);
      const second = (await store.claimDue(LEASE_MS)) as Claim;
      await store.commit(second, evaluationOf(second), { entered: 0, left: 0, members: 0 });
      await store.release(second);

      expect(second.audience.version).toBe(2);
      expect(await store.claimDue(LEASE_MS)).toBeUndefined();
      await store.update(project, id, { definition: '{"trait":"tier","is":"lead"}' });
      expect(await store.claimDue(LEASE_MS)).toMatchObject({ audience: { version: 3 } });
    });

    test('one that came to nothing is told, and tried again after the time given', async () => {
      const { store, project } = await open();
      const { id } = await store.create(project, { ...gold, refreshMs: HOUR_MS });
      const claim = (await store.claimDue(LEASE_MS)) as Claim;

      await store.giveUp(claim, 'QUERY_LIMIT', HOUR_MS);
      await store.release(claim);

      expect(await store.find(project, id)).toMatchObject({ failure: 'QUERY_LIMIT', evaluation: null });
      expect(await store.claimDue(LEASE_MS)).toBeUndefined();
      const again = await store.claim(project, id, LEASE_MS);
      await store.giveUp(again, 'STORE_UNAVAILABLE', 1);
      await store.release(again);
      await expect.poll(() => store.claimDue(LEASE_MS)).toMatchObject({ audience: { id } });
    });

    test('a deleted audience is due until nothing is left of it, and no evaluation of it counts', async () => {
      const { store, project } = await open();
      const { id } = await store.create(project, { ...gold, refreshMs: HOUR_MS });
      const evaluating = (await store.claimDue(LEASE_MS)) as Claim;
      await store.remove(project, id);

      expect(await store.commit(evaluating, evaluationOf(evaluating), { entered: 1, left: 0, members: 1 })).toBe(false);
      expect(await store.claimDue(LEASE_MS)).toBeUndefined();
      await store.release(evaluating);
      const claim = (await store.claimDue(LEASE_MS)) as Claim;
      expect(claim).toMatchObject({ isDeleted: true, audience: { id } });
      await store.forget(claim);

      await store.release(claim);
      expect(await store.claimDue(LEASE_MS)).toBeUndefined();
    });
  });
}

function evaluationOf({ audience, at }: Claim) {
  const { id, projectId, version } = audience;
  return { projectId, audienceId: id, at, version, cause: 'first' as const };
}
