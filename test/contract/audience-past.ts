import { describe, expect, test } from 'vitest';
import { type Claim, MAX_VERSIONS, type NewAudience } from '../../services/questions/saved/audience-store.ts';
import type { SqlAudienceClaims } from '../../services/questions/saved/sql-audience-claims.ts';
import type { SqlAudienceStore } from '../../services/questions/saved/sql-audience-store.ts';
import type { AudienceStoreContract } from './audience-store.ts';

const gold: NewAudience = { name: 'Gold', definition: '{"trait":"tier","is":"gold"}', refreshMs: null };
const LEASE_MS = 60_000;
const HOUR = 3_600_000_000n;

function tier(name: string): { definition: string } {
  return { definition: `{ "trait" : "tier", "is" : ${JSON.stringify(name)} }` };
}

/** What the store of audiences must keep of what audiences were, and of who may change them. */
export function testAudiencePast(name: string, { open }: AudienceStoreContract<SqlAudienceStore>): void {
  describe(`what audiences were: ${name}`, () => {
    test('an audience keeps every definition that it had, with who changed it and when', async () => {
      const { store, project } = await open();
      const { id, createdAtMs } = await store.create(project, gold, 'key_1');
      const exact = '{ "trait" : "n", "is" : 9007199254740993.10 }';

      await store.update(project, id, { name: 'New', refreshMs: 60_000 }, { by: 'key_2' });
      await store.update(project, id, { definition: exact }, { by: 'key_3' });
      await store.update(project, id, { definition: gold.definition });
      await store.update(project, id, { definition: gold.definition }, { by: 'key_4' });

      const versions = await store.versions(project, id, 10);
      expect(versions).toMatchObject([
        { version: 3, definition: gold.definition, changedBy: null },
        { version: 2, definition: exact, changedBy: 'key_3' },
        { version: 1, definition: gold.definition, changedBy: 'key_1', changedAtMs: createdAtMs },
      ]);
      expect(await store.versions(project, id, 1)).toEqual(versions.slice(0, 1));
      expect(await store.versions(project, id, 10, 2)).toEqual(versions.slice(2));
      expect(structuredClone(versions)).toEqual(versions);
    });

    test('an audience has a revision that every change increases', async () => {
      const { store, project } = await open();
      const made = await store.create(project, gold);

      const changes: Partial<NewAudience>[] = [{ name: 'New' }, { refreshMs: 60_000 }, tier('iron'), { name: 'New' }];
      const revisions: number[] = [];
      for (const change of changes) revisions.push((await store.update(project, made.id, change)).revision);

      expect([made.revision, ...revisions]).toEqual([1, 2, 3, 4, 5]);
      expect(await store.find(project, made.id)).toMatchObject({ revision: 5, version: 2 });
    });

    test('of many changes of one revision at once one is made, and the others are AUDIENCE_CHANGED', async () => {
      const { store, project } = await open();
      const { id } = await store.create(project, gold);
      const change = (n: number) => store.update(project, id, tier(`${n}`), { ifRevisions: [1] });

      const settled = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => change(n)));

      const made = settled.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
      const refused = settled.filter((one) => one.status === 'rejected').map(({ reason }) => reason as unknown);
      expect([made.length, refused.length]).toEqual([1, 7]);
      for (const reason of refused) expect(reason).toMatchObject({ code: 'AUDIENCE_CHANGED', retryable: false });
      expect(await store.find(project, id)).toEqual(made[0]);
      expect(await store.versions(project, id, 10)).toHaveLength(2);
    });

    test('a deletion may name the revision that it is of', async () => {
      const { store, project, other } = await open();
      const { id } = await store.create(project, gold);
      await store.update(project, id, { name: 'New' });

      await expect(store.remove(project, id, { ifRevisions: [1] })).rejects.toMatchObject({ code: 'AUDIENCE_CHANGED' });
      await expect(store.remove(other, id, { ifRevisions: [2] })).rejects.toMatchObject({ code: 'AUDIENCE_UNKNOWN' });
      await expect(store.remove(project, id, { ifRevisions: [] })).rejects.toMatchObject({ code: 'AUDIENCE_CHANGED' });
      await store.remove(project, id, { ifRevisions: [1, 2, 9] });

      expect(await store.find(project, id)).toBeUndefined();
      const late = store.update(project, id, { name: 'Late' }, { ifRevisions: [2] });
      await expect(late).rejects.toMatchObject({ code: 'AUDIENCE_UNKNOWN' });
    });

    test('a name in use is AUDIENCE_EXISTS whatever revision is named, unless that is another', async () => {
      const { store, project } = await open();
      await store.create(project, gold);
      const { id } = await store.create(project, { ...gold, name: 'Silver' });
      const rename = (...ifRevisions: number[]) => store.update(project, id, { name: 'Gold' }, { ifRevisions });

      await expect(rename(1)).rejects.toMatchObject({ code: 'AUDIENCE_EXISTS' });
      await expect(rename(2)).rejects.toMatchObject({ code: 'AUDIENCE_CHANGED' });
    });

    test("nothing is told of what another project's audience was", async () => {
      const { store, project, other } = await open();
      const { id } = await store.create(project, gold);

      expect(await store.versions(other, id, 10)).toEqual([]);
      expect(await store.evaluations(other, id, { limit: 10 })).toEqual([]);
    });
  });
}

/** What every adapter of both ports must keep of evaluations. */
export function testAudienceEvaluations(
  name: string,
  { open }: AudienceStoreContract<SqlAudienceStore & SqlAudienceClaims>,
): void {
  /** Evaluated so often, each an hour after the one before. */
  async function evaluated(sizes: readonly (readonly [entered: number, left: number, members: number])[]) {
    const { store, project } = await open();
    const { id } = await store.create(project, gold);
    const at: bigint[] = [];
    for (const [entered, left, members] of sizes) {
      const claim = await store.claim(project, id, LEASE_MS);
      at.push(BigInt(Date.UTC(2026, 10, 20, 22)) * 1000n + BigInt(at.length) * (HOUR / 2n));
      const evaluation = { projectId: project, audienceId: id, at: at.at(-1)!, version: 1, cause: 'refresh' as const };
      expect(await store.commit(claim, evaluation, { entered, left, members })).toBe(true);
      await store.release(claim);
    }
    return { store, project, id, at };
  }

  describe(`evaluations of audiences: ${name}`, () => {
    test('an audience keeps its size at every evaluation', async () => {
      const sizes = [[5, 0, 5], [2, 1, 6], [0, 0, 6]] as const; // prettier-ignore
      const { store, project, id, at } = await evaluated(sizes);
      const ofAll = await store.evaluations(project, id, { limit: 10 });

      expect(ofAll).toEqual([
        { at: at[2], version: 1, cause: 'refresh', entered: 0, left: 0, members: 6 },
        { at: at[1], version: 1, cause: 'refresh', entered: 2, left: 1, members: 6 },
        { at: at[0], version: 1, cause: 'refresh', entered: 5, left: 0, members: 5 },
      ]);
      expect(await store.evaluations(project, id, { limit: 1 })).toEqual(ofAll.slice(0, 1));
      expect(await store.evaluations(project, id, { limit: 9, before: at[1]! })).toEqual(ofAll.slice(2));
      expect(await store.evaluations(project, id, { limit: 9, since: at[1]! })).toEqual(ofAll.slice(0, 2));
      expect(structuredClone(ofAll)).toEqual(ofAll);
    });

    test('an audience is read by the hour or the day as its last evaluation in it, with sums of who entered and left', async () => {
      const sizes = [[5, 0, 5], [2, 1, 6], [1, 3, 4], [0, 4, 0], [7, 0, 7]] as const; // prettier-ignore
      const { store, project, id, at } = await evaluated(sizes);

      const byHour = await store.evaluations(project, id, { limit: 10, perMicros: HOUR });
      const byDay = await store.evaluations(project, id, { limit: 10, perMicros: 24n * HOUR });

      expect(byHour).toMatchObject([
        { at: at[4], entered: 7, left: 0, members: 7 },
        { at: at[3], entered: 1, left: 7, members: 0 },
        { at: at[1], entered: 7, left: 1, members: 6 },
      ]);
      expect(byDay).toMatchObject([
        { at: at[4], entered: 7, left: 0, members: 7 },
        { at: at[3], entered: 8, left: 8, members: 0 },
      ]);
      expect(await store.evaluations(project, id, { limit: 1, perMicros: HOUR })).toEqual(byHour.slice(0, 1));
    });

    test('sizes of many audiences are the last of each period since a time, newest first', async () => {
      const { store, project, id, at } = await evaluated([
        [5, 0, 5],
        [2, 1, 6],
        [0, 6, 0],
      ]);
      const { id: never } = await store.create(project, { ...gold, name: 'Never evaluated' });
      const all = await store.evaluations(project, id, { limit: 10, perMicros: HOUR });

      const found = await store.sizes([id, never, 'aud_none'], 0n, HOUR);

      expect(found).toEqual(new Map([[id, all.map((one) => ({ at: one.at, members: one.members }))]]));
      expect((await store.sizes([id], at.at(-1)!, HOUR)).get(id)).toEqual([{ at: at.at(-1), members: 0 }]);
      expect(structuredClone(found)).toEqual(found);
    });

    test('an evaluation whose claim ran out is not kept, nor is anything of a deleted audience', async () => {
      const { store, project, id, at } = await evaluated([[5, 0, 5]]);
      const claim = await store.claim(project, id, LEASE_MS);
      await store.release(claim);
      const late = { projectId: project, audienceId: id, at: at[0]! + HOUR, version: 1, cause: 'refresh' as const };

      expect(await store.commit(claim, late, { entered: 1, left: 0, members: 6 })).toBe(false);
      expect(await store.evaluations(project, id, { limit: 10 })).toHaveLength(1);
      await store.remove(project, id);
      expect(await store.evaluations(project, id, { limit: 10 })).toEqual([]);
      expect(await store.versions(project, id, 10)).toEqual([]);
      const deleted = (await store.claimDue(LEASE_MS)) as Claim;
      await store.forget(deleted);
      expect(await store.changesReadableAt([id])).toEqual(new Map());
    });

    test('whether there are changes to be read is told of many audiences at once, and never of earlier ones than before', async () => {
      const { store, project, id } = await evaluated([[5, 0, 5]]);
      const second = await store.create(project, { ...gold, name: 'Silver' });
      const claim = await store.claim(project, id, LEASE_MS);

      await store.noteReadable(claim, 7n);
      await store.noteReadable(claim, 5n);

      const found = await store.changesReadableAt([id, second.id, 'aud_none']);
      expect(found).toEqual(new Map([[id, 7n], [second.id, null]])); // prettier-ignore
      expect(structuredClone(found)).toEqual(found);
    });

    test('the newest definitions of an audience are kept', { timeout: 60_000 }, async () => {
      const { store, project } = await open();
      const { id } = await store.create(project, gold);
      for (let n = 0; n <= MAX_VERSIONS; n++) await store.update(project, id, tier(`${n}`));

      const versions = (await store.versions(project, id, 1_000)).map(({ version }) => version);

      expect(versions).toHaveLength(MAX_VERSIONS);
      expect([versions[0], versions.at(-1)]).toEqual([MAX_VERSIONS + 2, 3]);
    });
  });
}
