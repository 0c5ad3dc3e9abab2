import { randomBytes } from 'node:crypto';
import { TidemarkError } from '../../runtime/errors.ts';
import { type Database, inCamelCase, type Queryable, type SqlValue } from '../database/database.ts';
import { BASE36, firstScope, randomText } from './keys.ts';
import {
  type ApiKey,
  type FirstKey,
  KEY_COLUMNS,
  type NewKey,
  type LostProject,
  type NewProject,
  DEFAULT_SETTINGS,
  type Project,
  PROJECT_COLUMNS,
  type ProjectChanges,
  type ProjectsSnapshot,
  type Scope,
  SCOPES,
  toProject,
} from './project-store.ts';

/**
 * Projects and keys in a Postgres-compatible database (schemas/postgres/001-projects.sql, 010-scopes.sql). Arguments and
 * results can be cloned between threads. Every method throws `STORE_UNAVAILABLE` if the store cannot answer.
 */
export class SqlProjectStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async snapshot(): Promise<ProjectsSnapshot> {
    // Keys first: a project is never deleted, so that every key read here finds its project in the second answer.
    const keys = await this.#keys('where revoked_at_ms is null');
    return { keys, projects: await this.listProjects() };
  }

  async createProject(project: NewProject): Promise<Project> {
    return only(await insertProject(this.#database, project, 'true'));
  }

  /** Adds a project that was lost, without keys and with a new secret, unless it is there or was deleted. Idempotent. */
  async addLostProject(project: LostProject): Promise<Project | undefined> {
    return (await insertProject(this.#database, project, NOT_DELETED))[0];
  }

  /**
   * Adds the project, new or one that was lost, with its keys in one transaction if the store has no project yet.
   * Otherwise writes nothing and returns undefined. One of several concurrent calls, in any processes, succeeds.
   */
  async createFirstProject(project: NewProject | LostProject, keys: readonly FirstKey[]) {
    return this.#database.transaction(async (transaction) => {
      // Later starts write nothing, so a full disk does not prevent them.
      if ((await transaction.query('select 1 from projects limit 1')).length > 0) return undefined;
      await transaction.query(ONE_FIRST_START);
      const [first] = await insertProject(transaction, project, 'not exists (select from projects)');
      if (first === undefined) return undefined;
      for (const key of keys) await insertKey(transaction, key.scopes.includes('admin') ? null : first.id, key);
      return first;
    });
  }

  /** The keys of a first project that have not been shown yet, without revoked ones. */
  async keysAwaitingShowing(): Promise<readonly ApiKey[]> {
    return this.#keys('where awaits_showing and revoked_at_ms is null');
  }

  /**
   * Revokes these keys and adds, to the project of each, the one of its first scope among `keys`, in one transaction.
   * Returns the project that was made first. If one of the keys has been shown, writes nothing and returns undefined.
   * One of several concurrent calls succeeds.
   */
  async replaceAwaitingKeys(ids: readonly string[], keys: readonly FirstKey[]): Promise<Project | undefined> {
    return this.#database.transaction(async (transaction) => {
      await transaction.query(ONE_FIRST_START);
      const revoked = await transaction.query<Pick<ApiKey, 'projectId' | 'scopes'>>(REVOKE_AWAITING, [
        [...ids],
        BigInt(Date.now()),
      ]);
      if (revoked.length === 0) return undefined;
      for (const { projectId: id, scopes } of revoked) {
        const others = keys.filter((key) => firstScope(key.scopes) === firstScope(scopes));
        for (const key of others) await insertKey(transaction, id, key);
      }
      return only(await projectsWhere(transaction, 'true'));
    });
  }

  /** Marks these keys, named by their hashes, as shown. Returns whether all of them can be used. */
  async noteShown(sha256s: readonly string[]): Promise<boolean> {
    const rows = await this.#database.query(
      `update api_keys set awaits_showing = false
       where sha256 = any($1::text[]) and revoked_at_ms is null
       returning id`,
      [[...sha256s]],
    );
    return rows.length === sha256s.length;
  }

  /** @throws TidemarkError `PROJECT_UNKNOWN`. */
  async updateProject(id: string, changes: ProjectChanges): Promise<Project> {
    const given = (Object.keys(CHANGED_COLUMNS) as (keyof ProjectChanges)[]).filter(
      (name) => changes[name] !== undefined,
    );
    const set = given.map((name, i) => CHANGED_COLUMNS[name].replace(' ', () => ` = $${i + 2}::`));
    const rows = await this.#database.query<Project>(
      `update projects set ${['id = id', ...set].join(', ')} where id = $1 returning ${PROJECT_COLUMNS}`,
      [id, ...given.map((name) => sqlValueOf(changes[name]))],
    );
    if (rows.length === 0) throw projectUnknown(id);
    return only(rows.map(toProject));
  }

  listProjects(): Promise<readonly Project[]> {
    return projectsWhere(this.#database, 'true');
  }

  async findProject(id: string): Promise<Project | undefined> {
    return (await projectsWhere(this.#database, 'id = $1', [id]))[0];
  }

  /** The project of this id; else the oldest of this name. */
  async findProjectNamed(idOrName: string): Promise<Project | undefined> {
    const found = await projectsWhere(this.#database, 'id = $1 or name = $1', [idOrName]);
    return found.find(({ id }) => id === idOrName) ?? found[0];
  }

  /**
   * Adds a key whose text the caller made.
   *
   * @param projectId Null exactly where the scope is `admin`; anything else is `STORE_REJECTED`.
   * @throws TidemarkError `PROJECT_UNKNOWN`.
   */
  async addKey(projectId: string | null, key: NewKey): Promise<ApiKey> {
    const [added] = await insertKey(this.#database, projectId, key);
    if (added === undefined) throw projectUnknown(projectId ?? '');
    return added;
  }

  /** Records that these keys were used on this day (`YYYY-MM-DD`). A day before the one recorded changes nothing. */
  async noteUsed(ids: readonly string[], day: string): Promise<void> {
    await this.#database.query(
      `update api_keys set last_used_day = $2::date
       where id = any($1::text[]) and (last_used_day is null or last_used_day < $2::date)`,
      [[...ids], day],
    );
  }

  /** Returns the keys of one project, of the installation (null) or all, including revoked ones. */
  async listKeys(projectId?: string | null): Promise<readonly ApiKey[]> {
    if (projectId === undefined) return this.#keys('');
    return projectId === null
      ? this.#keys('where project_id is null')
      : this.#keys('where project_id = $1', [projectId]);
  }

  /** Idempotent. @throws TidemarkError `KEY_UNKNOWN`. */
  async revokeKey(keyId: string): Promise<ApiKey> {
    const rows = await this.#database.query<ApiKey>(
      `update api_keys set revoked_at_ms = coalesce(revoked_at_ms, $2::int8) where id = $1 returning ${KEY_COLUMNS}`,
      [keyId, BigInt(Date.now())],
    );
    if (rows.length === 0) throw new TidemarkError('KEY_UNKNOWN', `There is no key ${JSON.stringify(keyId)}.`);
    return only(rows);
  }

  #keys(where: string, values: readonly SqlValue[] = []): Promise<readonly ApiKey[]> {
    const sql = `select ${KEY_COLUMNS} from api_keys ${where} order by created_at_ms, id`;
    return this.#database.query<ApiKey>(sql, values);
  }
}

/** The oldest first. */
async function projectsWhere(
  database: Queryable,
  condition: string,
  values: readonly SqlValue[] = [],
): Promise<readonly Project[]> {
  const sql = `select ${PROJECT_COLUMNS} from projects where ${condition} order by created_at_ms, id`;
  return (await database.query<Project>(sql, values)).map(toProject);
}

/** The column of each setting, and its type. */
const CHANGED_COLUMNS: Readonly<Record<keyof ProjectChanges, string>> = {
  name: 'name text',
  timezone: 'timezone text',
  rateLimit: 'rate_limit float8',
  rateLimitBytes: 'rate_limit_bytes int8',
  queryMaxMs: 'query_max_ms int8',
  queryMaxMemoryBytes: 'query_max_memory_bytes int8',
  queryMaxRows: 'query_max_rows int8',
  searchTraits: 'search_traits text[]',
  nameTraits: 'name_traits text[]',
  joinIds: 'join_ids boolean',
  keepEventsMonths: 'keep_events_months int4',
};

function sqlValueOf(setting: ProjectChanges[keyof ProjectChanges]): SqlValue {
  return typeof setting === 'object' && setting !== null ? [...setting] : (setting ?? null);
}

const NOT_DELETED = `not exists (select from erasures where project_id = $1 and user_key = '')`;

// This lock conflicts with writers and with itself, not with readers: of two concurrent first starts, the second waits
// here and then finds the project of the first.
const ONE_FIRST_START = 'lock table projects in share row exclusive mode';

// Revokes either all of them or none.
const REVOKE_AWAITING = `
  with awaiting as
  (
      select id from api_keys
      where id = any($1::text[]) and awaits_showing and revoked_at_ms is null
  )
  update api_keys set revoked_at_ms = $2::int8, awaits_showing = false
  where id in (select id from awaiting)
    and (select count(*) from awaiting) = cardinality($1::text[])
  returning ${inCamelCase('project_id, scopes')}`;

/** Inserts nothing where the condition does not hold, or a project of this id exists. */
async function insertProject(
  queryable: Queryable,
  project: NewProject | LostProject,
  condition: string,
): Promise<readonly Project[]> {
  const known = {
    ...DEFAULT_SETTINGS,
    id: `proj_${randomText(20, BASE36)}`,
    createdAtMs: Date.now(),
    ...project,
  };
  const rows = await queryable.query<Project>(
    `insert into projects (id, name, timezone, rate_limit, session_secret, created_at_ms, query_max_ms, query_max_memory_bytes,
                           query_max_rows, rate_limit_bytes, search_traits, name_traits, join_ids, keep_events_months)
     select $1::text, $2::text, $3::text, $4::float8, $5::bytea, $6::int8, $7::int8, $8::int8, $9::int8, $10::int8,
            $11::text[], $12::text[], $13::boolean, $14::int4
     where ${condition}
     on conflict (id) do nothing
     returning ${PROJECT_COLUMNS}`,
    [
      known.id,
      known.name,
      known.timezone,
      known.rateLimit,
      randomBytes(32),
      BigInt(known.createdAtMs),
      known.queryMaxMs,
      known.queryMaxMemoryBytes,
      known.queryMaxRows,
      known.rateLimitBytes,
      [...known.searchTraits],
      [...known.nameTraits],
      known.joinIds,
      known.keepEventsMonths,
    ],
  );
  return rows.map(toProject);
}

/** Inserts nothing if the project does not exist. */
function insertKey(
  queryable: Queryable,
  projectId: string | null,
  { scopes, name = null, sha256, awaitsShowing = false }: NewKey & Partial<FirstKey>,
): Promise<readonly ApiKey[]> {
  return queryable.query<ApiKey>(
    `insert into api_keys (id, project_id, scope, scopes, name, sha256, created_at_ms, awaits_showing)
     select $1, $2::text, $3::text, $4::text[], $5::text, $6, $7::int8, $8::boolean
     where $2::text is null or exists (select from projects where id = $2::text)
     returning ${KEY_COLUMNS}`,
    [
      `key_${randomText(20, BASE36)}`,
      projectId,
      oldScopeOf(scopes),
      SCOPES.filter((scope) => scopes.includes(scope)),
      name,
      sha256,
      BigInt(Date.now()),
      awaitsShowing,
    ],
  );
}

/** What processes of versions before sets of scopes read: null where they would let the key do what it may not. */
function oldScopeOf(scopes: readonly Scope[]): Scope | null {
  return scopes.find((scope) => scope === 'write' || scope === 'read') ?? null;
}

function only<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}

function projectUnknown(id: string): TidemarkError {
  return new TidemarkError('PROJECT_UNKNOWN', `There is no project ${JSON.stringify(id)}.`);
}
