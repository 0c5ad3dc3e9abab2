import { expect, test } from 'vitest';
import { changesSince, find, identify, named, save, track, WITHIN_A_MINUTE } from '../support/live/live-requests.ts';
import { READ_KEY, type ServiceProcess } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test(
  'a live audience tells of a message at once, also after the service was killed',
  { timeout: 180_000 },
  async () => {
    const folder = await temporaryFolder();
    let service = await startedService(folder);
    const definition = {
      all: [{ event: 'Bought', within: { last: '30d' } }, { not: { trait: 'plan', is: 'pro' } }],
    };
    const saved = await save(service, { name: 'Buyers', definition, refresh: 'live' });
    expect(saved).toMatchObject({ refresh: 'live', live_through: null });
    await expect
      .poll(() => find(service, saved.id), WITHIN_A_MINUTE)
      .toMatchObject({ live_through: expect.any(String) });

    const waiting = changesSince(service, saved.id, undefined, 30);
    await track(service, 'ada', 'Bought');
    const first = await waiting;
    expect(first.slice(0, -1)).toMatchObject([{ user_id: 'ada', change: 'entered', cause: 'live' }]);

    const leaving = changesSince(service, saved.id, first.at(-1)?.through, 30);
    await identify(service, 'ada', { plan: 'pro' });
    const second = await leaving;
    expect(second.slice(0, -1)).toMatchObject([{ user_id: 'ada', change: 'left', cause: 'live' }]);

    await service.stop('SIGKILL');
    service = await startedService(folder);
    const returning = changesSince(service, saved.id, second.at(-1)?.through, 30);
    await identify(service, 'ada', { plan: 'free' });
    expect((await returning).slice(0, -1)).toMatchObject([{ user_id: 'ada', change: 'entered' }]);
    await track(service, 'bob', 'Bought');
    await expect
      .poll(() => find(service, saved.id), WITHIN_A_MINUTE)
      .toMatchObject({ evaluation: { members: 2 }, live_through: expect.any(String) });
    // An evaluation has counted its members a moment before its changes can be read.
    await expect
      .poll(async () => named(await changesSince(service, saved.id, undefined, 0)), WITHIN_A_MINUTE)
      .toEqual(['ada entered', 'ada left', 'ada entered', 'bob entered']);

    await changeRefresh(service, saved.id, null);
    const after = await changesSince(service, saved.id, undefined, 0);
    expect(named(after)).toEqual(['ada entered', 'ada left', 'ada entered', 'bob entered']);
    expect(await find(service, saved.id)).toMatchObject({ refresh: null, live_through: null });
    // The last evaluation is one that nobody asked for.
    await expect
      .poll(async () => (await changesSince(service, saved.id, undefined, 0)).at(-1)?.through ?? '', WITHIN_A_MINUTE)
      .not.toBe(after.at(-1)?.through);
    expect(named(await changesSince(service, saved.id, undefined, 0))).toEqual(named(after));
  },
);

async function changeRefresh(service: ServiceProcess, id: string, refresh: string | null): Promise<void> {
  const answer = await fetch(`${service.url}/v1/audiences/${id}`, {
    method: 'PATCH',
    headers: { api_key: READ_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ refresh }),
  });
  expect(answer.status).toBe(200);
}
