import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { EventLog } from '../../../services/event-log/event-log.ts';
import { openEventLog } from '../../../services/event-log/open.ts';
import { ProjectWriter, repeatProjects } from '../../../services/operations/project-log/project-writer.ts';
import { ProjectsOnLog } from '../../../services/operations/project-log/projects-on-log.ts';
import { readProjects } from '../../../services/operations/project-log/read-projects.ts';
import { Codec } from '../../../services/messages/codec.ts';
import { TOPICS } from '../../../services/messages/message.ts';
import { EmbeddedSchemaIds } from '../../../services/messages/schema-ids.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { deleteAsOnLog, deleteProject } from '../../../services/stores/projects/delete-project.ts';
import type { Project } from '../../../services/stores/projects/project-store.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { IDENTIFY } from '../../support/messages/sample-messages.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const database = sharedDatabase();
const codec = new Codec(new EmbeddedSchemaIds());
const logger = { debug: () => undefined, warn: () => undefined };

async function openLog(): Promise<EventLog> {
  const log = await openEventLog(`log:${await temporaryFolder()}`, { topics: TOPICS, partitions: 2 });
  onTestFinished(() => log.close());
  return log;
}

/** As a database that was lost, or restored from before there was anything. */
async function empty(): Promise<void> {
  for (const table of ['api_keys', 'projects', 'erasures']) await database().query(`delete from ${table}`);
}

beforeEach(empty);

function writerTo(log: Pick<EventLog, 'append' | 'check'>): ProjectWriter {
  return new ProjectWriter({ log, codec, database: database(), logger });
}

function makeProject(name: string): Promise<Project> {
  return new SqlProjectStore(database()).createProject({ name, timezone: 'Asia/Tokyo', rateLimit: 2.5 });
}

/** What a start does. */
async function reconcile(log: EventLog, recover = false): Promise<readonly string[]> {
  const onLog = await ProjectsOnLog.read({ log, codec, database: database(), logger });
  const lost = await onLog.lost({ recover, timezone: 'UTC' });
  await onLog.obeyDeletions();
  await onLog.complete(lost);
  return (await new SqlProjectStore(database()).listProjects()).map(({ id }) => id);
}

async function namesOn(log: EventLog): Promise<readonly string[]> {
  return [...(await readProjects({ log, codec })).values()].map(({ name }) => name);
}

async function recordsOn(log: EventLog): Promise<bigint> {
  return (await log.ends(['tidemark.project'])).reduce((sum, { offset }) => sum + offset, 0n);
}

describe('projects are put on the log', () => {
  test('and once more, for what was there before to be cut: what a start reads stays', async () => {
    const log = new MemoryLog();
    const { id } = await makeProject('Old');
    const gone = await makeProject('Gone');
    await writerTo(log).write();
    await new SqlProjectStore(database()).updateProject(id, { name: 'New' });
    await deleteProject(database(), gone.id, 'Gone');
    await writerTo(log).write();
    const before = await readProjects({ log, codec });

    const upTo = await repeatProjects({ log, codec });
    await log.cut(upTo);

    expect(await log.beginnings(['tidemark.project'])).toEqual(upTo);
    expect(before.size).toBe(2);
    expect(await readProjects({ log, codec })).toEqual(before);
  });

  test('a project is put on the log once, and again after each change of it', async () => {
    const log = await openLog();
    const writer = writerTo(log);
    const { id } = await makeProject('Shop');

    await writer.write();
    await writer.write();
    const before = await recordsOn(log);
    await new SqlProjectStore(database()).updateProject(id, {
      name: 'Store',
      rateLimitBytes: 5_000,
      queryMaxRows: 2 ** 50,
    });
    await writer.write();

    expect([before, await recordsOn(log)]).toEqual([1n, 2n]);
    expect((await readProjects({ log, codec })).get(id)).toMatchObject({
      name: 'Store',
      timezone: 'Asia/Tokyo',
      rateLimit: 2.5,
      rateLimitBytes: 5_000n,
      queryMaxRows: 2n ** 50n,
      deletedAt: null,
    });
  });

  test('a project that is made while the log cannot take it is put there afterwards', async () => {
    const log = await openLog();
    let isUnreachable = true;
    const append: EventLog['append'] = (records) =>
      isUnreachable ? Promise.reject(new TidemarkError('LOG_UNAVAILABLE', 'unreachable')) : log.append(records);
    const writer = writerTo({ append, check: () => log.check() });
    await makeProject('Shop');

    await expect(writer.write()).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
    const before = await recordsOn(log);
    isUnreachable = false;
    await writer.write();

    expect([before, await namesOn(log)]).toEqual([0n, ['Shop']]);
  });

  test('the newer of two states counts where two processes append them in the wrong order', async () => {
    const log = await openLog();
    const { id } = await makeProject('Old');
    const { promise: isChanged, resolve: change } = Promise.withResolvers<void>();
    const slow = writerTo({ check: () => log.check(), append: (records) => isChanged.then(() => log.append(records)) });
    const writing = slow.write();
    // Claimed, and on its way to the log.
    const revision = 'select log_revision from projects where log_revision > 0';
    await expect.poll(() => database().query(revision)).toHaveLength(1);

    await new SqlProjectStore(database()).updateProject(id, { name: 'New' });
    await writerTo(log).write();
    change();
    await writing;

    expect([await recordsOn(log), await namesOn(log)]).toEqual([2n, ['New']]);
  });

  test('a deletion outweighs every state of the project, whatever is appended after it', async () => {
    const log = await openLog();
    const { id } = await makeProject('Gone');
    await writerTo(log).write();
    await deleteProject(database(), id);

    await writerTo(log).write();
    await database().query('update erasures set is_on_log = false');
    await writerTo(log).write();
    await log.append([{ topic: 'tidemark.project', key: Buffer.from(id), value: codec.encodeProject(STALE(id)) }]);

    expect((await readProjects({ log, codec })).get(id)?.deletedAt).not.toBeNull();
  });
});

const STALE = (projectId: string) => ({
  projectId,
  name: 'Gone',
  timezone: 'UTC',
  rateLimit: null,
  rateLimitBytes: null,
  queryMaxMs: null,
  queryMaxMemoryBytes: null,
  queryMaxRows: null,
  createdAt: 0n,
  revision: 1_000n,
  deletedAt: null,
});

describe('a database that was lost', () => {
  test('a start stops where the log has a project and the database never had any', async () => {
    const log = await openLog();
    const { id } = await makeProject('Shop');
    await writerTo(log).write();
    await empty();

    const failure = await reconcile(log).catch((error: unknown) => error);

    expect(failure).toMatchObject({ code: 'PROJECTS_LOST', retryable: false });
    expect(String(failure)).toContain(id);
  });

  test('a lost project is made again as it was, with another secret', async () => {
    const log = await openLog();
    const made = await makeProject('Shop');
    await writerTo(log).write();
    await empty();

    await reconcile(log, true);

    const [again] = await new SqlProjectStore(database()).listProjects();
    expect(again).toEqual({ ...made, sessionSecret: again?.sessionSecret });
    expect(again?.sessionSecret).not.toEqual(made.sessionSecret);
  });

  test('a lost project that is changed after it was made again counts as changed on the log', async () => {
    const log = await openLog();
    const { id } = await makeProject('First');
    for (const name of ['Second', 'Third']) {
      await writerTo(log).write();
      await new SqlProjectStore(database()).updateProject(id, { name });
    }
    await writerTo(log).write();
    await empty();

    await reconcile(log, true);
    await new SqlProjectStore(database()).updateProject(id, { name: 'Fourth' });
    await writerTo(log).write();

    expect(await namesOn(log)).toEqual(['Fourth']);
  });

  test('the projects of a log that no project was put on are made again from its messages', async () => {
    const log = await openLog();
    await log.append([{ topic: 'tidemark.identify', key: Buffer.from('k'), value: codec.encode(IDENTIFY) }]);

    await expect(reconcile(log)).rejects.toMatchObject({ code: 'PROJECTS_LOST' });
    expect(await reconcile(log, true)).toEqual([IDENTIFY.projectId]);
  });

  test('a start with a new log, or one whose projects were all deleted, does not stop', async () => {
    const log = await openLog();
    expect(await reconcile(log)).toEqual([]);
    const { id } = await makeProject('Gone');
    await deleteAsOnLog(database(), id, 'Gone');
    await writerTo(log).write();
    await empty();

    expect(await reconcile(log)).toEqual([]);
    expect(await database().query('select project_id as id, is_on_log from erasures')).toEqual([
      { id, is_on_log: true },
    ]);
  });
});

describe('a database that was restored from an older backup', () => {
  test('a project that was deleted since is deleted again with its keys', async () => {
    const log = await openLog();
    const [kept, gone] = [await makeProject('Kept'), await makeProject('Gone')];
    await writerTo(log).write();
    await deleteAsOnLog(database(), gone.id, 'Gone');
    await writerTo(log).write();
    await database().query('delete from erasures');
    await new SqlProjectStore(database()).addLostProject(gone);
    await new SqlProjectStore(database()).addKey(gone.id, { scopes: ['write'], sha256: 'a'.repeat(64) });

    expect(await reconcile(log)).toEqual([kept.id]);
    expect(await database().query('select id from api_keys')).toEqual([]);
    expect(await database().query('select project_id, state from erasures')).toEqual([
      { project_id: gone.id, state: 'pending' },
    ]);
  });

  test('a project that was made since is there again, and nothing is put on the log twice', async () => {
    const log = await openLog();
    const [kept, later] = [await makeProject('Kept'), await makeProject('Later')];
    await writerTo(log).write();
    await database().query('delete from projects where id = $1', [later.id]);

    // Two of one millisecond stand by their ids.
    expect((await reconcile(log)).toSorted()).toEqual([kept.id, later.id].toSorted());
  });

  test('a project is put on a new log again, with its deletions', async () => {
    const { id } = await makeProject('Gone');
    await makeProject('Shop');
    await writerTo(await openLog()).write();
    await deleteAsOnLog(database(), id, 'Gone');
    await writerTo(await openLog()).write();
    const fresh = await openLog();

    await reconcile(fresh);
    await writerTo(fresh).write();

    expect((await namesOn(fresh)).toSorted()).toEqual(['Gone', 'Shop']);
  });
});
