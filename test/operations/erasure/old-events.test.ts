import { describe, expect, onTestFinished, test } from 'vitest';
import type { Message } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { deleteOldEvents, dueDeletions, oldEventsOf } from '../../../services/operations/erasure/old-events.ts';
import { storesToVerify } from '../../../services/operations/verify/live-stores.ts';
import { verify } from '../../../services/operations/verify/verify.ts';
import { beginningOfDay, firstDayKept } from '../../../services/stores/projects/kept-events.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { SqlAuditLog } from '../../../services/stores/service-state/sql-audit-log.ts';
import { newStores } from '../../support/stores/new-stores.ts';
import { ask, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { ReplayScene } from '../../support/service/replay-scene.ts';
import { testedForms } from '../../support/service/tested-forms.ts';
import { openEmbedded, sharedInstallation, type WholeInstallation } from '../../support/service/whole-installation.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SILENT = { report: () => undefined, signal: new AbortController().signal };
const ZONE = 'Asia/Tokyo';
const HOUR = 3_600_000_000n;
const DAY = 24n * HOUR;

type OpenStores = Pick<WholeInstallation, 'database' | 'analytics'>;

async function projectKeeping(months: number | null, { database }: Pick<OpenStores, 'database'>) {
  const store = new SqlProjectStore(database);
  return store.createProject({ name: 'Shop', timezone: ZONE, rateLimit: null, keepEventsMonths: months });
}

const firstDay = (months: number): string => firstDayKept(months, ZONE);
const cutOf = (months: number): bigint => beginningOfDay(firstDay(months), ZONE);

function deleteIn(stores: OpenStores, project: string, months: number) {
  return deleteOldEvents(stores, { project, first_day: firstDay(months) }, SILENT);
}

/** The times of a project's events, in order, through each of the tables that have them. */
async function timesIn({ analytics }: OpenStores, projectId: string): Promise<readonly (readonly bigint[])[]> {
  const tables = ['events', 'user_track_rows FINAL'];
  return Promise.all(
    tables.map(async (table) => {
      const sql = `SELECT toString(toUnixTimestamp64Micro(timestamp)) AS at FROM ${table}
                   WHERE project_id = {p:String} ORDER BY toUnixTimestamp64Micro(timestamp)`;
      return (await ask<{ at: string }>(analytics, sql, { p: projectId })).map(({ at }) => BigInt(at));
    }),
  );
}

describe.each(await testedForms())('events that are no longer kept, $form', ({ form }) => {
  const installation = sharedInstallation(form);

  /** Appends events of these times, each of another user, beside traits of all. */
  async function recorded(projectId: string, times: readonly bigint[]): Promise<void> {
    const messages = new MessageMaker(projectId);
    const events = times.map((timestamp, i) => messages.track({ userId: `u${i}`, timestamp }));
    const others = times.map((timestamp, i) =>
      messages.identify({ userId: `u${i}`, timestamp, traits: '{"plan":"pro"}' }),
    );
    await installation().append([...events, ...others, messages.session({ userId: 'u0', timestamp: times[0]! })]);
    await installation().readAll();
  }

  async function verified() {
    return verify(await storesToVerify(installation()), {}, { deep: true, repeatWindowMs: 2 ** 40 });
  }

  test('old events go by their own time and the zone of the project, as the dry run says, and nothing else goes', async () => {
    const cut = cutOf(12);
    const [{ id }, other] = [await projectKeeping(12, installation()), await projectKeeping(null, installation())];
    const [old, kept] = [
      [-5n * 365n * DAY, 0n, cut - 800n * DAY, cut - DAY, cut - 1n],
      [cut, cut + 1n, cut + 30n * DAY, BigInt(Date.now()) * 1_000n],
    ];
    await recorded(id, [...old, ...kept]);
    await recorded(other.id, [...old, ...kept]);
    const profile = await profileOf(id, 'u0');
    const project = { id, timezone: ZONE };

    const planned = await oldEventsOf(installation(), project, 12);
    expect(planned).toMatchObject({ first_day: firstDay(12), events: old.length, users: old.length });
    expect(planned.bytes).toBeGreaterThan(0);
    expect(await timesIn(installation(), id)).toEqual([
      [...old, ...kept],
      [...old, ...kept],
    ]);
    const done = await deleteIn(installation(), id, 12);

    expect(done).toEqual({ project: id, first_day: firstDay(12), events: old.length, rows: 2 * old.length });
    expect(await timesIn(installation(), id)).toEqual([kept, kept]);
    expect(await timesIn(installation(), other.id)).toEqual([
      [...old, ...kept],
      [...old, ...kept],
    ]);
    expect(await profileOf(id, 'u0')).toEqual(profile);
    const report = await verified();
    expect(report).toMatchObject({ equal: true, profiles: { different: { count: 0 } } });
    // Those of the day (UTC) of the cut are not compared.
    expect(report.events_not_kept).toBeGreaterThanOrEqual(old.length);
    expect(await oldEventsOf(installation(), project, 12)).toMatchObject({ events: 0, users: 0, bytes: 0 });
    const [entry] = await new SqlAuditLog(installation().database).list({ action: 'events.delete' }, 1);
    expect(entry).toMatchObject({ projectId: id, principalId: 'service' });
    expect(JSON.parse(entry?.after ?? '')).toMatchObject(done);
  });

  test('of any history, what a naive list keeps is kept, however often it is deleted', async () => {
    const { id } = await projectKeeping(3, installation());
    const now = BigInt(Date.now()) * 1_000n;
    const times = Array.from({ length: 200 }, (_, i) => now - (BigInt(i * 7919) % 400n) * DAY - BigInt(i) * HOUR);
    await recorded(id, times);

    for (const months of [11, 7, 3]) {
      await deleteIn(installation(), id, months);
      const expected = times.filter((at) => at >= cutOf(months)).toSorted((a, b) => Number(a - b));
      expect(await timesIn(installation(), id)).toEqual([expected, expected]);
    }
    expect(await verified()).toMatchObject({ equal: true });
  });

  test('one that arrives later is in the profile alone, and a repeat of a kept one is still a repeat', async () => {
    const { id } = await projectKeeping(12, installation());
    const cut = cutOf(12);
    await recorded(id, [cut + DAY]);
    await deleteIn(installation(), id, 12);
    const sent = new MessageMaker(id);
    const tooOld = sent.track({ userId: 'x', timestamp: cut - DAY });
    const kept = sent.track({ userId: 'x', timestamp: cut + 2n * DAY });

    await installation().append([tooOld, kept, tooOld, kept]);
    await installation().readAll();

    expect(await timesIn(installation(), id)).toEqual([
      [cut + DAY, cut + 2n * DAY],
      [cut + DAY, cut + 2n * DAY],
    ]);
    expect(await profileOf(id, 'x')).toMatchObject({ firstSeen: cut - DAY });
    expect(await verified()).toMatchObject({ equal: true });
  });

  test('events are deleted only as far as the project says now, once a day, and never for one that keeps all', async () => {
    const { database } = installation();
    const { id } = await projectKeeping(12, installation());
    const all = await projectKeeping(null, installation());
    const due = async () =>
      (await dueDeletions(database)).filter(({ args }) => 'project' in args && args.project === id);
    expect(await due()).toEqual([{ kind: 'events delete', args: { project: id, first_day: firstDay(12) } }]);

    await expect(deleteIn(installation(), id, 11)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
    await expect(deleteIn(installation(), all.id, 12)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
    await deleteIn(installation(), id, 12);

    expect(await due()).toEqual([]);
    await new SqlProjectStore(database).updateProject(id, { keepEventsMonths: 24 });
    expect(await due()).toEqual([]);
    expect(await new SqlProjectStore(database).findProject(id)).toMatchObject({ eventsFrom: cutOf(12) });
    await new SqlProjectStore(database).updateProject(id, { keepEventsMonths: 6 });
    expect(await due()).toHaveLength(1);
  });

  function profileOf(projectId: string, userId: string) {
    return new SqlProfileStore(installation().database).find(projectId, userKeyOf(projectId, userId));
  }
});

test('files with old events alone are dropped, and those with others are written anew', async () => {
  const installation = await openEmbedded(await temporaryFolder());
  onTestFinished(() => installation.close());
  const { analytics } = installation;
  const { id } = await projectKeeping(12, installation);
  const sent = new MessageMaker(id);
  const cut = cutOf(12);
  const forget = () => analytics.forget({ projectId: id, eventsBefore: cut }, SILENT);
  const mutations = async () =>
    (await ask(analytics, `SELECT 1 FROM system.mutations WHERE command LIKE '%DELETE%'`)).length;
  await insert(analytics, [sent.track({ timestamp: cut - DAY }), sent.track({ timestamp: cut - 2n * DAY })]);

  expect(await forget()).toMatchObject([{ rows: 2 }, { rows: 2 }]);

  expect(await mutations()).toBe(0);
  await insert(analytics, [sent.track({ timestamp: cut - DAY }), sent.track({ timestamp: cut })]);
  expect(await forget()).toMatchObject([{ rows: 1 }, { rows: 1 }]);
  expect(await mutations()).toBe(2);
  expect(await timesIn(installation, id)).toEqual([[cut], [cut]]);
});

test('a replay brings none of them back, and is equal to what was there', { timeout: 300_000 }, async () => {
  const scene = await ReplayScene.open(await newStores(await temporaryFolder()));
  onTestFinished(() => scene.close());
  const { id } = await projectKeeping(12, scene);
  const sent = new MessageMaker(id);
  const cut = cutOf(12);
  scene.startReaders();
  const times = Array.from({ length: 300 }, (_, i) => cut + BigInt(i - 150) * 5n * HOUR);
  const messages = times.map((timestamp): Message => sent.track({ timestamp }));
  await scene.append(messages);
  await scene.hasRead('analytics', 1);
  await deleteIn(scene, id, 12);
  const kept = times.filter((at) => at >= cut);
  expect(await timesIn(scene, id)).toEqual([kept, kept]);

  await scene.build('analytics');
  await scene.swap('analytics');

  const fresh = { database: scene.database, analytics: await scene.analytics.ofGeneration(2) };
  expect(await timesIn(fresh, id)).toEqual([kept, kept]);
});
