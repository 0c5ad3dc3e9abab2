import { statfsSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { InstallationStatus } from '../../../../services/api/admin/status/attention.ts';
import { TidemarkError } from '../../../../services/runtime/errors.ts';
import type { ProcessReport } from '../../../../services/stores/service-state/process-store.ts';
import { SqlErasures } from '../../../../services/stores/erasures/sql-erasures.ts';
import { recordOf, track } from '../../../support/messages/messages.ts';
import { hourly, plantSizes } from '../../../support/stores/planted-sizes.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import type { ProjectStatus } from '../../../../services/api/admin/status/project-status.ts';
import { ADMIN_KEY, OTHER_PROJECT, PROJECT, READ_KEY, ReadingServer } from '../../../support/http/reading-server.ts';

let server: ReadingServer;

beforeEach(async () => {
  server = await ReadingServer.start();
});
afterEach(() => server.stop());

const TOPIC = 'tidemark.track';
const DAY_MS = 86_400_000;

async function status(): Promise<InstallationStatus> {
  const response = await server.request('/v1/admin/status', {}, ADMIN_KEY);
  expect(response.status).toBe(200);
  return (await response.json()) as InstallationStatus;
}

function record(count: number, topic = TOPIC): void {
  for (let n = 0; n < count; n++) {
    server.recorded.put(topic, 0, recordOf(track({ projectId: PROJECT.id, userId: `u${n}` })));
  }
}

function reportOf(role: string, changes: Partial<ProcessReport> = {}): ProcessReport {
  return { id: role, role, version: '0.2.0', startedAtMs: 0, parts: {}, rates: {}, ...changes };
}

test('rates are summed over processes, and a reader is as the worst of those that run it', async () => {
  await server.processes.report(reportOf('ingest', { rates: { accepted: 2, refused: 1 } }));
  await server.processes.report(reportOf('ingest2', { rates: { accepted: 3.5 } }));
  const readers = { parts: { projector: 'ready', sink: 'ready' }, rates: { projector: 4, 'import-projector': 1 } };
  await server.processes.report(reportOf('projector', readers));
  await server.processes.report(reportOf('sink', { parts: { sink: 'ready' }, rates: { sink: 6 } }));
  await server.processes.report(reportOf('sink2', { parts: { sink: 'failed' }, rates: { sink: 0 } }));

  const { rates, readers: states, attention, processes } = await status();

  expect(rates).toEqual({ accepted: 5.5, refused: 1, projected: 5, stored: 6 });
  expect(states.projector).toMatchObject({ state: 'ready', messages_per_second: 4 });
  expect(states.sink).toMatchObject({ state: 'failed', messages_per_second: 6 });
  expect(states['import-sink'].state).toBe('missing');
  expect(attention.map(({ code }) => code)).toEqual(['reader_failed', 'reader_missing']);
  expect(processes).toHaveLength(5);
  expect(processes?.[0]).toMatchObject({ id: 'ingest', state: 'running', started_at: '1970-01-01T00:00:00.000000Z' });
});

test('the lag is told in messages, and in seconds as the age of the oldest record that is not read', async () => {
  record(10);
  server.progress.move('projector', TOPIC, 0, 4n);
  server.progress.move('sink', TOPIC, 0, 10n);
  const before = Date.now();

  const { readers, newest_queryable_event: newest } = await status();

  const ageOf = (n: number): number => (before - server.recorded.records(TOPIC, 0)[n]!.appendedAtMs) / 1_000;
  expect(readers.projector.lag_messages).toBe(6);
  expect(readers.projector.lag_seconds).toBeCloseTo(ageOf(4), -1);
  expect(readers.sink).toMatchObject({ lag_messages: 0, lag_seconds: 0 });
  expect(newest?.age_seconds).toBeCloseTo(ageOf(9), -1);
  expect(newest?.at).toBe('2023-11-14T22:13:20.009000Z');
});

test('a partition that no reader has begun counts from its first record', async () => {
  record(3);
  record(2, 'tidemark.import-track');

  const { readers, newest_queryable_event: newest } = await status();

  expect(Object.values(readers).map(({ lag_messages: messages }) => messages)).toEqual([3, 3, 2, 2]);
  expect(newest).toBeNull();
});

test('dead letters wait by reader, until they are replayed or dropped, or their project is deleted', async () => {
  deadLetter('projector', 1n);
  deadLetter('projector', 2n);
  deadLetter('sink', 2n);
  deadLetter('sink', 2n);
  deadLetter('sink', 3n);
  server.recorded.put('tidemark.dead-letter', 0, { key: Buffer.from('k'), value: Buffer.from('not a dead letter') });
  await server.database.query(
    `insert into settled_dead_letters (topic, partition, log_offset, state, settled_at_ms) values ($1, 0, 1, 'dropped', 0)`,
    [TOPIC],
  );
  await SqlErasures.addProject(server.database, { id: 'proj_deleted', name: 'Gone', leaves: true, actor: 'local' });
  deadLetter('projector', 4n, 'proj_deleted');

  const { dead_letters: letters, attention } = await status();

  expect(letters).toEqual({ messages: 2, waiting: { projector: 1, sink: 2 }, counted_all: true });
  expect(attention.filter(({ code }) => code === 'dead_letters_waiting')).toHaveLength(1);
});

test('a project is told how many of its own dead letters wait', async () => {
  for (const offset of [1n, 2n]) deadLetter('sink', offset);
  deadLetter('projector', 2n);
  deadLetter('sink', 3n, OTHER_PROJECT.id);
  const ofProject = async (): Promise<ProjectStatus['attention']> => {
    const response = await server.request('/v1/status', {}, READ_KEY);
    return ((await response.json()) as ProjectStatus).attention;
  };

  expect(await ofProject()).toEqual([
    {
      code: 'dead_letters_waiting',
      reason: '2 dead letters wait',
      link: 'docs/dead-letters.md',
      project_id: PROJECT.id,
    },
  ]);
});

function deadLetter(reader: string, offset: bigint, projectId = PROJECT.id): void {
  const { key, value } = recordOf(track({ projectId, userId: 'ada' }));
  const dead = { topic: TOPIC, partition: 0, offset, key, value, error: 'CODE: why', failedAt: 1n, reader };
  server.recorded.put('tidemark.dead-letter', 0, { key, value: server.codec.encodeDeadLetter(dead) });
}

test('the status says how fast stores grow, and when their disk is full', async () => {
  const dataDir = await temporaryFolder();
  Object.assign(server.folders, { dataDir, log: dataDir, analytics: dataDir });
  const before = await status();
  await server.stop();
  server = await ReadingServer.start();
  Object.assign(server.folders, { dataDir, log: dataDir, profiles: undefined, analytics: undefined });
  const freeBytes = statfsSync(dataDir).bavail * statfsSync(dataDir).bsize;
  await plantSizes(
    server.database,
    'log',
    hourly(48, (hour) => hour * Math.round(freeBytes / 72)),
  );

  const { growth, disk, attention } = await status();

  expect(before).toMatchObject({ growth: { log: null, profiles: null, analytics: null }, disk: { full_at: null } });
  expect(growth).toMatchObject({
    log: { bytes_a_day: 24 * Math.round(freeBytes / 72) },
    profiles: null,
    analytics: null,
  });
  expect(Date.now() - Date.parse(growth.log?.since ?? '')).toBeCloseTo(2 * DAY_MS, -5);
  expect((Date.parse(disk?.full_at ?? '') - Date.now()) / DAY_MS).toBeCloseTo(3, 1);
  expect(attention.map(({ code }) => code)).toContain('disk_full_soon');
});

test('what cannot be found out is null, and the rest is told', async () => {
  server.database.unreachable = true;
  server.analytics.unreachable = true;
  server.progress.unreachable = new TidemarkError('STORE_UNAVAILABLE', 'unavailable, as ordered');
  server.processes.list = () => Promise.reject(new TidemarkError('STORE_UNAVAILABLE', 'unavailable, as ordered'));
  server.recorded.trouble = new TidemarkError('LOG_UNAVAILABLE', 'unavailable, as ordered');
  record(1, 'tidemark.dead-letter');

  const told = await status();

  expect(told).toMatchObject({ ready: true, processes: null, dead_letters: null, newest_queryable_event: null });
  expect(told.readers.sink).toMatchObject({ state: 'unknown', lag_messages: null, lag_seconds: null });
  expect(told.stored_bytes).toEqual({ log: null, profiles: null, analytics: null });
  expect('verification' in told).toBe(false);
  expect(told.attention).toEqual([]);
});

test('a source that hangs counts as unknown, and is not asked again meanwhile', { timeout: 20_000 }, async () => {
  let asked = 0;
  server.processes.list = () => {
    asked++;
    return new Promise(() => undefined);
  };

  const [first, second] = await Promise.all([status(), status()]);
  const third = await status();

  expect([first, second, third].map(({ processes }) => processes)).toEqual([null, null, null]);
  expect(asked).toBe(1);
});

test('the last verification is told', async () => {
  const counts = { postgres: 0, clickhouse: 2 };
  const report = {
    missing: { postgres: { count: 0, uncounted: 0 }, clickhouse: { count: 2 } },
    surplus: { postgres: 0, clickhouse: { count: 0 } },
  };
  await server.database.query(
    `insert into jobs (id, kind, args, principal, state, result, claim, created_at_ms, finished_at_ms, claimed_until_ms)
     values ('job_1', 'verify', '{"hours":3}', 'service', 'done', $2, '', 0, $1::int8, 0)`,
    [BigInt(Date.now()), JSON.stringify(report)],
  );

  const { verification, attention } = await status();

  expect(verification).toMatchObject({ missing: counts });
  expect(attention.map(({ code }) => code)).toContain('verification_found_difference');
});
