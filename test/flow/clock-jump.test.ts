import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ServiceProcess } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PRELOAD = join(import.meta.dirname, '../torture/clock-preload.ts');
const YEAR_MS = 365 * 86_400_000;

let folder: string;
let clockFile: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  clockFile = join(folder, 'clock');
});

test.each([10 * YEAR_MS, -10 * YEAR_MS])(
  'a clock that jumps %i ms and comes back stamps nothing, and is named until then',
  async (jumpMs) => {
    const service = await start(0);

    writeFileSync(clockFile, String(jumpMs));
    await eventually(async () => expect((await identify(service, 'while it is wrong')).status).toBe(503));
    const wrong = await service.request('/readyz');
    writeFileSync(clockFile, '0');
    await eventually(async () => expect((await service.request('/readyz')).status).toBe(200));
    const before = Date.now();
    const { receipt } = (await (await identify(service, 'after it came back')).json()) as { receipt: string };

    expect([wrong.status, await wrong.json()]).toMatchObject([503, { parts: { ingest: 'clock skewed' } }]);
    expect(service.output.filter((line) => line.includes('the clock of this machine'))).toHaveLength(2);
    await service.request(`/v1/receipts/${receipt}?wait=20`);
    const user = (await (await service.request('/v1/users/ada')).json()) as { traits: object; last_seen: string };
    expect(user.traits).toEqual({ plan: 'after it came back' });
    expect(Math.abs(Date.parse(user.last_seen) - before)).toBeLessThan(60_000);
  },
);

test('a clock that is years off the newest message of the log at the start is not believed', async () => {
  const first = await start(0);
  await identify(first, 'first');
  await first.stop();

  const second = await start(-10 * YEAR_MS);
  const early = await identify(second, 'second');
  writeFileSync(clockFile, '0');

  expect(early.status).toBe(503);
  await eventually(async () => expect((await identify(second, 'second')).status).toBe(200));
});

async function start(offsetMs: number): Promise<ServiceProcess> {
  writeFileSync(clockFile, String(offsetMs));
  const settings = { NODE_OPTIONS: `--import=${PRELOAD}`, CLOCK_FILE: clockFile };
  const service = await ServiceProcess.start(join(folder, 'data'), settings);
  onTestFinished(async () => void (await service.stop()));
  return service;
}

function identify(service: ServiceProcess, plan: string): Promise<Response> {
  return service.request('/v1/identify', { user_id: 'ada', traits: { plan } });
}
