import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { currentSchemaOf } from '../../../services/messages/schema-ids.ts';
import { SchemaMemory } from '../../../services/messages/registry/schema-memory.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const schema = currentSchemaOf('tidemark.track');
const OTHER = { type: 'record', name: 'Other', fields: [] };
const REGISTRY = 'http://registry';

async function remembering(): Promise<{ file: string; memory: SchemaMemory }> {
  const file = join(await temporaryFolder(), 'ids.json');
  const memory = await SchemaMemory.read(REGISTRY, file);
  memory.confirm([{ subject: 's', id: 7, schema }]);
  memory.learn(8, OTHER);
  await memory.save();
  return { file, memory };
}

test('what one process saves another reads', async () => {
  const { file } = await remembering();

  const memory = await SchemaMemory.read(REGISTRY, file);

  expect(memory.idOf('s', schema)).toBe(7);
  expect(memory.idOf('s', { ...schema, doc: 'changed' })).toBeUndefined();
  expect(memory.schemaOf(8)).toEqual(OTHER);
});

test('a registry that says the same again keeps what was known of it', async () => {
  const { memory } = await remembering();

  memory.confirm([{ subject: 's', id: 7, schema }]);

  expect(memory.schemaOf(8)).toEqual(OTHER);
});

test('a registry made anew, which gives another id, is not taken for the old one', async () => {
  const { memory } = await remembering();

  memory.confirm([{ subject: 's', id: 1, schema }]);

  expect(memory.idOf('s', schema)).toBe(1);
  expect(memory.schemaOf(7)).toBeUndefined();
  expect(memory.schemaOf(8)).toBeUndefined();
});

test('a saved schema that is invalid, as in a damaged file, is not used', async () => {
  const { memory } = await remembering();
  memory.learn(9, { type: 'nonsense' });

  memory.confirm([{ subject: 's', id: 9, schema }]);

  expect(memory.idOf('s', schema)).toBe(9);
});

test('a registry that gives the id of another schema is not taken for the old one', async () => {
  const { memory } = await remembering();

  memory.confirm([{ subject: 'new', id: 8, schema }]);

  expect(memory.schemaOf(8)).toEqual(schema);
  expect(memory.schemaOf(7)).toBeUndefined();
});

test('many may save at once, and leave one file, whole', async () => {
  const { file } = await remembering();
  const memories = await Promise.all(Array.from({ length: 20 }, () => SchemaMemory.read(REGISTRY, file)));

  await Promise.all(
    memories.map((memory, i) => {
      memory.learn(100 + i, OTHER);
      return memory.save();
    }),
  );

  expect(await readdir(join(file, '..'))).toEqual(['ids.json']);
  expect((await SchemaMemory.read(REGISTRY, file)).idOf('s', schema)).toBe(7);
});
