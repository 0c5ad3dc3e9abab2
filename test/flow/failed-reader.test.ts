import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordedIn } from '../support/service/readers-passed.ts';
import { startedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// A service starts twice, which takes a minute each on a busy machine.
const TIMEOUT = { timeout: 300_000 };
const TRACK = { user_id: 'ada', event: 'Signed Up' };

/** Stopped, with positions in its stores that its event log does not hold: the log is a new one. */
async function withReplacedLog(dataDir: string): Promise<void> {
  const service = await startedService(dataDir);
  await recordedIn(service, '/v1/track', TRACK);
  await service.stop();
  await rm(join(dataDir, 'event-log'), { recursive: true });
}

test('a log that lacks what the stores have read is given no message, and /readyz says why', TIMEOUT, async () => {
  const dataDir = join(await temporaryFolder(), 'data');
  await withReplacedLog(dataDir);
  const service = await startedService(dataDir);
  const readiness = async (): Promise<unknown> => (await service.request('/readyz')).json();

  const answer = await service.request('/v1/track', TRACK);

  expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true]);
  const failed = { ready: false, parts: { eventLog: 'replaced', projector: 'failed', sink: 'failed' } };
  await expect.poll(readiness, { timeout: 60_000 }).toMatchObject(failed);
  expect(await readiness()).toMatchObject({ parts: { 'import-projector': 'ready', 'import-sink': 'ready' } });
  expect((await service.request('/readyz')).status).toBe(503);
});
