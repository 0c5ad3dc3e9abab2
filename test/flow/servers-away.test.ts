/** What ingest does where a server is unreachable: listens, waits and says so once. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram, startProgram } from '../support/service/program.ts';
import { canRunOnServers } from '../support/service/server-settings.ts';
import { sharedServers } from '../support/service/shared-service.ts';

const canRun = await canRunOnServers();

interface Line {
  readonly msg: string;
  readonly address?: string;
}

/** A port of this machine where nobody listens. */
async function deadPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.skipIf(!canRun)('a role', () => {
  const servers = sharedServers();
  let folder: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    env = { ...servers().settings, PORT: '0', DATA_DIR: folder };
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('an unknown role is refused before anything is opened', async () => {
    const { code, stderr } = await runProgram(['services/main.ts', 'ingester'], env);

    expect(code).toBe(2);
    expect(stderr).toContain('ingester');
  });

  test.each(['EVENT_LOG_URL', 'PROFILES_URL', 'ANALYTICS_URL'])(
    'ingest listens while the server of %s is unreachable, says so once, and stops when it is told to',
    { timeout: 60_000 },
    async (setting) => {
      const url = (env[setting] ?? '').replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${await deadPort()}`);
      const program = startProgram(['services/main.ts', 'ingest'], { ...env, [setting]: url });
      const lines: Line[] = [];
      const next = async (wanted: (line: Line) => boolean): Promise<Line> => {
        for (;;) {
          const text = await program.line();
          if (text === undefined) throw new Error(`it ended: ${JSON.stringify(lines)}`);
          if (!text.startsWith('{')) continue;
          const line = JSON.parse(text) as Line;
          lines.push(line);
          if (wanted(line)) return line;
        }
      };

      const { address } = await next(({ msg }) => msg === 'starting');
      await next(({ msg }) => msg.startsWith('cannot open'));
      const health = await fetch(`${address}/healthz`);
      const posted = await fetch(`${address}/v1/track`, {
        method: 'POST',
        headers: { api_key: 'a-key-that-nobody-knows-0123456789abcdef', 'content-type': 'application/json' },
        body: '{"user_id":"ada","event":"Tried"}',
      });
      program.child.kill('SIGTERM');
      await next(({ msg }) => msg === 'stopped');

      expect(health.status).toBe(200);
      expect([401, 503]).toContain(posted.status);
      expect(lines.filter(({ msg }) => msg.startsWith('cannot open'))).toHaveLength(1);
    },
  );
});
