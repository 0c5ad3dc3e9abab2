import { afterEach, describe, expect, test } from 'vitest';
import type { JobCommands } from '../../services/operations/jobs/job.ts';
import { lockFolder } from '../../services/runtime/folder-lock.ts';
import { projectDeletion } from '../../services/stores/projects/delete-project.ts';
import { SqlProjectStore } from '../../services/stores/projects/sql-project-store.ts';
import { serveAdmin } from '../support/http/admin-server.ts';
import { CliRun } from '../support/service/cli-run.ts';
import { sharedDatabase } from '../support/stores/database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const database = sharedDatabase();
const erased = { users: 2, tables: 9 };
const erase: JobCommands['project erase'] = async ({ project }, { report }) => {
  report({ phase: 'profiles', done: 2, unit: 'users' });
  return { project, ...erased };
};

describe('tidemark project delete', () => {
  afterEach(() => database().script('delete from api_keys; delete from projects; delete from jobs'));

  test('a person who says yes to what the project has deletes it, named by its name', async () => {
    const { env, id } = await shop();
    const questions: string[] = [];
    const confirm = async (question: string): Promise<boolean> => questions.push(question) > 0;

    const run = new CliRun(['project', 'delete', 'Shop'], { env, confirm });

    expect(await run.code).toBe(0);
    expect(questions).toEqual([`Delete Shop (${id})? It has users: 0, audiences: 0, keys in use: 1. [y/N] `]);
    expect(run.lines).toEqual(['The project Shop is deleted.']);
    expect(await namesLeft()).toEqual([]);
  });

  test('who says no, or only asks what it has, deletes nothing', async () => {
    const { env, id } = await shop();

    const no = new CliRun(['project', 'delete', id], { env, confirm: async () => false });
    const dry = new CliRun(['project', 'delete', 'Shop', '--dry-run', '--json'], { env });

    expect([await no.code, no.out, no.err]).toEqual([0, '', 'Nothing was deleted.\n']);
    expect(await dry.code).toBe(0);
    expect(JSON.parse(dry.out)).toEqual({ id, deleted: false, content: { users: 0, audiences: 0, keys: 1 } });
    expect(await namesLeft()).toEqual(['Shop']);
  });

  test('where nobody can be asked it takes the name, and another name is refused', async () => {
    const { env, id } = await shop();

    const unasked = new CliRun(['project', 'delete', id], { env });
    const wrong = new CliRun(['project', 'delete', id, '--confirm', 'shop'], { env });
    const unknown = new CliRun(['project', 'delete', 'Nobody', '--confirm', 'Nobody'], { env });

    expect([await unasked.code, await wrong.code, await unknown.code]).toEqual([2, 1, 1]);
    expect(wrong.err).toContain('PROJECT_NAME_DIFFERS');
    expect(unknown.err).toContain('PROJECT_UNKNOWN');
    expect(await namesLeft()).toEqual(['Shop']);
  });

  test('a deletion that was interrupted goes on by the id and the name', async () => {
    let isFirst = true;
    const { env, id } = await shop(async (args, call) => {
      if (!isFirst) return erase(args, call);
      isFirst = false;
      throw new Error('the store broke');
    });

    const first = new CliRun(['project', 'delete', id, '--confirm', 'Shop', '--json'], { env });
    expect(await first.code).toBe(1);
    const second = new CliRun(['project', 'delete', id, '--confirm', 'Shop', '--json'], { env });

    expect(await second.code).toBe(0);
    expect(JSON.parse(second.out)).toEqual({ project: id, ...erased });
  });
});

/** A service that has a project with a key. */
async function shop(erasure = erase) {
  const store = new SqlProjectStore(database());
  const { id } = await store.createProject({ name: 'Shop', timezone: 'UTC', rateLimit: null });
  await store.addKey(id, { scopes: ['write'], sha256: 'a'.repeat(64) });
  const dataDir = await temporaryFolder();
  const folder = lockFolder(dataDir);
  const deletion = projectDeletion(database());
  const commands = { 'project erase': erasure };
  await serveAdmin(dataDir, { projects: store, deletion, commands }, { database: database() });
  folder.release();
  return { id, env: { DATA_DIR: dataDir } };
}

async function namesLeft(): Promise<readonly string[]> {
  return (await new SqlProjectStore(database()).listProjects()).map(({ name }) => name);
}
