/** Backups of an installation in which people are forgotten, and what is restored of them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isBlank } from '../../../services/event-log/blank.ts';
import { openEventLog } from '../../../services/event-log/open.ts';
import type { LogRecord } from '../../../services/event-log/event-log.ts';
import { TOPICS } from '../../../services/messages/message.ts';
import { anonymousKeyOf, userKeyOf } from '../../../services/messages/user-key.ts';
import { checkBackup } from '../../../services/operations/backup/check-backup.ts';
import { readErasuresFile } from '../../../services/operations/erasure/erasures-file.ts';
import { blankRecords, type BlankParts } from '../../../services/operations/erasure/blank-records.ts';
import { readErasedUsers } from '../../../services/stores/erasures/read-erased-users.ts';
import type { KeptHistory } from '../../../services/stores/analytics/analytics-store.ts';
import { SqlJoinDecisions } from '../../../services/stores/profiles/sql-join-decisions.ts';
import { deleteProject } from '../../../services/stores/projects/delete-project.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { askFor, erasureOf } from '../../support/erasures.ts';
import { codec } from '../../support/messages/messages.ts';
import { searchFiles } from '../../support/search-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { BackupScene, recordsOf, RestoreScene, SILENT } from './backup-scene.ts';

const PROJECT = 'proj_a';
const FORGOTTEN = userKeyOf(PROJECT, 'u3');
const WANTED = { key: FORGOTTEN };

async function scenes() {
  const root = await temporaryFolder();
  const [from, to] = [await BackupScene.open(root), await RestoreScene.open(root)];
  return { from, to, root, folder: join(root, 'backup') };
}

async function forget(scene: BackupScene, finishedAtMs: number | null = null): Promise<void> {
  const { log, database } = scene;
  const done = finishedAtMs === null ? {} : { state: 'done', finished_at_us: finishedAtMs * 1_000 };
  await askFor(database, erasureOf(PROJECT, 'u3', done));
  await blankRecords({ log, codec, database } as BlankParts, await readErasedUsers(database), SILENT);
}

async function restoredLog({ url }: RestoreScene) {
  const log = await openEventLog(url, { topics: TOPICS, partitions: 2 });
  try {
    const ends = await log.ends(TOPICS);
    const ranges = ends.map(({ topic, partition, offset }) => ({ topic, partition, from: 0n, to: offset }));
    const all: LogRecord[] = [];
    for await (const { records } of log.scan(ranges, { withBlank: true })) all.push(...records);
    const records = await recordsOf(log);
    return { records, blank: all.filter(isBlank).length, count: all.length };
  } finally {
    await log.close();
  }
}

test('the next run takes the records of a person out of the files of runs before', async () => {
  const { from, to, folder } = await scenes();
  await from.append(200);
  await from.backUp(folder);
  expect(await searchFiles(folder, WANTED)).not.toEqual([]);
  // The last files are larger than those that are written anew anyway, or not: both are gone.
  await forget(from);

  await from.backUp(folder);

  expect(await searchFiles(join(folder, 'log'), WANTED)).toEqual([]);
  expect(await checkBackup(folder, SILENT)).toMatchObject({ records: 200 });
  await to.restore(folder);
  const { records, blank } = await restoredLog(to);
  expect(records).toEqual(await recordsOf(from.log));
  expect(blank).toBe(12);
  expect(await to.database.query('select count(*) as rows from blanked')).toEqual([{ rows: 12n }]);
});

test('a file whose records are all read already is written anew, and the one before is removed', async () => {
  const { from, folder } = await scenes();
  await from.append(60);
  await from.backUp(folder);
  await forget(from);
  await from.backUp(folder);
  const { bytes_total: bytes } = await from.backUp(folder);

  const checked = await checkBackup(folder, SILENT);

  expect(checked).toMatchObject({ records: 60, bytes });
  expect(await searchFiles(join(folder, 'log'), WANTED)).toEqual([]);
});

test('erasures of a file are applied to a backup from before, and carried out again where they had ended', async () => {
  const { from, to, root, folder } = await scenes();
  await from.append(200);
  await joinToForgotten(from);
  from.history.tables.audience_changes.push(
    change(FORGOTTEN, '2026-11-20 10:00:00.000000'),
    change(userKeyOf(PROJECT, 'u4'), '2026-11-20 10:00:00.000000'),
  );
  await from.backUp(folder);
  const list = join(root, 'erasures.json');
  const requested_at = new Date(Date.now() + 30_000).toISOString();
  const kept_apart = [anonymousKeyOf(PROJECT, 'shared')];
  const erasure = { ...listed(Date.now() + 60_000), requested_at, kept_apart };
  await writeFile(list, JSON.stringify({ erasures: [erasure], next_cursor: null }));

  await to.restore(folder, { erasures: await readErasuresFile(list) });

  const { blank, count, records } = await restoredLog(to);
  expect([blank, count]).toEqual([12, 200]);
  expect(JSON.stringify(records)).not.toContain(Buffer.from(FORGOTTEN).toString('hex'));
  const rows = await to.database.query('select state, finished_at_us, cut_us from erasures');
  expect(rows).toEqual([{ state: 'pending', finished_at_us: null, cut_us: null }]);
  expect(await to.database.query('select count(*) as rows from blanked')).toEqual([{ rows: 12n }]);
  const decided = await to.database.query('select anonymous_key, says, decided_by from join_decisions');
  expect(decided).toEqual([{ anonymous_key: kept_apart[0], says: 'apart', decided_by: 'forgetting' }]);
  expect(to.history.tables.audience_changes.join()).not.toContain(FORGOTTEN);
  expect(to.history.tables.audience_changes).toHaveLength(from.history.tables.audience_changes.length - 1);
  expect(await searchFiles(to.url.slice('log:'.length), WANTED)).toEqual([]);
});

test('the newest list of a folder holds for an older backup of it too, but for projects that were deleted since', async () => {
  const { from, to, folder } = await scenes();
  const make = (name: string) =>
    new SqlProjectStore(from.database).createProject({ name, timezone: 'UTC', rateLimit: null });
  const [gone, back] = [await make('Gone'), await make('Back')];
  await deleteProject(from.database, gone.id);
  await from.append(100);
  const { at } = await from.backUp(folder);
  await forget(from, Date.now() + 60_000);
  await deleteProject(from.database, back.id);
  await from.append(34);
  await from.backUp(folder);

  await to.restore(folder, { untilMs: Date.parse(at) + 1 });

  const { blank, records } = await restoredLog(to);
  expect(blank).toBeGreaterThan(0);
  expect(JSON.stringify(records)).not.toContain(Buffer.from(FORGOTTEN).toString('hex'));
  const erasures = await to.database.query('select project_id, state from erasures order by user_key');
  expect(erasures).toEqual([
    { project_id: gone.id, state: 'done' },
    { project_id: PROJECT, state: 'pending' },
  ]);
  expect(await new SqlProjectStore(to.database).findProject(back.id)).toBeDefined();
});

test('a restore that is killed between the log and the lists still lists every blank record', async () => {
  const { from, to, folder } = await scenes();
  await from.append(200);
  await from.backUp(folder);
  const erasures = [erasureOf(PROJECT, 'u3')];
  const dying: KeptHistory = {
    rows: (table) => to.history.rows(table),
    clear: () => Promise.reject(new Error('killed')),
    insert: (...rows) => to.history.insert(...rows),
    deriveMembers: () => to.history.deriveMembers(),
  };
  await expect(to.restore(folder, { erasures, history: dying })).rejects.toThrow('killed');

  await to.restore(folder, { erasures });

  expect((await restoredLog(to)).blank).toBe(12);
  expect(await to.database.query('select count(*) as rows from blanked')).toEqual([{ rows: 12n }]);
});

test('a file that is no list of erasures is refused', async () => {
  const path = join(await temporaryFolder(), 'list');
  for (const text of NO_LISTS) {
    await writeFile(path, text);
    await expect(readErasuresFile(path)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  }
  await expect(readErasuresFile(`${path}-absent`)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  await writeFile(path, `${JSON.stringify(listed(1))}\n${JSON.stringify(listed(2))}\n`);
  expect(await readErasuresFile(path)).toHaveLength(2);
  await writeFile(path, JSON.stringify({ ...listed(1), internal_id: null }));
  expect(await readErasuresFile(path)).toEqual([]);
});

const NO_LISTS = [
  'no json',
  '{"erasures":[{"id":"x"}]}',
  JSON.stringify({ ...listed(1), internal_id: 'ada' }),
  JSON.stringify({ ...listed(1), kept_apart: ['dev-9'] }),
];

/** An operator had given the person an anonymous id. */
async function joinToForgotten({ database }: BackupScene): Promise<void> {
  const userKey = anonymousKeyOf(PROJECT, 'given');
  const given = { projectId: PROJECT, userKey, anonymousId: 'given', personKey: FORGOTTEN };
  await new SqlJoinDecisions(database).decide({ ...given, says: 'join', decidedBy: 'local' });
}

/** As the API lists it. */
function listed(finishedAtMs: number) {
  return {
    id: 'erasure_0123456789abcdefghij',
    project: PROJECT,
    internal_id: FORGOTTEN,
    came_with: null,
    suppress: true,
    state: 'done',
    actor: 'local',
    requested_at: '2026-11-24T09:00:00.000000Z',
    due_at: '2026-12-24T09:00:00.000000Z',
    cut: null,
    finished_at: new Date(finishedAtMs).toISOString(),
    lifted_at: null,
    report: { postgres: {}, clickhouse: {}, log: null },
  };
}

function change(internalId: string, at: string): string {
  return JSON.stringify({ project_id: PROJECT, internal_id: internalId, evaluated_at: at, user: 1, change: 'entered' });
}
