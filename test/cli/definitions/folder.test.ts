import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFolder, writeFolder } from '../../../services/cli/definitions/folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PRO = { name: 'On pro', note: '', tags: [], refresh: '1h', definition: { trait: 'plan', is: 'pro' } };
const CRM = {
  description: 'CRM',
  url: 'https://crm.example.com/hooks',
  types: ['audience.changed'],
  audiences: ['On pro'],
};
const SHOP = { name: 'Web shop', scopes: ['write'] };
const EXPORTED = { settings: { timezone: 'UTC' }, audiences: [PRO], endpoints: [CRM], keys: [SHOP] };

async function filesIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true });
  return found.filter((path) => path.endsWith('.json')).toSorted();
}

test('what is written is read again, each with the hash of its file', async () => {
  const folder = await temporaryFolder();

  const others = writeFolder(folder, EXPORTED);

  expect(others).toEqual([]);
  expect(await filesIn(folder)).toEqual([
    'audiences/on-pro.json',
    'endpoints/crm.json',
    'keys/web-shop.json',
    'settings.json',
  ]);
  const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
  expect(readFolder(folder, {}).body).toEqual({
    settings: { timezone: 'UTC', sha256 },
    audiences: [{ ...PRO, sha256 }],
    endpoints: [{ ...CRM, sha256 }],
    keys: [{ ...SHOP, sha256 }],
  });
});

test('audiences of which the names have like letters have files of their own, the same whenever they are written', async () => {
  const audiences = ['Übers Ziel!', 'ubers ziel', '★'].map((name) => ({ ...PRO, name }));
  const [one, other] = [await temporaryFolder(), await temporaryFolder()];

  writeFolder(one, { audiences });
  writeFolder(other, { audiences });
  writeFolder(other, { audiences });

  expect(await filesIn(one)).toEqual(await filesIn(other));
  expect((await filesIn(one)).filter((path) => path.startsWith('audiences'))).toEqual([
    'audiences/ubers-ziel-2.json',
    'audiences/ubers-ziel.json',
    'audiences/unnamed.json',
  ]);
});

test('a file keeps the name that it was given, and one of which the project has nothing is told of', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'audiences'));
  await writeFile(join(folder, 'audiences/mine.json'), JSON.stringify({ ...PRO, note: 'before' }));
  await writeFile(join(folder, 'audiences/gone.json'), JSON.stringify({ ...PRO, name: 'Gone' }));

  const others = writeFolder(folder, EXPORTED);

  expect(others).toEqual(['audiences/gone.json']);
  expect(JSON.parse(await readFile(join(folder, 'audiences/mine.json'), 'utf8'))).toEqual(PRO);
  expect(await filesIn(folder)).not.toContain('audiences/on-pro.json');
});

test('what follows the ? of a URL is no part of a file: it stands in the environment', async () => {
  const folder = await temporaryFolder();
  writeFolder(folder, { ...EXPORTED, endpoints: [{ ...CRM, url: 'https://crm.example.com/hooks?token=SECRET' }] });

  expect(await readFile(join(folder, 'endpoints/crm.json'), 'utf8')).not.toContain('SECRET');
  expect(() => readFolder(folder, {})).toThrow('endpoints/crm.json: the environment has no CRM_QUERY');
  expect(readFolder(folder, { CRM_QUERY: '?token=SECRET' }).body).toMatchObject({
    endpoints: [{ url: 'https://crm.example.com/hooks?token=SECRET' }],
  });
});

test('a URL that a file has from the environment stays so', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'endpoints'));
  await writeFile(join(folder, 'endpoints/chat.json'), JSON.stringify({ ...CRM, url: '${CHAT_URL}' }));

  writeFolder(folder, { ...EXPORTED, endpoints: [{ ...CRM, url: 'https://chat.example.com/T0/SECRET' }] });

  expect(await readFile(join(folder, 'endpoints/chat.json'), 'utf8')).toContain('"url": "${CHAT_URL}"');
});

test('files and folders of any name are read, so that the service refuses what is misspelt', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'audience'));
  await mkdir(join(folder, '.git'));
  await writeFile(join(folder, 'setting.json'), '{}');
  await writeFile(join(folder, 'README.md'), '# Definitions');

  expect(Object.keys(readFolder(folder, {}).body).toSorted()).toEqual(['audience', 'setting']);
});

test.each([
  ['a folder without definitions', () => undefined, 'has no definitions'],
  ['a folder that is not there', (folder: string) => rm(folder, { recursive: true }), 'ENOENT'],
  [
    'what is no JSON',
    (folder: string) => writeFile(join(folder, 'settings.json'), '{'),
    'settings.json cannot be read',
  ],
  ['what is no object', (folder: string) => writeFile(join(folder, 'settings.json'), '[]'), 'it is no object'],
])('%s is refused', async (_, place, message) => {
  const folder = await temporaryFolder();
  await place(folder);

  expect(() => readFolder(folder, {})).toThrow(message);
});

test('a pointer into the body is the name of a file', async () => {
  const folder = await temporaryFolder();
  writeFolder(folder, EXPORTED);

  const { named } = readFolder(folder, {});

  expect(
    named('  /audiences/0/definition is wrong\n  /settings/timezone too\n  /pins/7 and https://x.example/keys/0'),
  ).toBe(
    '  audiences/on-pro.json /definition is wrong\n  settings.json /timezone too\n  /pins/7 and https://x.example/keys/0',
  );
});
