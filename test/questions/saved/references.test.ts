/** How saved audiences that definitions refer to are found. */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  definitionsOf,
  findReferences,
  namesReferredTo,
  withReferences,
} from '../../../services/questions/saved/references.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { PROJECT } from '../../support/http/reading-server.ts';
import { emptiedDatabase } from '../../support/stores/database.ts';

let store: SqlAudienceStore;

beforeEach(async () => {
  const database = await emptiedDatabase();
  await new SqlProjectStore(database).addLostProject(PROJECT);
  store = new SqlAudienceStore(database, 100);
});

/** The ids of each question for several audiences, from now on. */
function questions(): () => (readonly string[])[] {
  const calls = vi.spyOn(store, 'findAll');
  onTestFinished(() => calls.mockRestore());
  return () => calls.mock.calls.map(([, ids]) => ids);
}

describe('references are found with one question for each level', () => {
  test('each audience is read and parsed once, however many refer to it', async () => {
    const base = await saved({ trait: 'plan', is: 'pro' });
    const [one, two] = [await saved({ audience: base.id }), await saved({ not: { audience: base.id } })];
    const definition = `{"all":[{"audience":"${one.id}"},{"audience":"${two.id}"},{"audience":"${base.id}"}]}`;

    const lookups = questions();

    const found = await findReferences(store, PROJECT.id, [definition]);

    expect(lookups()).toEqual([[one.id, two.id, base.id]]);
    expect(found.get(base.id)).toMatchObject({ definition: { trait: 'plan', is: 'pro' } });
  });

  test('a chain is followed no further than it may be read', async () => {
    let last = await saved({ trait: 'plan', is: 'pro' });
    for (let length = 0; length < 20; length++) last = await saved({ audience: last.id });

    const lookups = questions();

    await findReferences(store, PROJECT.id, [last.definition]);

    expect(lookups()).toHaveLength(11);
  });

  test('the definitions and the names of many audiences are one question', async () => {
    const bases = [await saved({ trait: 'a', is: 1 }), await saved({ trait: 'b', is: 2 })];
    const all = [...bases, ...bases].map(({ id }) => saved({ audience: id }));
    const page = await Promise.all(all);
    const lookups = questions();

    const definitions = await definitionsOf(store, page, PROJECT);
    const names = await namesReferredTo(store, PROJECT.id, page);

    const ids = bases.map(({ id }) => id);
    expect(lookups()).toEqual([ids, ids]);
    expect(definitions.map((one) => 'id' in one && one.id)).toEqual([...ids, ...ids]);
    expect([...names]).toEqual(bases.map(({ id, name }) => [id, name]));
  });
});

test('other work of the thread goes on while many large definitions are read', async () => {
  const values = Array.from({ length: 1_000 }, (_, index) => `value ${index}`);
  const any = Array.from({ length: 10 }, (_, index) => ({ trait: `t${index}`, in: values }));
  const page = await Promise.all(Array.from({ length: 50 }, () => saved({ any })));
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

function saved(definition: object) {
  return store.create(PROJECT.id, { name: `A ${++names}`, definition: JSON.stringify(definition), refreshMs: null });
}

test('the references of a definition are changed where they stand, and nothing else of it', () => {
  const definition = {
    all: [{ not: { audience: 'aud_1' } }, { any: [{ audience: 'aud_2' }, { trait: 'audience', is: 'aud_1' }] }],
  };
  const paths: string[] = [];

  const changed = withReferences(definition, (id, path) => {
    paths.push(path);
    return id.toUpperCase();
  });

  expect(changed).toEqual({
    all: [{ not: { audience: 'AUD_1' } }, { any: [{ audience: 'AUD_2' }, { trait: 'audience', is: 'aud_1' }] }],
  });
  expect(paths).toEqual(['/all/0/not/audience', '/all/1/any/0/audience']);
});
