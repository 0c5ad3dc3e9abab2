/** A service that is killed at chosen steps, one after another, against the model of the torture. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openEventLog } from '../../services/event-log/open.ts';
import { type Message, TOPICS, topicOf } from '../../services/messages/message.ts';
import { hasRead } from '../bench/lag.ts';
import { ImportClient, IMPORTS } from '../support/service/import-client.ts';
import { identify, recordOf, session, track } from '../support/messages/messages.ts';
import { randomProjectId } from '../support/messages/random-project.ts';
import { ADMIN_KEY, READ_KEY, ServiceProcess, WRITE_KEY } from '../support/service/service.ts';
import { embeddedUrls } from '../support/stores/new-stores.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { LiveReport } from '../torture/check/check-live.ts';
import { Findings } from '../torture/check/findings.ts';
import { Ledger } from '../torture/check/ledger.ts';
import { TOLD_TRAITS, TraitsTold } from '../torture/check/traits-told.ts';
import { compareStores } from '../torture/check/compare-stores.ts';
import { LiveAudiences } from '../torture/beside/live-audiences.ts';
import type { KillStep } from './kill-at.ts';

const PRELOAD = `--import=${join(import.meta.dirname, 'kill-at.ts')}`;
const PROJECT = randomProjectId();
const LIVE_WITHIN_MS = 60_000;

describe('a service that is killed', { timeout: 600_000 }, () => {
  test('amid a large batch, its slices, and a file of rows, reads on to what the log holds', async () => {
    const folder = await temporaryFolder();
    // A poll of 1,200 is full, a part of them from each partition of each topic: it is written as at the head of the log, and
    // what remains in large batches.
    const stages = [
      { step: 'a slice is written', messages: 2_400 },
      { step: 'all slices are written, positions and claims are not', messages: 2_400 },
      { step: 'a row file is half written', messages: 500 },
    ] as const;

    let appended = 0;
    for (const { step, messages } of stages) {
      await append(folder, history(appended, messages));
      appended += messages;
      const dying = await startUntil(step, folder);
      await dying.death();
    }
    await readAll(folder);

    expect(await compared(folder)).toEqual({ messages: appended, found: {} });
  });

  test('while it imports a file, and while it deletes a project, goes on with both', async () => {
    const folder = await temporaryFolder();
    const importing = await startUntil('records of an import are appended, not noted', folder);
    let service = importing.service();
    const client = new ImportClient(() => service);
    const gone = await project(client, 'Gone');
    await service.request('/v1/batch', { batch: people() });
    await service.request('/v1/batch', { batch: people() }, { api_key: gone.key });
    const id = await client.start({ file: await client.upload(historyFile(600), 'history.ndjson') });
    await importing.death();

    const deleting = await startUntil('the profiles of a project are deleted, its rows are not', folder);
    service = deleting.service();
    const resumed = await client.send('POST', `${IMPORTS}/${id}/resume`);
    const done = await client.end(id);
    await caughtUp(service);
    const removal = `/v1/admin/projects/${gone.id}?confirm=Gone`;
    await client.send('DELETE', removal).catch(() => undefined);
    await deleting.death();
    service = await start(folder);
    const { status, body } = await client.send('DELETE', removal);
    // It has deleted everything, and waits for readers that do not know of the deletion yet.
    const phase = async (): Promise<unknown> => (await client.send('GET', `/v1/admin/jobs/${body.id}`)).body.progress;
    await expect.poll(phase, { timeout: 60_000 }).toMatchObject({ phase: 'waiting for the readers' });
    await caughtUp(service);
    expect(await service.stop()).toBe(0);

    expect(resumed.status).toBe(202);
    expect(done).toMatchObject({ state: 'done', result: { accepted: 600, refused: 0 } });
    expect(status).toBe(202);
    const { found } = await compared(folder, { gone: gone.id });
    expect(found).toEqual({});
  });
});

const LIVE_STEPS: readonly KillStep[] = [
  'an insert is noted, and nobody is told',
  'live changes are written, and do not count',
  'live changes count, and their members are not written',
  'live changes and their members are written',
  'an evaluation is written, and does not count',
];

describe('a service with live audiences', { timeout: 600_000 }, () => {
  test('that is killed at each of its steps has told each change once, and the members are those of the model', async () => {
    const folder = await temporaryFolder();
    let service!: ServiceProcess;
    let [posted, saving]: [number, Promise<void>?] = [0];
    const live = new LiveAudiences(() => service.url);
    for (const step of LIVE_STEPS) {
      const dying = await startUntil(step, folder);
      service = dying.service();
      saving ??= live.save([await firstProject(service)]);
      posted = await postUntil(dying.death(), service, posted);
    }

    service = await start(folder);
    await saving;
    await post(service, posted, 200);
    await caughtUp(service);
    const reports = await live.reports(LIVE_WITHIN_MS);
    expect(await service.stop()).toBe(0);

    expect((await compared(folder, { live: reports })).found).toEqual({});
    expect(reports.filter(({ members }) => members.size > 0).length).toBeGreaterThan(5);
  });
});

async function firstProject({ url }: ServiceProcess) {
  const response = await fetch(`${url}/v1/admin/projects`, { headers: { api_key: ADMIN_KEY } });
  const { projects } = (await response.json()) as { projects: readonly { id: string; timezone: string }[] };
  const [first] = projects;
  if (first === undefined) throw new Error('the service made no project');
  return { ...first, writeKey: WRITE_KEY, readKey: READ_KEY };
}

/** Posts a few at a time, so that there are several inserts, also when the service is dead. */
async function post(service: ServiceProcess, from: number, count: number): Promise<void> {
  for (let number = from; number < from + count; number += 20) {
    const batch = Array.from({ length: 20 }, (_, index) => messageOf(number + index));
    await service.request('/v1/batch', { batch }).catch(() => undefined);
    await delay(100);
  }
}

/** Posts until this resolves: nobody knows when the first audience is followed. Returns the number of the next message. */
async function postUntil(end: Promise<void>, service: ServiceProcess, from: number): Promise<number> {
  const over = new AbortController();
  void end.catch(() => undefined).then(() => over.abort());
  let next = from;
  for (; !over.signal.aborted; next += 20) await post(service, next, 20);
  return end.then(() => next);
}

/** Forty users, others after a while, who do something now, long ago or almost an hour ago, and have a trait set or deleted. */
function messageOf(number: number): object {
  const user_id = `u${((number * 7) % 40) + 40 * Math.floor(number / 500)}`;
  if (number % 4 === 3) {
    const trait = TOLD_TRAITS[number % 3] ?? '';
    return { type: 'identify', user_id, traits: { [trait]: number % 5 === 0 ? null : number } };
  }
  const ago = [0, 0, 3_594_000, 400_000_000_000][number % 4] ?? 0;
  const timestamp = new Date(Date.now() - ago).toISOString();
  const event = ['page', 'Order Completed', 'order completed', 'a.b'][(number >> 2) % 4];
  return { type: 'track', user_id, event, timestamp, properties: { number } };
}

/** A third of each type. Traits are set and deleted under ids that were given, some of which come again. */
function history(from: number, count: number): readonly Message[] {
  return Array.from({ length: count }, (_, index) => {
    const seq = from + index;
    const userId = `u${(seq * 7_919) % 3_000}`;
    const said = { projectId: PROJECT, userId, anonymousId: `a${seq % 7}` };
    if (seq % 3 === 0) return session({ ...said, sessionId: `s${seq}`, anonymous: false, traits: '{"here":true}' });
    if (seq % 3 === 1) return track({ ...said, properties: `{"seq":${seq}}` });
    const traits = seq % 4 === 1 ? `{"seq":${seq},"plan":null}` : `{"seq":${seq},"plan":"p${seq % 4}"}`;
    const isRepeat = seq % 5 === 4;
    return identify({ ...said, messageId: `given ${userId} ${isRepeat ? 0 : seq}`, messageIdGiven: true, traits });
  });
}

async function append(folder: string, messages: readonly Message[]): Promise<void> {
  const log = await openEventLog(`log:${folder}/event-log`, { topics: TOPICS, partitions: 4 });
  await log.append(messages.map((message) => ({ topic: topicOf(message), ...recordOf(message) })));
  await log.close();
}

function people(): readonly object[] {
  return Array.from({ length: 40 }, (_, index) => {
    const who = { user_id: `u${index % 20}`, anonymous_id: `a${index % 3}` };
    if (index < 20) return { ...who, type: 'track', event: 'Seen' };
    return { ...who, type: 'identify', traits: { plan: 'live', gone: null } };
  });
}

function historyFile(lines: number): string {
  return Array.from({ length: lines }, (_, index) => {
    const timestamp = new Date(Date.UTC(2025, 0) + index * 60_000).toISOString();
    const who = { user_id: `u${index % 30}`, anonymous_id: `b${index % 5}`, timestamp };
    const line =
      index % 4 === 0
        ? { ...who, type: 'identify', traits: { plan: 'old', since: index } }
        : { ...who, type: 'track', event: 'Paid', properties: { of: index } };
    return `${JSON.stringify(line)}\n`;
  }).join('');
}

interface Dying {
  /** Once it is ready: not every one comes so far. */
  service(): ServiceProcess;
  /** Resolves once it is dead, at the step. */
  death(): Promise<void>;
}

async function startUntil(step: KillStep, folder: string): Promise<Dying> {
  // Where messages were appended before any start, their project is made from them.
  const settings = { NODE_OPTIONS: PRELOAD, KILL_AT: step, RECOVER_PROJECTS: 'on' };
  const started = await start(folder, settings).catch((error: unknown) => error as Error);
  const output = (): string => (started instanceof Error ? started.message : started.output.join('\n'));
  return {
    service: () => {
      if (started instanceof Error) throw started;
      return started;
    },
    death: async () => {
      await expect.poll(output, { timeout: 120_000 }).toContain(`killed where ${step}`);
      if (!(started instanceof Error)) await started.stop('SIGKILL');
    },
  };
}

async function start(folder: string, settings: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(folder, settings);
  onTestFinished(async () => void (await service.stop('SIGKILL')));
  return service;
}

async function readAll(folder: string): Promise<void> {
  const service = await start(folder);
  await caughtUp(service);
  expect(await service.stop()).toBe(0);
}

async function caughtUp(service: ServiceProcess): Promise<void> {
  await hasRead(service, 'projector|sink');
  await hasRead(service, 'import-projector|import-sink');
}

async function project(client: ImportClient, name: string): Promise<{ readonly id: string; readonly key: string }> {
  const { body: made } = await client.send('POST', '/v1/admin/projects', { name });
  const key = await client.send('POST', `/v1/admin/projects/${made.id}/keys`, { scopes: ['write'] });
  return { id: made.id, key: String(key.body['key']) };
}

interface ComparedWith {
  /** A project whose messages count for nothing. */
  readonly gone?: string;
  readonly live?: readonly LiveReport[];
}

/** What differs from the model, by kind. */
async function compared(
  folder: string,
  { gone, live = [] }: ComparedWith = {},
): Promise<{ readonly messages: number; readonly found: object }> {
  const findings = new Findings();
  const sent = { ledger: new Ledger(), told: new TraitsTold() };
  const drop = ({ projectId }: { readonly projectId: string }): boolean => projectId === gone;
  const { messages } = await compareStores(sent, embeddedUrls(folder), findings, { drop, live });
  return { messages, found: findings.toJSON() };
}
