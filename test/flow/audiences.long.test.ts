/** Saved audiences from end to end: streams that are cut, restarts between pages, changes, many at once, the command line. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../support/service/program.ts';
import { recordedIn } from '../support/service/readers-passed.ts';
import { READ_KEY, ServiceProcess } from '../support/service/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testedForms } from '../support/service/tested-forms.ts';

const USERS = 2_000;
const PRO = { trait: 'plan', is: 'pro' };
const HEADERS = { 'content-type': 'application/json', api_key: READ_KEY };

/** A line of a stream: a member, a change, or its end. */
interface Line {
  readonly user_id?: string;
  readonly internal_id?: string;
  readonly change?: string;
  readonly cause?: string;
  readonly next_cursor?: string | null;
}

interface Shown {
  readonly id: string;
  readonly evaluation: { readonly members: number; readonly at: string; readonly cause: string } | null;
}

describe.each(await testedForms())('saved audiences, $form', ({ settings }) => {
  test(
    'audiences are streamed, saved, queried many at once, and printed by the command line',
    { timeout: 600_000 },
    async () => {
      const installation = new Installation(await temporaryFolder(), await settings());
      await installation.start();
      const plans = Array.from({ length: USERS }, (_, n) => [`user-${n}`, n % 4 === 0 ? 'free' : 'pro'] as const);
      await installation.identify(plans);
      const pro = plans.filter(([, plan]) => plan === 'pro').map(([id]) => id);
      const { id } = await installation.ask<Shown>('POST', '', { name: 'Pro', definition: PRO, refresh: '1h' });

      await expectMembersOnce(installation, id, pro);
      await expectChanges(installation, id, pro.length);
      await expectManyAtOnce(installation, pro.length);
      await expectCommandLine(installation, id, pro.length);
    },
  );
});

/** One installation, whose service is stopped and started. */
class Installation {
  readonly #folder: string;
  readonly #settings: Record<string, string>;
  #service: ServiceProcess | undefined;

  constructor(folder: string, settings: Record<string, string>) {
    this.#folder = folder;
    this.#settings = settings;
    onTestFinished(async () => void (await this.#service?.stop('SIGKILL')));
  }

  async start(): Promise<void> {
    this.#service = await ServiceProcess.start(this.#folder, this.#settings);
  }

  get #running(): ServiceProcess {
    if (this.#service === undefined) throw new Error('the service was not started');
    return this.#service;
  }

  async stop(signal?: NodeJS.Signals): Promise<void> {
    expect(await this.#running.stop(signal)).toBe(signal === undefined ? 0 : null);
  }

  /** Resolves once it can be asked for. */
  async identify(plans: readonly (readonly [id: string, plan: string])[]): Promise<void> {
    for (let from = 0; from < plans.length; from += 500) {
      const some = plans.slice(from, from + 500);
      const batch = some.map(([user_id, plan]) => ({ type: 'identify', user_id, traits: { plan } }));
      await recordedIn(this.#running, '/v1/batch', { batch });
    }
  }

  /** Posts tracks, one after the other, until it is told to stop; then how many there were. */
  tracking(): () => Promise<number> {
    const over = new AbortController();
    const tracked = (async () => {
      let count = 0;
      for (; !over.signal.aborted; count++) {
        const response = await this.#running.request('/v1/track', { user_id: `user-${count}`, event: 'Seen' });
        expect(response.status).toBe(200);
      }
      return count;
    })();
    return () => {
      over.abort();
      return tracked;
    };
  }

  /** A request to `/v1/audiences…`, and what it answers. */
  async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.#fetch(path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const text = await response.text();
    expect(response.ok, `${method} ${path}: ${text}`).toBe(true);
    return JSON.parse(text) as T;
  }

  async statusOf(path: string): Promise<number> {
    const response = await this.#fetch(path, {});
    await response.body?.cancel();
    return response.status;
  }

  /** The whole lines in the first `bytes` of a stream, and the cursor that it came with. */
  async lines(path: string, bytes = Infinity): Promise<{ lines: Line[]; cursor: string | null }> {
    const response = await this.#fetch(path, {});
    expect(response.status).toBe(200);
    let read = Buffer.alloc(0);
    for await (const chunk of response.body ?? []) {
      read = Buffer.concat([read, chunk as Uint8Array]);
      if (read.length >= bytes) break;
    }
    const lines = read.subarray(0, Math.min(read.length, bytes)).toString().split('\n').slice(0, -1);
    return { lines: lines.map((line) => JSON.parse(line) as Line), cursor: response.headers.get('tidemark-cursor') };
  }

  /** What `tidemark …` prints. */
  async tidemark(...args: string[]): Promise<string> {
    const env = { PATH: process.env['PATH'], DATA_DIR: this.#folder, ...this.#settings };
    const { code, stdout, stderr } = await runProgram(['services/cli/tidemark.ts', ...args], env);
    expect(code, stderr).toBe(0);
    return stdout;
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    return fetch(`${this.#running.url}/v1/audiences${path}`, { headers: HEADERS, ...init });
  }
}

/** Where a stream is cut in the middle of a line, and page by page; whatever happens to the service in between. */
async function expectMembersOnce(installation: Installation, id: string, pro: readonly string[]): Promise<void> {
  const cut = await installation.lines(`/${id}/members`, 50_001);
  await installation.stop();
  await installation.start();
  const after = cut.lines.at(-1)?.internal_id;
  const rest = await installation.lines(`/${id}/members?cursor=${cut.cursor}&after=${after}`);
  const { lines: first } = await installation.lines(`/${id}/members?limit=700`);
  const paged = first.slice(0, -1);
  await installation.stop('SIGKILL');
  await installation.start();
  expect(first.at(-1)?.next_cursor).toBeTypeOf('string');
  for (let cursor = first.at(-1)?.next_cursor; typeof cursor === 'string';) {
    const page = await installation.lines(`/${id}/members?limit=700&cursor=${cursor}`);
    cursor = page.lines.at(-1)?.next_cursor;
    paged.push(...page.lines.slice(0, -1));
  }

  expect(after).toBeDefined();
  expect(rest.lines.at(-1)).toEqual({ next_cursor: null });
  expect(idsOf([...cut.lines, ...rest.lines.slice(0, -1)])).toEqual(pro.toSorted());
  expect(idsOf(paged)).toEqual(pro.toSorted());
}

function idsOf(lines: readonly Line[]): string[] {
  return lines.map((line) => line.user_id ?? '').toSorted();
}

/** It is evaluated by itself once it is saved; then it is told who entered and left. */
async function expectChanges(installation: Installation, id: string, members: number): Promise<void> {
  const shown = (): Promise<Shown> => installation.ask('GET', `/${id}`);
  await expect.poll(shown, { timeout: 60_000 }).toMatchObject({ evaluation: { members } });
  const { evaluation } = await shown();
  // The newest may be a refresh: the kill before may have come between an evaluation and its note.
  const { history } = await installation.ask<{ history: { cause: string }[] }>('GET', `/${id}/history`);
  expect(history.at(-1)).toMatchObject({ cause: 'first', count: members });
  await installation.identify([
    ['user-0', 'pro'],
    ['user-1', 'free'],
  ]);
  await installation.ask('POST', `/${id}/evaluate`);
  const { lines } = await installation.lines(`/${id}/changes?since=${evaluation?.at}`);

  const changes = lines.slice(0, -1).map((line) => `${line.user_id} ${line.change} ${line.cause}`);
  expect(changes.sort()).toEqual(['user-0 entered refresh', 'user-1 left refresh']);
  expect(lines.at(-1)).toMatchObject({ next_cursor: null });
}

/** Ten audiences are counted and streamed at once while messages come in. */
async function expectManyAtOnce(installation: Installation, members: number): Promise<void> {
  const stopTracking = installation.tracking();
  const definitions = Array.from({ length: 10 }, (_, n) => ({ all: [PRO, { not: { trait: 'n', is: n } }] }));
  const saved = await Promise.all(
    definitions.map((definition, n) => installation.ask<Shown>('POST', '', { name: `Pro ${n}`, definition })),
  );
  const asked = saved.map(async ({ id }) => [
    (await installation.ask<{ count: number }>('GET', `/${id}/preview`)).count,
    (await installation.lines(`/${id}/members`)).lines.length - 1,
  ]);

  expect(await Promise.all(asked)).toEqual(saved.map(() => [members, members]));
  expect(await stopTracking()).toBeGreaterThan(0);
}

/** The same with and without a service that runs. */
async function expectCommandLine(installation: Installation, id: string, members: number): Promise<void> {
  const { projects } = JSON.parse(await installation.tidemark('project', 'list', '--json')) as {
    projects: { id: string }[];
  };
  const [project] = projects;
  const told = async (): Promise<string[]> => {
    const printed: string[] = [];
    for (const command of ['members', 'changes']) {
      printed.push(await installation.tidemark('audience', command, project?.id ?? '', id));
    }
    return [...printed, await installation.tidemark('audience', 'list', project?.id ?? '', '--json')];
  };
  const beside = await told();
  await installation.stop();
  const alone = await told();
  await installation.start();
  await installation.tidemark('audience', 'delete', project?.id ?? '', id);
  expect(await installation.statusOf(`/${id}`)).toBe(404);

  expect(alone).toEqual(beside);
  const [lines, changes, list] = beside.map((text) => text.trim().split('\n'));
  expect(lines).toHaveLength(members + 1);
  expect(lines?.at(-1)).toBe('{"next_cursor":null}');
  // All of the first evaluation, and the two of the second.
  expect(changes).toHaveLength(members + 2 + 1);
  expect(JSON.parse(list?.join('\n') ?? '')).toMatchObject({ audiences: { length: 11 }, next_cursor: null });
}
