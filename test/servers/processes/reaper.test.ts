import { existsSync } from 'node:fs';
import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import { startProgram } from '../../support/service/program.ts';

test(
  'a server and its folder are gone soon after the process that started it was killed',
  { timeout: 60_000 },
  async () => {
    const holder = startProgram(['test/support/programs/server-holder.ts']);
    const [folder = '', url = ''] = (await holder.line())?.split(' ') ?? [];
    await connect(url);

    await holder.kill();

    await vi.waitUntil(() => !existsSync(folder), { timeout: 30_000 });
    await expect(connect(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  },
);

async function connect(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.end();
}
