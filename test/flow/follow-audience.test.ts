/** A job that follows a saved audience, in one process and where another process evaluates it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { recordedIn } from '../support/service/readers-passed.ts';
import { READ_KEY, ServiceProcess } from '../support/service/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testedForms } from '../support/service/tested-forms.ts';

const PATIENTLY = { timeout: 60_000 };

interface Installation {
  /** Answers requests. */
  readonly http: ServiceProcess;
  readonly all: readonly ServiceProcess[];
}

async function start(roles: readonly string[], settings: Record<string, string>): Promise<Installation> {
  const folder = await temporaryFolder();
  const all: ServiceProcess[] = [];
  onTestFinished(async () => void (await Promise.all(all.map((one) => one.stop('SIGKILL')))));
  for (const role of roles) all.push(await ServiceProcess.start(folder, settings, role));
  return { http: all[0] as ServiceProcess, all };
}

/** What the program of the examples prints of an audience, line by line, until the test ends. */
function following(service: ServiceProcess, id: string): string[] {
  const env = { ...process.env, TIDEMARK_URL: service.url, READ_KEY };
  const child: ChildProcess = spawn(process.execPath, ['examples/node/follow.js', id], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface(stream).on('line', (line) => lines.push(line));
  }
  return lines;
}

function told(lines: readonly string[]): string[] {
  const changes = lines.map((line) => JSON.parse(line) as Record<'user_id' | 'change' | 'cause', string>);
  return changes.map(({ user_id: user, change, cause }) => `${user} ${change} ${cause}`).toSorted();
}

async function expectFollowed({ http }: Installation): Promise<void> {
  const batch = ['pro', 'free'].map((plan) => ({ type: 'identify', user_id: `on-${plan}`, traits: { plan } }));
  await recordedIn(http, '/v1/batch', { batch });
  const definition = { trait: 'plan', is: 'pro' };
  const body = { name: 'Pro', definition, refresh: '1h' };
  const { id } = await http.ask<{ id: string }>('/v1/audiences', body);

  const lines = following(http, id);

  await expect.poll(() => told(lines), PATIENTLY).toEqual(['on-pro entered first']);
  // It is due at once.
  await http.ask(`/v1/audiences/${id}`, { definition: { not: definition } }, { method: 'PATCH' });
  await expect
    .poll(() => told(lines), PATIENTLY)
    .toEqual(['on-free entered definition', 'on-pro entered first', 'on-pro left definition']);
  const { history } = await http.ask<{ history: object[] }>(`/v1/audiences/${id}/history`);
  expect(history).toMatchObject([
    { version: 2, cause: 'definition', count: 1, entered: 1, left: 1 },
    { version: 1, cause: 'first', count: 1, entered: 1, left: 0 },
  ]);
}

test.each(await testedForms())('a job follows an audience, $form', { timeout: 240_000 }, async ({ form, settings }) => {
  // On servers another process evaluates it.
  const roles = form === 'embedded' ? [''] : ['ingest', 'projector', 'sink'];
  await expectFollowed(await start(roles, await settings()));
});
