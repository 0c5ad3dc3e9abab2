import type { Micros } from '../../messages/message.ts';
import { type ErrorCode, TidemarkError } from '../../runtime/errors.ts';
import type { Difference, Evaluation } from '../../stores/analytics/analytics-store.ts';
import type { LiveEpoch } from '../../stores/analytics/live-history.ts';
import type { Database, Queryable, SqlValue } from '../../stores/database/database.ts';
import { NOW_MS } from '../../stores/database/sql-time.ts';
import { BASE36, randomText } from '../../stores/projects/keys.ts';
import {
  changesReadableAtOf,
  evaluationsOf,
  liveEpochsOf,
  KEPT_EVALUATION,
  keptVersion,
  sizesOf,
  TRIMMED_VERSIONS,
  versionsOf,
} from './audience-past-sql.ts';
import { changeWithReferences, lockProject, refuseReferencesOf, refuseUsedOf } from './references-sql.ts';
import {
  AUDIENCE_COLUMNS,
  type AudienceRow,
  bigintOf,
  type ClaimRow,
  exists,
  isNameInUse,
  LIVE_THROUGH,
  refuseUnlessAt,
  toAudience,
  unknown,
} from './audience-row.ts';
import type {
  AudienceClaims,
  AudienceStore,
  AudienceVersion,
  ChangeTerms,
  Claim,
  EvaluationsQuery,
  LastEvaluation,
  NewAudience,
  SavedAudience,
} from './audience-store.ts';

/**
 * Saved audiences in a Postgres-compatible database (schemas/postgres/005-audiences.sql, 015-audience-versions.sql). What
 * they were before is written in the statement of the change.
 */
export class SqlAudienceStore implements AudienceStore, AudienceClaims {
  readonly #database: Database;
  readonly #maxPerProject: number;

  /**
   * @param maxPerProject The number of audiences from which on a project can create no more. Existing ones are kept.
   */
  constructor(database: Database, maxPerProject: number) {
    this.#database = database;
    this.#maxPerProject = maxPerProject;
  }

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
       select $1, id, $3, $4, 1, $5::int8, $8::boolean, ${NOW_MS}, ${NOW_MS},
              case when $5::int8 is null and not $8::boolean then null else ${NOW_MS} end, $9::text, $10::text[]
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
        bigintOf(refreshMs),
        BigInt(this.#maxPerProject),
        by ?? null,
        isLive,
        note,
        [...tags],
      ],
    );
    return created === undefined ? undefined : toAudience(created);
  }

  list(...[projectId, limit, after, tag]: Parameters<AudienceStore['list']>): ReturnType<AudienceStore['list']> {
    return this.#rows(
      `select ${AUDIENCE_COLUMNS} from audiences where project_id = $1 and deleted_at_ms is null
         and ($3::int8 is null or (created_at_ms, id) < ($3::int8, $4)) and ($5::text is null or $5::text = any(tags))
       order by created_at_ms desc, id desc limit $2::int8`,
      [projectId, BigInt(limit), bigintOf(after?.createdAtMs ?? null), after?.id ?? null, tag ?? null],
    );
  }

  async find(projectId: string, id: string): Promise<SavedAudience | undefined> {
    return (await this.#rows(`select ${AUDIENCE_COLUMNS} from audiences where ${IS_SEEN}`, [projectId, id]))[0];
  }

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
          bigintOf(refreshMs ?? null),
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

  async remove(projectId: string, id: string, { ifRevisions }: ChangeTerms = {}): Promise<void> {
    const isRemoved = await this.#database.transaction(async (transaction) => {
      await lockProject(transaction, projectId);
      await refuseUsedOf(transaction, projectId, id);
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

  versions(projectId: string, id: string, limit: number, before?: number): Promise<readonly AudienceVersion[]> {
    return versionsOf(this.#database, [projectId, id], limit, before);
  }

  evaluations(projectId: string, id: string, query: EvaluationsQuery): Promise<readonly LastEvaluation[]> {
    return evaluationsOf(this.#database, [projectId, id], query);
  }

  sizes(...wanted: Parameters<AudienceStore['sizes']>): ReturnType<AudienceStore['sizes']> {
    return sizesOf(this.#database, ...wanted);
  }

  changesReadableAt(ids: readonly string[]): Promise<ReadonlyMap<string, Micros | null>> {
    return changesReadableAtOf(this.#database, ids);
  }

  async liveEpochs(): Promise<readonly LiveEpoch[]> {
    return liveEpochsOf(this.#database);
  }

  async claimDue(leaseMs: number, lastProjectId = ''): Promise<Claim | undefined> {
    return this.#claim(
      `id = (select id from audiences where due_at_ms <= ${NOW_MS} and ${IS_FREE}
             order by project_id <= $3, project_id, due_at_ms limit 1 for update skip locked)`,
      leaseMs,
      [lastProjectId],
    );
  }

  async claim(projectId: string, id: string, leaseMs: number): Promise<Claim> {
    const claim = await this.#claim(`project_id = $3 and id = $4 and deleted_at_ms is null and ${IS_FREE}`, leaseMs, [
      projectId,
      id,
    ]);
    if (claim !== undefined) return claim;
    if ((await this.find(projectId, id)) === undefined) throw unknown(id);
    throw new TidemarkError('AUDIENCE_BUSY', 'This audience is being evaluated now.');
  }

  async renew(claim: Claim, leaseMs: number): Promise<boolean> {
    return this.#whileClaimed(claim, `claimed_until_ms = ${NOW_MS} + $3::int8`, [BigInt(leaseMs)]);
  }

  async commit(claim: Claim, { at, version, cause }: Evaluation, difference: Difference): Promise<boolean> {
    const { entered, left, members } = difference;
    return this.#whileClaimed(
      claim,
      `evaluated_at = $3::int8, evaluated_version = $4::int4, evaluated_cause = $5, entered = $6::int8,
       left_members = $7::int8, members = $8::int8, failure = null,
       due_at_ms = case when refresh_ms is null and not is_live then null when version <> $4::int4 then ${NOW_MS}
                        else ${NOW_MS} + ${INTERVAL} end`,
      [at, version, cause, BigInt(entered), BigInt(left), BigInt(members)],
      { and: 'deleted_at_ms is null', alsoWrites: KEPT_EVALUATION },
    );
  }

  async noteReadable({ audience }: Claim, at: Micros): Promise<void> {
    const sql = 'update audiences set changes_readable_at = greatest(changes_readable_at, $2::int8) where id = $1';
    await this.#database.query(sql, [audience.id, at]);
  }

  async giveUp(claim: Claim, failure: ErrorCode, againInMs: number): Promise<void> {
    const due = `due_at_ms = case when deleted_at_ms is not null then ${NOW_MS} + least($4::int8, 15000)
      when refresh_ms is null and not is_live then null else ${NOW_MS} + least(${INTERVAL}, $4::int8) end`;
    await this.#whileClaimed(claim, `failure = $3, ${due}`, [failure, BigInt(againInMs)]);
  }

  async release(claim: Claim): Promise<void> {
    await this.#whileClaimed(claim, 'claim = null, claimed_until_ms = null', []);
  }

  async forget({ audience, token }: Claim): Promise<void> {
    const sql = 'delete from audiences where id = $1 and claim = $2 and deleted_at_ms is not null';
    await this.#database.query(sql, [audience.id, token]);
  }

  async #claim(which: string, leaseMs: number, values: readonly SqlValue[] = []): Promise<Claim | undefined> {
    const token = randomText(20, BASE36);
    const sql = `update audiences set claim = $1, claimed_until_ms = ${NOW_MS} + $2::int8,
                   claimed_at = greatest(${NOW_MICROS}, claimed_at + 1, evaluated_at + 1, ${LIVE_THROUGH} + 1),
                   live_through = ${LIVE_THROUGH}, live_epoch = null
                 where ${which} returning ${AUDIENCE_COLUMNS}, claimed_at, deleted_at_ms`;
    const rows = await this.#database.query<ClaimRow>(sql, [token, BigInt(leaseMs), ...values]);
    const [row] = rows;
    if (row === undefined) return undefined;
    return { audience: toAudience(row), token, at: row.claimed_at, isDeleted: row.deleted_at_ms !== null };
  }

  async #whileClaimed(
    { audience, token }: Claim,
    set: string,
    values: readonly SqlValue[],
    { and = 'true', alsoWrites = '' }: { readonly and?: string; readonly alsoWrites?: string } = {},
  ): Promise<boolean> {
    const sql = `with written as (update audiences set ${set}
                 where id = $1 and claim = $2 and claimed_until_ms > ${NOW_MS} and ${and} returning id)
                 ${alsoWrites} select id from written`;
    return (await this.#database.query(sql, [audience.id, token, ...values])).length > 0;
  }

  async #rows(sql: string, values: readonly SqlValue[]): Promise<readonly SavedAudience[]> {
    return (await this.#database.query<AudienceRow>(sql, values)).map(toAudience);
  }
}

const NOW_MICROS = '(extract(epoch from clock_timestamp()) * 1000000)::int8';
const IS_SEEN = 'project_id = $1 and id = $2 and deleted_at_ms is null';
const IS_FREE = `(claim is null or claimed_until_ms <= ${NOW_MS})`;
const NEW_REFRESH = '(case when $5::boolean then $6::int8 else refresh_ms end)';
const NEW_LIVE = '(case when $5::boolean then $9::boolean else is_live end)';
/** Live audiences are evaluated every minute where nobody follows their messages. */
const INTERVAL = 'coalesce(refresh_ms, 60000)';
const CHANGED = '(case when $4::text <> definition then 1 else 0 end)';
