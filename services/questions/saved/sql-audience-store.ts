import { TidemarkError } from '../../runtime/errors.ts';
import type { Database, Queryable, SqlValue } from '../../stores/database/database.ts';
import { NOW_MS, STATEMENT_MS } from '../../stores/database/sql-time.ts';
import { BASE36, randomText } from '../../stores/projects/keys.ts';
import { keptVersion, TRIMMED_VERSIONS } from './audience-past-sql.ts';
import { changeWithReferences, lockProject, referableIn, refuseReferencesOf } from './references-sql.ts';
import { refuseUsed } from './references.ts';
import { SqlAudienceClaims } from './sql-audience-claims.ts';
import {
  AUDIENCE_COLUMNS,
  type AudienceRow,
  exists,
  isNameInUse,
  refuseUnlessAt,
  toAudience,
  unknown,
} from './audience-row.ts';
import type { AudienceCursor, ChangeTerms, NewAudience, SavedAudience } from './audience-store.ts';

/**
 * Saved audiences in a Postgres-compatible database (schemas/postgres/005-audiences.sql, 015-audience-versions.sql). What
 * they were before is written in the statement of the change.
 *
 * Arguments and results can be cloned between threads. Every method throws `STORE_UNAVAILABLE` while the store is
 * unreachable.
 */
export class SqlAudienceStore extends SqlAudienceClaims {
  readonly #database: Database;
  readonly #maxPerProject: number;

  /**
   * @param maxPerProject The number of audiences from which on a project can create no more. Existing ones are kept.
   */
  constructor(database: Database, maxPerProject: number) {
    super(database);
    this.#database = database;
    this.#maxPerProject = maxPerProject;
  }

  /**
   * Creates an audience. With a refresh it is due at once.
   *
   * @throws TidemarkError `AUDIENCE_EXISTS` if the project has one of this name; `AUDIENCE_LIMIT` if it has the maximum
   *   number; `PROJECT_UNKNOWN`; `AUDIENCE_UNKNOWN` if its definition refers to one that the project does not have.
   */
  create(projectId: string, audience: NewAudience, by?: string): Promise<SavedAudience> {
    return this.#database.transaction(async (transaction) => {
      if (!(await lockProject(transaction, projectId)))
        throw new TidemarkError('PROJECT_UNKNOWN', `There is no project ${JSON.stringify(projectId)}.`);
      await refuseReferencesOf(transaction, projectId, null, audience.definition);
      const created = await this.#insert(transaction, projectId, audience, by);
      if (created !== undefined) return created;
      if (await isNameInUse(transaction, { projectId, name: audience.name })) throw exists(audience.name);
      throw new TidemarkError(
        'AUDIENCE_LIMIT',
        `This project has ${this.#maxPerProject} saved audiences or more, as many as it may have. Delete one first.`,
      );
    });
  }

  /** Inserts nothing and returns undefined if the name is in use or the project has the maximum number. */
  async #insert(
    transaction: Queryable,
    projectId: string,
    { name, definition, refreshMs, isLive = false, note = '', tags = [] }: NewAudience,
    by: string | undefined,
  ): Promise<SavedAudience | undefined> {
    const [created] = await transaction.query<AudienceRow>(
      `with created as (insert into audiences (id, project_id, name, definition, version, refresh_ms, is_live, created_at_ms, updated_at_ms, due_at_ms, note, tags)
       select $1, id, $3, $4, 1, $5::int8, $8::boolean, ${STATEMENT_MS}, ${STATEMENT_MS},
              case when $5::int8 is null and not $8::boolean then null else ${STATEMENT_MS} end, $9::text, $10::text[]
       from projects where id = $2
         and (select count(*) from audiences where project_id = $2 and deleted_at_ms is null) < $6::int8
       on conflict (project_id, name) where deleted_at_ms is null do nothing
       returning ${AUDIENCE_COLUMNS}), ${keptVersion('created', '$7')}
       select * from created`,
      [
        `aud_${randomText(20, BASE36)}`,
        projectId,
        name,
        definition,
        refreshMs,
        BigInt(this.#maxPerProject),
        by ?? null,
        isLive,
        note,
        [...tags],
      ],
    );
    return created === undefined ? undefined : toAudience(created);
  }

  /** Newest first. @param tag Only those that have it. */
  list(projectId: string, limit: number, after?: AudienceCursor, tag?: string): Promise<readonly SavedAudience[]> {
    return this.#rows(
      `select ${AUDIENCE_COLUMNS} from audiences where project_id = $1 and deleted_at_ms is null
         and ($3::int8 is null or (created_at_ms, id) < ($3::int8, $4)) and ($5::text is null or $5::text = any(tags))
       order by created_at_ms desc, id desc limit $2::int8`,
      [projectId, BigInt(limit), after?.createdAtMs ?? null, after?.id ?? null, tag ?? null],
    );
  }

  async find(projectId: string, id: string): Promise<SavedAudience | undefined> {
    return (await this.findAll(projectId, [id]))[0];
  }

  /** Those that there are, in no order. */
  findAll(projectId: string, ids: readonly string[]): Promise<readonly SavedAudience[]> {
    return this.#rows(
      `select ${AUDIENCE_COLUMNS} from audiences where project_id = $1 and id = any($2::text[]) and deleted_at_ms is null`,
      [projectId, [...ids]],
    );
  }

  /**
   * The version changes only if the definition does.
   *
   * @throws TidemarkError `AUDIENCE_UNKNOWN`; `AUDIENCE_CHANGED` if it has another revision; `AUDIENCE_EXISTS`;
   *   `AUDIENCE_CIRCLE` if its definition refers to itself, by whatever others.
   */
  async update(
    projectId: string,
    id: string,
    { name, definition, refreshMs, isLive = false, note, tags }: Partial<NewAudience>,
    { ifRevisions, by }: ChangeTerms = {},
  ): Promise<SavedAudience> {
    // Concurrent changes run one after another. A name in use is detected before the index refuses it.
    const change = (database: Queryable) =>
      database.query<AudienceRow>(
        `with changed as (update audiences set
         name = coalesce($3::text, name),
         definition = coalesce($4::text, definition),
         note = coalesce($10::text, note), tags = coalesce($11::text[], tags),
         version = version + ${CHANGED},
         revision = revision + 1,
         refresh_ms = ${NEW_REFRESH}, is_live = ${NEW_LIVE},
         updated_at_ms = greatest(${NOW_MS}, updated_at_ms),
         due_at_ms = case
           when ${NEW_REFRESH} is null and not ${NEW_LIVE} then case when is_live then ${NOW_MS} end
           when ${CHANGED} = 1 or (refresh_ms is null and not is_live) or is_live <> ${NEW_LIVE} then ${NOW_MS}
           when $5::boolean and not is_live then least(due_at_ms, ${NOW_MS} + $6::int8)
           else due_at_ms end
       where ${IS_SEEN} and ($7::int8[] is null or revision = any($7::int8[])) and not exists (
         select from audiences other where other.project_id = $1 and other.name = $3::text and other.id <> $2
           and other.deleted_at_ms is null)
       returning ${AUDIENCE_COLUMNS}), ${keptVersion('changed', '$8')}, ${TRIMMED_VERSIONS}
       select * from changed`,
        [
          projectId,
          id,
          name ?? null,
          definition ?? null,
          refreshMs !== undefined,
          refreshMs ?? null,
          ifRevisions?.map(BigInt) ?? null,
          by ?? null,
          isLive,
          note ?? null,
          tags === undefined ? null : [...tags],
        ],
      );
    const [changed] = await changeWithReferences(this.#database, projectId, id, definition, change).catch(
      async (error: unknown) => {
        // Two concurrent calls use one name: the index accepts one of them.
        if (name !== undefined && (await isNameInUse(this.#database, { projectId, name, not: id }))) throw exists(name);
        throw error;
      },
    );
    if (changed !== undefined) return toAudience(changed);
    refuseUnlessAt(await this.find(projectId, id), id, ifRevisions);
    throw exists(name ?? '');
  }

  /**
   * Hides it at once; its history is deleted later.
   *
   * @throws TidemarkError `AUDIENCE_UNKNOWN`; `AUDIENCE_CHANGED`; `AUDIENCE_USED` while others refer to it.
   */
  async remove(projectId: string, id: string, { ifRevisions }: ChangeTerms = {}): Promise<void> {
    const isRemoved = await this.#database.transaction(async (transaction) => {
      await lockProject(transaction, projectId);
      refuseUsed(await referableIn(transaction, projectId), id);
      const rows = await transaction.query(
        `update audiences set deleted_at_ms = ${NOW_MS}, due_at_ms = ${NOW_MS}
         where ${IS_SEEN} and ($3::int8[] is null or revision = any($3::int8[])) returning id`,
        [projectId, id, ifRevisions?.map(BigInt) ?? null],
      );
      return rows.length > 0;
    });
    if (isRemoved) return;
    refuseUnlessAt(await this.find(projectId, id), id, ifRevisions);
    throw unknown(id);
  }

  async #rows(sql: string, values: readonly SqlValue[]): Promise<readonly SavedAudience[]> {
    return (await this.#database.query<AudienceRow>(sql, values)).map(toAudience);
  }
}

const IS_SEEN = 'project_id = $1 and id = $2 and deleted_at_ms is null';
const NEW_REFRESH = '(case when $5::boolean then $6::int8 else refresh_ms end)';
const NEW_LIVE = '(case when $5::boolean then $9::boolean else is_live end)';
const CHANGED = '(case when $4::text <> definition then 1 else 0 end)';
