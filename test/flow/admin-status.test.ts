/** The status of a whole installation, in one process and role by role. */
import { describe, expect, test } from 'vitest';
import type { InstallationStatus } from '../../services/api/admin/status/attention.ts';
import { recordedIn } from '../support/service/readers-passed.ts';
import { canRunOnServers } from '../support/service/server-settings.ts';
import { ServiceProcess } from '../support/service/service.ts';
import { testedForms } from '../support/service/tested-forms.ts';
import { type LimitedUser, roleOf } from '../support/stores/limited-users.ts';
import { deniedIn, sharedServersWithRights } from '../support/stores/servers-with-rights.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ADMIN_KEY = 'admin-key-of-the-tests-0123456789abcdef';
const ADMIN = { INITIAL_ADMIN_KEY: ADMIN_KEY };

function statusOf(service: ServiceProcess): Promise<InstallationStatus> {
  return service.ask('/v1/admin/status', undefined, { key: ADMIN_KEY });
}

function codesOf({ attention }: InstallationStatus): readonly string[] {
  // The disk is that of the machine that tests run on.
  return attention.map(({ code }) => code).filter((code) => code !== 'disk_low');
}

async function statesOf(service: ServiceProcess): Promise<readonly string[]> {
  return Object.values((await statusOf(service)).readers).map(({ state }) => state);
}

const PAID = { user_id: 'ada', event: 'Paid' };

const READY = ['ready', 'ready', 'ready', 'ready'];

test.each(await testedForms())(
  'the status of one process tells of every part ($form)',
  async ({ settings }) => {
    const service = await ServiceProcess.start(await temporaryFolder(), { ...(await settings()), ...ADMIN });
    try {
      expect((await service.request('/v1/track', { user_id: 'ada', event: 7 })).status).toBe(400);
      await recordedIn(service, '/v1/track', PAID);
      await expect
        .poll(async () => (await statusOf(service)).rates, { timeout: 40_000, interval: 500 })
        .toMatchObject({
          accepted: expect.toSatisfy((rate: number) => rate > 0) as number,
          refused: expect.toSatisfy((rate: number) => rate > 0) as number,
          projected: expect.toSatisfy((rate: number) => rate > 0) as number,
          stored: expect.toSatisfy((rate: number) => rate > 0) as number,
        });
      const status = await statusOf(service);

      expect(codesOf(status)).toEqual([]);
      expect(status).toMatchObject({ role: 'all', ready: true, parts: { ingest: 'ready', eventLog: 'ready' } });
      expect(status.processes?.map(({ role, state }) => [role, state])).toEqual([
        ['all', 'running'],
        ['all', 'running'],
      ]);
      // Null where the log did not answer within a second, on a machine that is busy.
      const lag = { lag_messages: 0, lag_seconds: 0 };
      const readers = async () => (await statusOf(service)).readers;
      await expect.poll(readers).toMatchObject({ projector: lag, sink: lag });
      expect(await statesOf(service)).toEqual(READY);
      expect(status.newest_queryable_event?.age_seconds).toBeLessThan(60);
      expect(status.stored_bytes.log).toBeGreaterThan(100);
      expect(status.stored_bytes.profiles).toBeGreaterThan(100_000);
      expect(status.stored_bytes.analytics).toBeGreaterThan(100);
      expect(status.disk?.free_bytes).toBeGreaterThan(0);
      expect(status.dead_letters).toEqual({ messages: 0, waiting: {}, counted_all: true });
      expect(status.verification).toBeNull();
    } finally {
      await service.stop();
    }
  },
  180_000,
);

describe.skipIf(!(await canRunOnServers()))('on servers', () => {
  const servers = sharedServersWithRights();

  test(
    'the status of separate roles tells which readers run, and which are missing',
    { timeout: 240_000 },
    async () => {
      const started: ServiceProcess[] = [];
      const start = async (user: LimitedUser): Promise<ServiceProcess> => {
        const settings = { ...servers().users.settingsOf(user), ...ADMIN };
        const service = await ServiceProcess.start(await temporaryFolder(), settings, roleOf(user));
        started.push(service);
        return service;
      };
      try {
        const ingest = await start('admin');
        expect(await statesOf(ingest)).toEqual(['missing', 'missing', 'missing', 'missing']);
        expect(codesOf(await statusOf(ingest))).toContain('reader_missing');

        await start('projector');
        const sink = await start('sink');
        await recordedIn(ingest, '/v1/track', PAID);
        await expect.poll(() => statesOf(ingest), { timeout: 40_000, interval: 500 }).toEqual(READY);
        const status = await statusOf(ingest);
        expect(status.processes?.map(({ role }) => role).toSorted()).toEqual(['ingest', 'projector', 'sink']);
        expect(codesOf(status)).toEqual([]);
        await expect
          .poll(async () => (await statusOf(ingest)).stored_bytes.log, { timeout: 40_000, interval: 500 })
          .toBeGreaterThan(100);

        const diagnosis = await ingest.ask('/v1/admin/diagnosis', undefined, { key: ADMIN_KEY });
        expect(diagnosis).toMatchObject({
          settings: { PROFILES_URL: expect.stringMatching(/^postgres(?:ql)?:\/\/…[^@]+$/), INITIAL_ADMIN_KEY: '…' },
          log: { 'tidemark.track': expect.stringMatching(/^\d+ partitions, kept for ever$/) },
          profiles_settings: { in_hot_standby: 'off', server_encoding: 'UTF8' },
          profiles_migrations: { '001-projects.sql': expect.any(String) },
          analytics_settings: { version: expect.stringMatching(/^\d+\./), fsync_after_insert: expect.any(String) },
          analytics_migrations: { '001-tables.sql': expect.any(String) },
          failures: {},
        });

        expect(started.flatMap(deniedIn)).toEqual([]);
        await sink.stop();
        await expect
          .poll(() => statesOf(ingest), { timeout: 40_000, interval: 500 })
          .toEqual(['ready', 'missing', 'ready', 'missing']);
      } finally {
        await Promise.all(started.map((service) => service.stop()));
      }
    },
  );
});
