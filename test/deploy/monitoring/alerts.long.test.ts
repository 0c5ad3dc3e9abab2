/** What a stranger does to an installation on servers, and what a real Prometheus says of it by the alerts of the repository. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import { canRunOnServers, type OnServers, onServers } from '../../support/service/server-settings.ts';
import { recordedIn } from '../../support/service/readers-passed.ts';
import type { ServiceProcess } from '../../support/service/service.ts';
import { startedService } from '../../support/service/shared-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { answer, WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts';
import { SmallDisk } from '../../torture/disks/small-disk.ts';
import { RULES } from './named-metrics.ts';
import { findProgram, RunningPrometheus } from './prometheus.ts';

const PATIENCE = { timeout: 90_000, interval: 1_000 };
const POST = { method: 'POST' };
/** What is free is more than a gigabyte, and a tenth. In memory, which it takes only where files are in it. */
const ROOM_MEBIBYTES = 4_096;
const FROZEN_MS = 90_000;
const HOUR_MS = 3_600_000;

/** The rules, of which all but these fire after five seconds: whatever is wrong for a moment would be seen. */
const AS_THEY_ARE = ['TidemarkDown', 'TidemarkReaderStalled', 'TidemarkReaderBehind'];

function hastyRules(): string {
  const [head = '', ...alerts] = readFileSync(RULES, 'utf8').split(/^ {6}- alert: /m);
  const hasty = alerts.map((text) =>
    AS_THEY_ARE.some((name) => text.startsWith(name)) ? text : text.replace(/^ {8}for: \S+$/m, '        for: 5s'),
  );
  return [head, ...hasty].join('      - alert: ');
}

const prometheusProgram = findProgram('prometheus');
const canRun = (await canRunOnServers()) && SmallDisk.canMount && prometheusProgram !== undefined;

/** An installation whose processes have their folders on one small disk, with a Prometheus. */
class Scene {
  readonly disk: SmallDisk;
  readonly backups: string;
  readonly #services: readonly ServiceProcess[];
  readonly #prometheus: RunningPrometheus;

  private constructor(disk: SmallDisk, services: readonly ServiceProcess[], prometheus: RunningPrometheus) {
    this.disk = disk;
    this.backups = join(disk.folder, 'backups');
    this.#services = services;
    this.#prometheus = prometheus;
  }

  static async make(settings: Readonly<Record<string, string>>): Promise<Scene> {
    const disk = await SmallDisk.mount(join(await temporaryFolder(), 'disk'), ROOM_MEBIBYTES);
    onTestFinished(() => disk.unmount());
    const services: ServiceProcess[] = [];
    for (const role of ['ingest', 'projector', 'sink']) {
      const own = {
        ...settings,
        BACKUP_DIR: join(disk.folder, 'backups'),
        BACKUP_EVERY: '1h',
        WEBHOOK_ALLOW: '127.0.0.0/8',
      };
      services.push(await startedService(join(disk.folder, role), own, role));
    }
    const targets = services.map(({ url }) => new URL(url).host);
    const prometheus = await RunningPrometheus.start(prometheusProgram ?? '', targets, hastyRules());
    return new Scene(disk, services, prometheus);
  }

  get ingest(): ServiceProcess {
    return this.#services[0]!;
  }

  get sink(): ServiceProcess {
    return this.#services[2]!;
  }

  fired(): Promise<readonly string[]> {
    return this.#prometheus.fired();
  }

  /** What has fired while something was done, and until it was undone. */
  async firedWhile(done: () => Promise<void>): Promise<readonly string[]> {
    const beganMs = performance.now();
    await done();
    return this.#prometheus.fired(Math.ceil((performance.now() - beganMs) / 1_000));
  }

  async untilOnly(alerts: readonly string[]): Promise<void> {
    await expect.poll(() => this.fired(), PATIENCE).toEqual(alerts);
  }
}

describe.skipIf(!canRun)(
  `a stranger who breaks one thing${canRun ? '' : ', SKIPPED without servers, root and prometheus'}`,
  () => {
    let servers: OnServers | undefined;
    let database: Database;
    beforeAll(async () => {
      servers = await onServers();
      database = await openDatabase(servers?.settings.PROFILES_URL ?? '');
    });
    afterAll(async () => {
      await database.close();
      await servers?.drop();
    });

    test(
      'each fault fires its alert and no other, and nothing fires once it is mended',
      { timeout: 900_000 },
      async () => {
        const scene = await Scene.make(servers?.settings ?? {});
        const receiver = await WebhookReceiver.start();
        await recordedIn(scene.ingest, '/v1/identify', { user_id: 'ada', traits: { plan: 'pro' } });
        const hasBackup = async () =>
          (await database.query(`select from jobs where kind = 'backup' and state = 'done'`)).length;
        await expect.poll(hasBackup, PATIENCE).toBe(1);
        const caller = setInterval(
          () => void scene.ingest.request('/v1/track', { user_id: 'ada', event: 'Paid' }),
          500,
        );
        onTestFinished(() => clearInterval(caller));
        expect(await scene.firedWhile(() => delay(20_000))).toEqual([]);

        const ofReceiver = await scene.firedWhile(() => breakReceiver(scene, receiver, database));
        await mend(scene, receiver);
        await scene.untilOnly([]);
        const ofDisk = await scene.firedWhile(async () => {
          await scene.disk.fill(900 * 1_024);
          await scene.untilOnly(['TidemarkDiskLow']);
          await scene.disk.empty();
        });
        await scene.untilOnly([]);
        const ofSink = await scene.firedWhile(async () => {
          process.kill(scene.sink.pid, 'SIGSTOP');
          await delay(FROZEN_MS);
          process.kill(scene.sink.pid, 'SIGCONT');
        });
        await scene.untilOnly([]);
        const ofBackup = await scene.firedWhile(async () => {
          await rename(scene.backups, `${scene.backups}-elsewhere`);
          await ageBackups(database, 3 * HOUR_MS);
          await scene.untilOnly(['TidemarkBackupOld']);
        });
        await rename(`${scene.backups}-elsewhere`, scene.backups);
        await ageBackups(database, -3 * HOUR_MS);
        await scene.untilOnly([]);

        expect({ ofReceiver, ofDisk, ofSink, ofBackup }).toEqual({
          ofReceiver: ['TidemarkEndpointFailing'],
          ofDisk: ['TidemarkDiskLow'],
          ofSink: ['TidemarkReaderStalled'],
          ofBackup: ['TidemarkBackupOld'],
        });
      },
    );
  },
);

/** An endpoint of an audience answers 500, and what it was to be told is an hour old. */
async function breakReceiver(scene: Scene, receiver: WebhookReceiver, database: Database): Promise<void> {
  const { ingest } = scene;
  receiver.answering = answer(500);
  const definition = { trait: 'plan', is: 'pro' };
  const { id } = await ingest.ask<{ id: string }>('/v1/audiences', { name: 'Pro', definition });
  await ingest.ask('/v1/endpoints', { url: receiver.url, initial: 'members', audiences: [id] });
  await ingest.ask(`/v1/audiences/${id}/evaluate`, undefined, POST);
  await expect.poll(() => receiver.received.length, PATIENCE).toBeGreaterThan(0);
  await database.query('update endpoint_deliveries set created_at_ms = created_at_ms - $1::int8', [BigInt(HOUR_MS)]);
  await scene.untilOnly(['TidemarkEndpointFailing']);
}

async function mend({ ingest }: Scene, receiver: WebhookReceiver): Promise<void> {
  receiver.answering = answer(204);
  const { endpoints } = await ingest.ask<{ endpoints: { id: string }[] }>('/v1/endpoints');
  for (const { id } of endpoints) await ingest.ask(`/v1/endpoints/${id}`, { enabled: true }, { method: 'PATCH' });
}

/** As if the last backup had ended this much earlier. */
async function ageBackups(database: Database, ms: number): Promise<void> {
  const columns = ['created_at_ms', 'started_at_ms', 'finished_at_ms'].map((one) => `${one} = ${one} - $1::int8`);
  await database.query(`update jobs set ${columns.join(', ')} where kind = 'backup' and state = 'done'`, [BigInt(ms)]);
}
