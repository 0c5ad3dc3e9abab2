import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { NOTHING_WRONG, RememberingPosts } from '../faults/remembering-posts.ts';
import { ServiceProcess } from '../support/service/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = 5;

test('kill -9 under load loses nothing that was answered 200 and doubles nothing', { timeout: 600_000 }, async () => {
  const folder = await temporaryFolder();
  let service = await ServiceProcess.start(folder);
  const posts = new RememberingPosts(() => [service]);
  posts.start();

  for (let kill = 0; kill < KILLS; kill++) {
    // From before the first insert to after several of them.
    await setTimeout(200 + Math.random() * 2500);
    await service.stop('SIGKILL');
    service = await ServiceProcess.start(folder);
  }

  await posts.passedSince(performance.now(), service);
  await posts.stop();
  await posts.passedSince(0, service);
  const found = await posts.compare(service);
  expect(await service.stop()).toBe(0);
  expect([posts.wrongAnswers, found]).toEqual([[], NOTHING_WRONG]);
  // Some between any two kills, also where the machine is busy.
  expect(posts.answered).toBeGreaterThan(KILLS);
});
