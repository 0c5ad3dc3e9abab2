/** How saved audiences that definitions refer to are found. */
import { describe, expect, test } from 'vitest';
import { definitionsOf, findReferences, namesReferredTo } from '../../../services/questions/saved/references.ts';
import { MemoryAudienceStore } from '../../support/http/memory-audience-store.ts';

const PROJECT = { id: 'p', timezone: 'UTC' };

describe('references are found with one question for each level', () => {
  test('each audience is read and parsed once, however many refer to it', async () => {
    const store = new MemoryAudienceStore();
    const base = await saved(store, { trait: 'plan', is: 'pro' });
    const [one, two] = [await saved(store, { audience: base.id }), await saved(store, { not: { audience: base.id } })];
    const definition = `{"all":[{"audience":"${one.id}"},{"audience":"${two.id}"},{"audience":"${base.id}"}]}`;

    const found = await findReferences(store, PROJECT.id, [definition]);

    expect(store.questions).toEqual([[one.id, two.id, base.id]]);
    expect(found.get(base.id)).toMatchObject({ definition: { trait: 'plan', is: 'pro' } });
  });

  test('a chain is followed no further than it may be read', async () => {
    const store = new MemoryAudienceStore();
    let last = await saved(store, { trait: 'plan', is: 'pro' });
    for (let length = 0; length < 20; length++) last = await saved(store, { audience: last.id });

    await findReferences(store, PROJECT.id, [last.definition]);

    expect(store.questions).toHaveLength(11);
  });

  test('the definitions and the names of many audiences are one question', async () => {
    const store = new MemoryAudienceStore();
    const bases = [await saved(store, { trait: 'a', is: 1 }), await saved(store, { trait: 'b', is: 2 })];
    const all = [...bases, ...bases].map(({ id }) => saved(store, { audience: id }));
    const page = await Promise.all(all);

    const definitions = await definitionsOf(store, page, PROJECT);
    const names = await namesReferredTo(store, PROJECT.id, page);

    const ids = bases.map(({ id }) => id);
    expect(store.questions).toEqual([ids, ids]);
    expect(definitions.map((one) => 'id' in one && one.id)).toEqual([...ids, ...ids]);
    expect([...names]).toEqual(bases.map(({ id, name }) => [id, name]));
  });
});

test('other work of the thread goes on while many large definitions are read', async () => {
  const store = new MemoryAudienceStore();
  const values = Array.from({ length: 1_000 }, (_, index) => `value ${index}`);
  const any = Array.from({ length: 10 }, (_, index) => ({ trait: `t${index}`, in: values }));
  const page = await Promise.all(Array.from({ length: 50 }, () => saved(store, { any })));
  let [turns, isRead] = [0, false];
  const otherWork = () => {
    turns++;
    if (!isRead) setImmediate(otherWork);
  };
  setImmediate(otherWork);

  await definitionsOf(store, page, PROJECT);
  isRead = true;

  expect(turns).toBeGreaterThan(2);
});

let names = 0;

function saved(store: MemoryAudienceStore, definition: object) {
  return store.create(PROJECT.id, { name: `A ${++names}`, definition: JSON.stringify(definition), refreshMs: null });
}
