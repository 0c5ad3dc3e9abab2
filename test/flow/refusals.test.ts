import { expect, test } from 'vitest';
import { runCli } from '../../services/cli/run-cli.ts';
import { ADMIN_KEY, type ServiceProcess } from '../support/service/service.ts';
import { sharedService, startedService } from '../support/service/shared-service.ts';

const shared = sharedService();

async function countOf(service: ServiceProcess, pointer: string): Promise<number> {
  const answer = (await (await service.request('/v1/refusals')).json()) as {
    readonly refusals: readonly { readonly pointer: string; readonly count: number }[];
  };
  return answer.refusals.find((group) => group.pointer === pointer)?.count ?? 0;
}

const WRONG_KEY = 'tm_w_of_nobody_0123456789012345678901234567';

interface Status {
  readonly without_project?: { readonly today: Readonly<Record<string, number>> };
}

test('a wrong key and a wrong path are in status, in the refusals and in the log', { timeout: 120_000 }, async () => {
  const service = shared();
  const asAdmin = { headers: { api_key: ADMIN_KEY } };
  const today = async () =>
    ((await (await fetch(`${service.url}/v1/admin/status`, asAdmin)).json()) as Status).without_project?.today;
  const call = { user_id: 'ada', event: 'Paid' };
  for (let n = 0; n < 5; n++) await service.request('/v1/track', call, { api_key: WRONG_KEY });
  for (let n = 0; n < 2; n++) await service.request('/v1/tracks', call);
  await service.request('/v1/track', { ...call, type: 'track', writeKey: WRONG_KEY }, { api_key: '' });

  await expect.poll(today, { timeout: 30_000 }).toEqual({ unauthorized: 6, 'not-found': 2 });
  const listed = await (await fetch(`${service.url}/v1/refusals`, asAdmin)).json();
  let text = '';
  const env = { PORT: new URL(service.url).port, DATA_DIR: service.dataDir };
  await runCli(['status'], { env, out: (part: string) => (text += part), err: () => undefined });
  const warnings = service.output.filter((line) => line.includes('no project is known for'));

  const group = { key_id: 'tm_w_of_…', path: '/v1/track', code: 'unauthorized', example: null };
  expect(listed).toMatchObject({ refusals: expect.arrayContaining([expect.objectContaining(group)]) as unknown });
  expect(text).toMatch(/6 without a valid key, 2 at a path that is not there|2 at a path .*, 6 without/);
  expect(warnings).toHaveLength(1);
  for (const answer of [JSON.stringify(listed), text, ...service.output]) expect(answer).not.toContain(WRONG_KEY);
});

test('what was refused is there after a restart, also what came last', { timeout: 120_000 }, async () => {
  const first = shared();
  expect((await first.request('/v1/track', { user_id: 'ada', event: 7 })).status).toBe(400);
  await expect.poll(() => countOf(first, '/event'), { timeout: 20_000 }).toBe(1);
  expect((await first.request('/v1/track', { user_id: 'ada', event: 8 })).status).toBe(400);
  await first.stop();

  const second = await startedService(first.dataDir);

  expect(await countOf(second, '/event')).toBe(2);
});
