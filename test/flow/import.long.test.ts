import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import type { ImportState } from '../../services/operations/import/state.ts';
import { runProgram, startProgram } from '../support/service/program.ts';
import type { ServiceProcess } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testedForms } from '../support/service/tested-forms.ts';

const EVENTS = 3_000;
const USERS = 6;

/** Two identifies a user, one of them older than what is said live, and many events, some lines of them refused. */
function history(): string {
  const lines = [];
  for (let n = 0; n < EVENTS; n++) {
    const user_id = `u${n % USERS}`;
    const timestamp = new Date(Date.UTC(2024, 0) + n * 60_000).toISOString();
    lines.push(JSON.stringify({ type: 'track', user_id, event: 'Paid', timestamp, properties: { n } }));
    if (n < USERS)
      lines.push(JSON.stringify({ type: 'identify', user_id, timestamp, traits: { plan: 'old', since: n } }));
    if (n % 1_000 === 500) lines.push(`{"type":"track","user_id":"${user_id}"}`);
  }
  return `${lines.join('\n')}\n`;
}

describe.each(await testedForms())('history, $form', ({ settings }) => {
  test(
    'history is imported once beside a running service, though the import is killed',
    { timeout: 180_000 },
    async () => {
      const folder = await temporaryFolder();
      const env = { DATA_DIR: folder, ...(await settings()) };
      const service = await startedService(folder, env);
      await service.request('/v1/identify', { user_id: 'u0', traits: { plan: 'live' } });
      const file = join(await temporaryFolder(), 'history.gz');
      await writeFile(file, gzipSync(history()));

      const importing = ['services/cli/tidemark.ts', 'import', file];
      const killed = startProgram([...importing, '--rate', '200'], env);
      await vi.waitFor(() => expect(stateOf(file)?.counts.imported).toBeGreaterThan(300), {
        timeout: 60_000,
        interval: 20,
      });
      await killed.kill();
      const atKill = stateOf(file);
      const { code, stdout } = await runProgram([...importing, '--json'], env);

      expect(atKill?.isDone).toBe(false);
      expect(code).toBe(3);
      expect(JSON.parse(stdout)).toMatchObject({ accepted: EVENTS + USERS, refused: 3 });
      expect(readFileSync(`${file}.refused.ndjson`, 'utf8').trim().split('\n')).toHaveLength(3);
      await expectHistory(service);
    },
  );
});

function stateOf(file: string): ImportState | undefined {
  const path = `${file}.refused.ndjson.state.json`;
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as ImportState) : undefined;
}

async function expectHistory(service: ServiceProcess): Promise<void> {
  const wanted = Array.from({ length: EVENTS }, (_, n) => n);
  await vi.waitFor(async () => expect((await eventsOf(service)).length).toBeGreaterThanOrEqual(EVENTS), {
    timeout: 90_000,
    interval: 500,
  });
  // Shows that nothing more arrives: what is repeated would follow in the next insert, within a second.
  await delay(1_500);
  expect((await eventsOf(service)).toSorted((a, b) => a - b)).toEqual(wanted);
  const definition = { event: 'Paid', count: { at_least: EVENTS / USERS + 1 } };
  const tooMany = await (await service.request('/v1/audiences/preview', { definition, sample: 10 })).json();
  expect(tooMany).toMatchObject({ count: 0 });
  for (let user = 0; user < USERS; user++) {
    const profile = await (await service.request(`/v1/users/u${user}`)).json();
    expect(profile).toMatchObject({ traits: { plan: user === 0 ? 'live' : 'old', since: user } });
  }
}

/** The numbers of all events of all users, each as often as it is listed. */
async function eventsOf(service: ServiceProcess): Promise<number[]> {
  const pages = Array.from({ length: USERS }, async (_, user) => {
    const response = await service.request(`/v1/users/u${user}/events?limit=1000`);
    const { events } = (await response.json()) as { events: readonly { properties: { n: number } }[] };
    return events.map(({ properties }) => properties.n);
  });
  return (await Promise.all(pages)).flat();
}
