/** The programs of the examples that send a survey to everybody who enters an audience. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runTool } from '../servers/processes/server-process.ts';
import { recordedIn } from '../support/service/readers-passed.ts';
import { READ_KEY } from '../support/service/service.ts';
import { sharedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PATIENCE = { timeout: 60_000 };
const service = sharedService(() => ({ WEBHOOK_ALLOW: '127.0.0.1' }));

const python = await runTool('python3', ['--version']).then(
  () => true,
  () => false,
);

/** A program whose lines are read, killed when the test ends. */
class Program {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;

  constructor(file: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    const child = spawn(file, args, { env: { ...process.env, TIDEMARK_URL: service().url, READ_KEY, ...env } });
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => this.lines.push(line));
    onTestFinished(() => void child.kill('SIGKILL'));
    this.#child = child;
  }

  get surveys(): readonly string[] {
    return this.lines.filter((line) => line.startsWith('survey ')).toSorted();
  }

  async kill(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }
}

function send<T = object>(path: string, body?: object): Promise<T> {
  return service().ask(path, body, { method: 'POST' });
}

/** Users with this plan, who are then in the audience or not. */
async function identify(plan: string, ...users: readonly string[]): Promise<void> {
  const batch = users.map((user) => ({ type: 'identify', user_id: user, traits: { plan, email: `${user}@x.de` } }));
  await recordedIn(service(), '/v1/batch', { batch });
}

/** An audience of all on this plan, evaluated once. */
async function evaluatedAudience(name: string): Promise<string> {
  const definition = { trait: 'plan', is: 'pro' };
  const { id } = await send<{ id: string }>('/v1/audiences', { name, definition });
  await send(`/v1/audiences/${id}/evaluate`);
  return id;
}

describe('the examples with surveys', { timeout: 120_000 }, () => {
  test.skipIf(!python)('a survey sender in Python, by changes, survives a kill and sends nobody twice', async () => {
    await identify('pro', 'ada');
    const audience = await evaluatedAudience('By changes');
    const state = join(await temporaryFolder(), 'survey.db');
    const args = ['examples/python/survey.py', audience, state];
    const first = new Program('python3', args, {});
    await expect.poll(() => first.surveys, PATIENCE).toEqual(['survey ada ada@x.de']);
    await first.kill();
    await identify('free', 'ada');
    await send(`/v1/audiences/${audience}/evaluate`);
    await identify('pro', 'ada', 'bob');
    await send(`/v1/audiences/${audience}/evaluate`);

    const second = new Program('python3', args, {});
    await expect.poll(() => second.surveys, PATIENCE).toEqual(['survey bob bob@x.de']);
    await identify('pro', 'cleo');
    await send(`/v1/audiences/${audience}/evaluate`);

    await expect.poll(() => second.surveys, PATIENCE).toEqual(['survey bob bob@x.de', 'survey cleo cleo@x.de']);
  });

  test('a survey sender in Node, by a webhook, survives a kill and sends nobody twice', async () => {
    const state = join(await temporaryFolder(), 'survey.sent');
    await identify('free', 'ada', 'bob', 'cleo');
    await identify('pro', 'cleo');
    const audience = await evaluatedAudience('By a webhook');
    const url = 'http://127.0.0.1:9/';
    const made = await send<{ id: string; secret: string }>('/v1/endpoints', {
      url,
      traits: 'email',
      audiences: [audience],
    });
    const args = ['examples/node/survey-webhook.js', state];
    const first = new Program(process.execPath, args, { PORT: '0', WEBHOOK_SECRET: made.secret });
    await expect.poll(() => first.lines[0], PATIENCE).toContain('listening on');
    const address = first.lines[0]?.replace('listening on ', '') ?? '';
    const headers = { api_key: READ_KEY, 'content-type': 'application/json' };
    const changed = { method: 'PATCH', headers, body: JSON.stringify({ url: address }) };
    expect((await fetch(`${service().url}/v1/endpoints/${made.id}`, changed)).status).toBe(200);
    await identify('pro', 'ada');
    await send(`/v1/audiences/${audience}/evaluate`);
    await expect.poll(() => first.surveys, PATIENCE).toEqual(['survey ada ada@x.de']);
    await first.kill();
    await identify('free', 'ada');
    await send(`/v1/audiences/${audience}/evaluate`);
    await identify('pro', 'ada', 'bob');
    await send(`/v1/audiences/${audience}/evaluate`);

    const port = new URL(address).port;
    const second = new Program(process.execPath, args, { PORT: port, WEBHOOK_SECRET: made.secret });
    await expect.poll(() => second.lines[0], PATIENCE).toContain('listening on');
    await send(`/v1/endpoints/${made.id}/resend`, { since: '2026-01-01' });

    await expect.poll(() => second.surveys, PATIENCE).toEqual(['survey bob bob@x.de', 'survey cleo cleo@x.de']);
    const unsigned = await fetch(address, { method: 'POST', body: '{"type":"audience.changed"}' });
    expect(unsigned.status).toBe(401);
  });
});
