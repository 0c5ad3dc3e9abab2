import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RememberingLoad } from '../support/remembering-load.ts';
import { ServiceProcess } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = 5;

test('kill -9 under load loses nothing that was answered 200 and doubles nothing', { timeout: 600_000 }, async () => {
  const folder = await temporaryFolder();
  const load = new RememberingLoad();

  for (let kill = 0; kill < KILLS; kill++) {
    const service = await ServiceProcess.start(folder);
    const posting = load.run(service);
    // From before the first insert to after several of them.
    await setTimeout(200 + Math.random() * 2500);
    await service.stop('SIGKILL');
    await posting;
  }

  const service = await ServiceProcess.start(folder);
  await load.post(service);
  await load.caughtUp(service);
  const found = await load.compare(service);
  expect(await service.stop()).toBe(0);
  expect(found).toEqual({ lost: [], doubled: [], wrongProfiles: [], missedByAudience: 0, overcounted: 0 });
  // Some between any two kills, also where the machine is busy.
  expect(load.answered).toBeGreaterThan(KILLS);
});
