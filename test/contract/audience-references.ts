import { describe, expect, test } from 'vitest';
import type { SqlAudienceStore } from '../../services/questions/saved/sql-audience-store.ts';
import type { AudienceStoreContract } from './audience-store.ts';

const gold = { name: 'Gold', definition: '{"trait":"tier","is":"gold"}', refreshMs: null };

/** What the store of audiences must do about audiences that refer to others. */
export function testAudienceReferences(name: string, { open }: AudienceStoreContract<SqlAudienceStore>): void {
  describe(`references between audiences: ${name}`, () => {
    test('the audience store refuses references in a circle, and to what it does not have', async () => {
      const { store, project, other } = await open();
      const first = await store.create(project, gold);
      const refer = (id: string) => `{"not":{"audience":"${id}"}}`;
      const second = await store.create(project, { ...gold, name: 'Second', definition: refer(first.id) });
      const circle = { code: 'AUDIENCE_CIRCLE', message: expect.stringContaining('Gold → Second → Gold') };

      await expect(store.update(project, first.id, { definition: refer(second.id) })).rejects.toMatchObject(circle);
      await expect(store.update(project, first.id, { definition: refer(first.id) })).rejects.toMatchObject({
        code: 'AUDIENCE_CIRCLE',
      });
      for (const at of [project, other])
        await expect(
          store.create(at, { ...gold, name: 'Third', definition: refer(at === other ? first.id : 'aud_none') }),
        ).rejects.toMatchObject({ code: 'AUDIENCE_UNKNOWN' });
      expect(await store.find(project, first.id)).toMatchObject({ definition: gold.definition, version: 1 });
      expect(await store.update(project, second.id, { name: 'Else', definition: refer(first.id) })).toMatchObject({
        name: 'Else',
      });
    });

    test('of two audiences that are changed at once to refer to each other, one is', async () => {
      const { store, project } = await open();
      const [one, two] = await Promise.all(['One', 'Two'].map((name) => store.create(project, { ...gold, name })));
      const refer = (id = '') => ({ definition: `{"audience":"${id}"}` });

      const changed = await Promise.allSettled([
        store.update(project, one!.id, refer(two?.id)),
        store.update(project, two!.id, refer(one?.id)),
      ]);

      expect(changed.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    });

    test('the audience store keeps an audience while others refer to it', async () => {
      const { store, project } = await open();
      const { id } = await store.create(project, gold);
      const definition = `{ "all": [ { "audience": "${id}" } ] }`;
      const user = await store.create(project, { ...gold, name: 'The user', definition });

      await expect(store.remove(project, id)).rejects.toMatchObject({
        code: 'AUDIENCE_USED',
        message: expect.stringContaining('"The user"'),
      });
      await store.remove(project, user.id);
      await store.remove(project, id);

      expect(await store.list(project, 10)).toEqual([]);
    });
  });
}
