import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEventLog } from '../../../services/event-log/open.ts';
import type { LogCopy } from '../../../services/event-log/event-log.ts';
import { TOPICS } from '../../../services/messages/message.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { readManifest, writeManifest } from '../../../services/operations/backup/manifest.ts';
import { sinkPositions } from '../../../services/stores/profiles/progress-of.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { pausedEndpoints, refuseUnfinishedRestore } from '../../../services/stores/service-state/restore-state.ts';
import { SqlEndpointClaims } from '../../../services/webhooks/sql-endpoint-claims.ts';
import { SqlEndpointStore } from '../../../services/webhooks/sql-endpoint-store.ts';
import { SETTINGS } from '../../contract/endpoint-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { SqlJobStore } from '../../../services/operations/jobs/sql-job-store.ts';
import { BackupScene, recordsOf, RestoreScene, rowsOf } from './backup-scene.ts';

const TABLES = ['projects', 'api_keys', 'audit_log', 'jobs', 'refusals', 'audiences'];

async function scenes() {
  const root = await temporaryFolder();
  const [from, to] = [await BackupScene.open(root), await RestoreScene.open(root)];
  return { from, to, folder: join(root, 'backup') };
}

async function restoredRecords({ url }: RestoreScene): Promise<readonly object[]> {
  const log = await openEventLog(url, { topics: TOPICS, partitions: 2 });
  try {
    return await recordsOf(log);
  } finally {
    await log.close();
  }
}

test('the log has every record at its offset with its time, and tables and history have every row', async () => {
  const { from, to, folder } = await scenes();
  await from.append(700);
  const { id } = await audited(from.database);
  await from.backUp(folder);

  const result = await to.restore(folder);

  expect(result).toMatchObject({ number: 1, records: 700, until: null });
  expect(await restoredRecords(to)).toEqual(await recordsOf(from.log));
  expect(await rowsOf(to.database, TABLES)).toEqual(await rowsOf(from.database, TABLES));
  expect(to.history.tables).toEqual(from.history.tables);
  expect(to.history.derived).toBe(1);
  expect((await audited(to.database)).id).toBeGreaterThan(id);
});

test('jobs of the installation of before are not gone on with, and what it did by itself is not said of this one', async () => {
  const { from, to, folder } = await scenes();
  const before = new SqlJobStore(from.database);
  const { id } = await before.add({ kind: 'verify', args: {}, principal: 'local' }, 'a token');
  await before.add({ kind: 'verify', args: { hours: 3 }, principal: 'service' }, 'a token');
  await from.database.query('update jobs set claimed_until_ms = 1');
  await from.backUp(folder);

  await to.restore(folder);

  expect(await new SqlJobStore(to.database).list(9)).toMatchObject([{ id, state: 'interrupted' }]);
  expect(await new SqlJobStore(to.database).takeUp(['verify'], 'a token')).toBeUndefined();
});

test('what is restored for a drill sends to no endpoint until somebody enables it, and goes on as a drill alone', async () => {
  const { from, to, folder } = await scenes();
  const [own, gone] = [await endpoint(from.database), await endpoint(from.database)];
  await from.database.query("update endpoints set disabled = 'gone' where id = $1", [gone]);
  await from.backUp(folder);
  const killed = { database: dyingTransaction(to.database), isDrill: true };
  await expect(to.restore(folder, killed)).rejects.toThrow('killed');

  await expect(to.restore(folder)).rejects.toMatchObject({ code: 'RESTORE_REFUSED' });
  await to.restore(folder, { isDrill: true });

  const endpoints = new SqlEndpointStore(to.database);
  const claims = new SqlEndpointClaims(to.database);
  expect((await endpoints.find(null, own)).disabled).toBe('drill');
  expect((await endpoints.find(null, gone)).disabled).toBe('gone');
  expect(await claims.claimDue(60_000, '')).toBeUndefined();
  expect(await pausedEndpoints(to.database)).toBe(1);
  await endpoints.update(null, own, { isEnabled: true });
  expect((await claims.claimDue(60_000, ''))?.endpoint.id).toBe(own);
  expect(await pausedEndpoints(to.database)).toBe(0);
});

test('no audience is evaluated before analytics has what the log had', async () => {
  const { from, to, folder } = await scenes();
  await from.append(40);
  await from.backUp(folder);

  await to.restore(folder);

  const ends = (await from.log.ends(TOPICS)).filter(({ offset }) => offset > 0n);
  const positions = await sinkPositions(to.database, 1);
  expect(positions.map(({ offset, identity }) => [offset, identity])).toEqual(ends.map(() => [0n, '']));
  expect(positions.map(({ behindUntil }) => String(behindUntil)).toSorted()).toEqual(
    ends.map(({ offset }) => String(offset)).toSorted(),
  );
});

test('a restore that ends at any step goes on, and until it has ended the service refuses the stores', async () => {
  const { from, to, folder } = await scenes();
  await from.append(900);
  await from.backUp(folder);
  const expected = await recordsOf(from.log);

  for (const options of [
    { around: (log: LogCopy) => dyingAt(log, 'appendAt', 2) },
    { around: (log: LogCopy) => dyingAt(log, 'appendAt', 3) },
    { around: (log: LogCopy) => dyingAt(log, 'finish', 1) },
    { database: dyingTransaction(to.database) },
    { history: { ...dyingHistory(), rows: async () => ReadableStream.from([]) } },
  ]) {
    await expect(to.restore(folder, options)).rejects.toThrow('killed');
    await expect(refuseUnfinishedRestore(to.database)).rejects.toMatchObject({ code: 'RESTORE_UNFINISHED' });
  }
  const result = await to.restore(folder);

  expect(result).toMatchObject({ records: 900 });
  await refuseUnfinishedRestore(to.database);
  expect(await restoredRecords(to)).toEqual(expected);
  expect(await rowsOf(to.database, TABLES)).toEqual(await rowsOf(from.database, TABLES));
  expect(to.history.tables).toEqual(from.history.tables);
});

test('a restore to a moment has the tables before it and the log up to it', async () => {
  const { from, to, folder } = await scenes();
  await from.append(100);
  const first = await from.backUp(folder);
  await from.append(50);
  const upTo = await recordsOf(from.log);
  const untilMs = Math.max(...upTo.map((record) => (record as { appendedAtMs: number }).appendedAtMs));
  await expect.poll(() => Date.now()).toBeGreaterThan(untilMs + 1);
  await new SqlProjectStore(from.database).createProject({ name: 'Later', timezone: 'UTC', rateLimit: null });
  await from.append(25);
  await from.backUp(folder);

  const result = await to.restore(folder, { untilMs });

  expect(result).toMatchObject({ number: 1, records: 150 });
  expect(await restoredRecords(to)).toEqual(upTo);
  const projects = await to.database.query('select name from projects');
  expect(projects).toEqual([{ name: 'Shop' }]);
  const early = await RestoreScene.open(await temporaryFolder());
  const before = early.restore(folder, { untilMs: Date.parse(first.at) - 1_000 });
  await expect(before).rejects.toMatchObject({ code: 'RESTORE_REFUSED' });
});

test('offsets without a record stay without one', async () => {
  const { from, to, folder } = await scenes();
  await from.append(60);
  await from.backUp(folder);
  const manifest = await readManifest(folder);
  if (manifest === undefined) throw new Error('no manifest');
  const [entry] = manifest.backups;
  if (entry === undefined) throw new Error('no backup');
  const ends = entry.ends.map((one) => ({ ...one, end: one.topic === 'tidemark.track' ? one.end + 3 : one.end }));
  await writeManifest(folder, { ...manifest, backups: [{ ...entry, ends }] });

  await to.restore(folder);

  expect(await restoredRecords(to)).toEqual(await recordsOf(from.log));
  const log = await openEventLog(to.url, { topics: TOPICS, partitions: 2 });
  const restored = await log.ends(['tidemark.track']);
  await log.close();
  expect(restored.map(({ offset }) => offset)).toEqual(
    (await from.log.ends(['tidemark.track'])).map(({ offset }) => offset + 3n),
  );
});

test('a restore into stores that hold something is refused, and names what they hold', async () => {
  const { from, to, folder } = await scenes();
  await from.append(20);
  await from.backUp(folder);
  const refusalOf = (message: string): object => {
    return { code: 'RESTORE_REFUSED', message: expect.stringContaining(message) as string };
  };

  const used = await RestoreScene.open(await temporaryFolder());
  await expect(used.restore(folder, { database: from.database })).rejects.toMatchObject(refusalOf('projects'));
  const log = await openEventLog(used.url, { topics: TOPICS, partitions: 2 });
  await log.append([{ topic: 'tidemark.track', key: Buffer.from('k'), value: Buffer.from('v') }]);
  await log.close();
  await expect(used.restore(folder)).rejects.toMatchObject(refusalOf('The log has records'));
  to.ingested = 5n;
  await expect(to.restore(folder)).rejects.toMatchObject(refusalOf('Analytics is not empty'));
  to.ingested = 0n;
  await expect(to.restore(folder, { partitions: 4 })).rejects.toMatchObject(refusalOf('EVENT_LOG_PARTITIONS=2'));
  await expect(to.restore(folder, { hasRegistry: true })).rejects.toMatchObject(refusalOf('SCHEMA_REGISTRY_URL'));
  await to.restore(folder);
  await expect(to.restore(folder)).rejects.toMatchObject(refusalOf('was restored'));
});

test('a damaged backup is refused before anything is written', async () => {
  const { from, to, folder } = await scenes();
  await from.append(20);
  await from.backUp(folder);
  const manifest = await readManifest(folder);
  if (manifest === undefined) throw new Error('no manifest');
  const log = manifest.log.map((file) => ({ ...file, crc32: '00000000' }));
  await writeManifest(folder, { ...manifest, log });

  await expect(to.restore(folder)).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });

  expect(await to.database.query(`select 1 from pg_tables where schemaname = current_schema()`)).toEqual([]);
});

test('a log that cannot have its offsets is refused, and so is a second try', async () => {
  const { from, to, folder } = await scenes();
  await from.append(40);
  await from.backUp(folder);
  const refusal = new TidemarkError('RESTORE_REFUSED', 'Another program writes to it.');
  const around = (log: LogCopy): LogCopy => ({ ...methodsOf(log), finish: () => Promise.reject(refusal) });

  await expect(to.restore(folder, { around })).rejects.toBe(refusal);

  const again = { code: 'RESTORE_REFUSED', message: expect.stringContaining(refusal.message) as string };
  await expect(to.restore(folder)).rejects.toMatchObject(again);
  await expect(refuseUnfinishedRestore(to.database)).rejects.toThrow(refusal.message);
});

/** The id of an endpoint of the installation that something waits for. */
async function endpoint(database: Database): Promise<string> {
  const { endpoint: made } = await new SqlEndpointStore(database).create(null, {
    ...SETTINGS,
    types: ['dead_letter.waiting'],
  });
  await database.query(
    `insert into endpoint_deliveries (id, endpoint_id, type, state, created_at_ms, notice)
     values ($1, $2, 'dead_letter.waiting', 'waiting', 1, '{}')`,
    [`msg_${made.id}`, made.id],
  );
  return made.id;
}

/** A change that the audit log has, with its id. */
async function audited(database: Database): Promise<{ readonly id: number }> {
  await database.query(
    `insert into audit_log (at_us, principal_id, action, before, request_id)
     values (1, 'local', 'project.create', '{"n":12345678901234567890}', 'r')`,
  );
  const [row] = await database.query<{ id: bigint }>('select max(id) as id from audit_log');
  return { id: Number(row?.id) };
}

function methodsOf(log: LogCopy): LogCopy {
  return {
    ends: (topics) => log.ends(topics),
    scan: (...range) => log.scan(...range),
    appendAt: (partition, records, end) => log.appendAt(partition, records, end),
    finish: () => log.finish(),
    close: () => log.close(),
  };
}

/** The log of a process that dies at the given call of a method. */
function dyingAt(log: LogCopy, method: 'appendAt' | 'finish', call: number): LogCopy {
  let calls = 0;
  const die = (): void => {
    if (++calls === call) throw new Error('killed');
  };
  const all = methodsOf(log);
  if (method === 'finish') return { ...all, finish: async () => die() };
  return {
    ...all,
    appendAt: async (partition, records, end) => {
      if (records.length > 0) die();
      await all.appendAt(partition, records, end);
    },
  };
}

/** The database of a process that dies when the tables are filled, and not yet committed. */
function dyingTransaction(database: Database): Database {
  return {
    query: (sql, values) => database.query(sql, values),
    script: (sql) => database.script(sql),
    close: () => database.close(),
    transaction: (run, options) =>
      database.transaction(async (transaction) => {
        const result = await run(transaction);
        const [filled] = await transaction.query('select 1 from restores where tables_at_ms is not null');
        if (filled !== undefined) throw new Error('killed');
        return result;
      }, options),
  };
}

function dyingHistory() {
  const die = async (): Promise<never> => {
    throw new Error('killed');
  };
  return { clear: async () => undefined, insert: die, deriveMembers: die };
}
