import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { runProgram } from '../support/service/program.ts';
import type { ServiceProcess } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PRELOAD = join(import.meta.dirname, '../torture/clock-preload.ts');
const YEAR_MS = 365 * 86_400_000;
// Each starts the service, up to three times.
const LONG = { timeout: 240_000 };

let folder: string;
let clockFile: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  clockFile = join(folder, 'clock');
});

test.each([10 * YEAR_MS, -10 * YEAR_MS])(
  'a clock that jumps %i ms and comes back stamps nothing, and is named until then',
  LONG,
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
    const said = () => service.output.filter((line) => line.includes('the clock of this machine'));
    await expect.poll(said).toHaveLength(2);
    await service.request(`/v1/receipts/${receipt}?wait=20`);
    const user = (await (await service.request('/v1/users/ada')).json()) as { traits: object; last_seen: string };
    expect(user.traits).toEqual({ plan: 'after it came back' });
    expect(Math.abs(Date.parse(user.last_seen) - before)).toBeLessThan(60_000);
  },
);

test('no import begins while the clock is wrong', LONG, async () => {
  const service = await start(0);
  const file = join(folder, 'history.ndjson');
  writeFileSync(file, '{"type":"identify","user_id":"ada","traits":{"plan":"imported"}}\n');
  const tidemark = () =>
    runProgram(['services/cli/tidemark.ts', 'import', file, '--project', 'default'], {
      DATA_DIR: join(folder, 'data'),
    });

  writeFileSync(clockFile, String(10 * YEAR_MS));
  await eventually(async () => expect((await service.request('/readyz')).status).toBe(503));
  const early = await tidemark();
  writeFileSync(clockFile, '0');
  await eventually(async () => expect((await service.request('/readyz')).status).toBe(200));
  const imported = await tidemark();

  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('clock of this machine is wrong')]);
  expect(imported.code, imported.stderr).toBe(0);
});

test('a clock that is years off the newest message of the log at the start is not believed', LONG, async () => {
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
  const service = await startedService(join(folder, 'data'), settings);
  return service;
}

function identify(service: ServiceProcess, plan: string): Promise<Response> {
  return service.request('/v1/identify', { user_id: 'ada', traits: { plan } });
}
