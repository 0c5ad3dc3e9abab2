import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startedService } from '../support/service/shared-service.ts';

const DESCRIPTORS = 800;

test(
  'all connections that a process takes leave descriptors to its stores and readers',
  { timeout: 240_000 },
  async () => {
    const service = await startedService(undefined, {}, '', `ulimit -n ${DESCRIPTORS}; `);
    const [line = '{}'] = service.output.filter((one) => one.includes('MAX_CONNECTIONS'));
    const { maxConnections } = JSON.parse(line) as { maxConnections: number };
    expect(maxConnections).toBe(DESCRIPTORS / 2);

    const first = await Promise.all(Array.from({ length: maxConnections - 20 }, () => open(service.url)));
    const { receipt } = (await (
      await service.request('/v1/identify', { user_id: 'ada', traits: { plan: 'pro' } })
    ).json()) as { receipt: string };
    const passed = await (await service.request(`/v1/receipts/${receipt}?wait=30`)).json();
    const more = await Promise.all(Array.from({ length: 40 }, () => open(service.url)));

    expect(first.filter((answer) => answer !== '200')).toEqual([]);
    expect(passed).toMatchObject({ projected: true, queryable: true });
    expect(more).toContain('503');
    expect(more.filter((answer) => answer !== '200' && answer !== '503')).toEqual([]);
  },
);

/** Resolves with the status of its first answer; the connection stays open. */
async function open(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write('GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n');
  const [data] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean];
  return /^HTTP\/1.1 (\d+)/.exec(String(data))?.[1] ?? 'closed';
}
