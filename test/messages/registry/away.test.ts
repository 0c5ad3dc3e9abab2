import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { Codec } from '../../../services/messages/codec.ts';
import { SCHEMA_TOPICS } from '../../../services/messages/message.ts';
import { openSchemaIds } from '../../../services/messages/registry/open.ts';
import { serverUrl } from '../../servers/server.ts';
import { newPrefix } from '../../support/event-log/registry.ts';
import { RegistryGate } from '../../support/event-log/registry-gate.ts';
import { IDENTIFY } from '../../support/messages/sample-messages.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const registry = (await serverUrl('registry')) ?? '';

/** A registry that was there once, and what is remembered of it. */
async function seenOnce() {
  const gate = await RegistryGate.open(registry, { credentials: { user: 'me', password: 'hunter2' } });
  const cacheFile = join(await temporaryFolder(), 'new', 'schema-ids.json');
  const topicPrefix = newPrefix();
  const ids = await openSchemaIds(gate.url(), { topicPrefix, cacheFile });
  return { gate, cacheFile, topicPrefix, ids };
}

describe.skipIf(registry === '')('while the registry is unreachable', () => {
  test('a process starts that has been there once, and says so', async () => {
    const { gate, cacheFile, topicPrefix, ids } = await seenOnce();
    await gate.close();
    const logger = { warn: vi.fn() };

    const again = await openSchemaIds(gate.url(), { topicPrefix, cacheFile, logger });

    expect(SCHEMA_TOPICS.map((topic) => again.idOf(topic))).toEqual(SCHEMA_TOPICS.map((topic) => ids.idOf(topic)));
    expect(logger.warn).toHaveBeenCalledOnce();
    const value = new Codec(ids).encode(IDENTIFY);
    expect(new Codec(again).decode('tidemark.identify', value)).toEqual(IDENTIFY);
  });

  test('it starts from what is remembered also where the registry is out of order', async () => {
    const { gate, cacheFile, topicPrefix } = await seenOnce();
    gate.trouble = () => ({ status: 500, body: '' });

    await expect(openSchemaIds(gate.url(), { topicPrefix, cacheFile })).resolves.toBeDefined();
  });

  test('one that has not waits', async () => {
    const { gate, cacheFile, topicPrefix } = await seenOnce();
    await gate.close();
    const other = gate.url().replace('127.0.0.1', 'localhost');

    for (const [url, options] of [
      [gate.url(), { topicPrefix }],
      [gate.url(), { topicPrefix: newPrefix(), cacheFile }],
      [other, { topicPrefix, cacheFile }],
    ] as const) {
      await expect(openSchemaIds(url, options)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    }
  });

  test('a wrong password or a refused schema is still the end', async () => {
    const { gate, cacheFile, topicPrefix } = await seenOnce();
    const options = { topicPrefix, cacheFile };

    const denied = openSchemaIds(gate.url({ user: 'me', password: 'hunter3' }), options);

    await expect(denied).rejects.toMatchObject({ code: 'SERVER_DENIED' });
    gate.trouble = () => ({ status: 409, body: '' });
    await expect(openSchemaIds(gate.url(), options)).rejects.toMatchObject({ code: 'SCHEMA_INCOMPATIBLE' });
  });
});

describe.skipIf(registry === '')('what is remembered', () => {
  test('is not the password', async () => {
    const { cacheFile } = await seenOnce();

    const text = await readFile(cacheFile, 'utf8');

    expect(text).toContain('Identify');
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(Buffer.from('me:hunter2').toString('base64'));
  });

  test.each(['', '{', 'null', '[]', '{"registry":"x","ids":1}'])(
    'counts for nothing once it is %j',
    async (content) => {
      const { gate, cacheFile, topicPrefix } = await seenOnce();
      await writeFile(cacheFile, content);

      await expect(openSchemaIds(gate.url(), { topicPrefix, cacheFile })).resolves.toBeDefined();

      const mended = await readFile(cacheFile, 'utf8');
      expect(mended).toContain('Identify');
      await truncate(cacheFile, mended.length - 20);
      await gate.close();
      await expect(openSchemaIds(gate.url(), { topicPrefix, cacheFile })).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      });
    },
  );

  test('may be impossible to keep: then it is said, and all goes on', async () => {
    const cacheFile = join(await temporaryFolder(), 'ids');
    await mkdir(join(cacheFile, 'a folder'), { recursive: true });
    const logger = { warn: vi.fn() };

    const ids = await openSchemaIds(registry, { topicPrefix: newPrefix(), cacheFile, logger });

    expect(ids.idOf('tidemark.track')).toBeGreaterThan(0);
    expect(logger.warn).toHaveBeenCalledOnce();
  });
});
