import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';

const ANSWERS: Record<string, number> = { '/healthz': 200, '/readyz': 503 };

async function startServer(): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(ANSWERS[url] ?? 404).end(`{"asked":"${url}"}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return String((server.address() as AddressInfo).port);
}

function check(port: string, ...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, PORT: port };
    const child = execFile(process.execPath, ['deploy/health-check.ts', ...args], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

describe('the health check of a container', () => {
  test('the health check exits 0 where the service answers, and prints the answer', async () => {
    const port = await startServer();

    expect(await check(port)).toEqual({ code: 0, output: '200 {"asked":"/healthz"}\n' });
  });

  test('the health check exits 1 where the service answers that it is not ready', async () => {
    const port = await startServer();

    expect(await check(port, '/readyz')).toEqual({ code: 1, output: '503 {"asked":"/readyz"}\n' });
  });

  test('the health check exits 1 where nobody listens', async () => {
    expect(await check('9')).toMatchObject({ code: 1 });
  });
});
