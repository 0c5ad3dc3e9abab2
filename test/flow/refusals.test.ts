import { expect, test } from 'vitest';
import { ServiceProcess } from '../support/service/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function countOf(service: ServiceProcess, pointer: string): Promise<number> {
  const answer = (await (await service.request('/v1/refusals')).json()) as {
    readonly refusals: readonly { readonly pointer: string; readonly count: number }[];
  };
  return answer.refusals.find((group) => group.pointer === pointer)?.count ?? 0;
}

test('what was refused is there after a restart, also what came last', { timeout: 120_000 }, async () => {
  const folder = await temporaryFolder();
  const first = await ServiceProcess.start(folder);
  expect((await first.request('/v1/track', { user_id: 'ada', event: 7 })).status).toBe(400);
  await expect.poll(() => countOf(first, '/event'), { timeout: 20_000 }).toBe(1);
  expect((await first.request('/v1/track', { user_id: 'ada', event: 8 })).status).toBe(400);
  await first.stop();

  const second = await ServiceProcess.start(folder);
  try {
    expect(await countOf(second, '/event')).toBe(2);
  } finally {
    await second.stop();
  }
});
