import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryServersFolder } from '../support/service/servers-folder.ts';
import { startRegistry } from './registry.ts';

const JSON_TYPE = { 'content-type': 'application/vnd.schemaregistry.v1+json' };

test(
  'the registry takes a schema, gives it back by its id, and answers again after a stop',
  { timeout: 120_000 },
  async () => {
    const registry = await startRegistry({ folder: join(await temporaryServersFolder(), 'registry') });
    onTestFinished(registry.kill);

    const registered = await fetch(`${registry.url}/subjects/s-value/versions`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ schema: '"string"' }),
    });
    const { id } = (await registered.json()) as { id: number };
    const found = await fetch(`${registry.url}/schemas/ids/${id}`);

    expect(await found.json()).toMatchObject({ schema: '"string"' });
    await registry.stop();
    await expect(fetch(`${registry.url}/subjects`)).rejects.toThrow(TypeError);
    await registry.start();
    expect((await fetch(`${registry.url}/subjects`)).status).toBe(200);
  },
);
