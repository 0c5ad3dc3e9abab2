import { MESSAGE_TOPICS, type ProjectRecord } from '../../messages/message.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Database, Queryable } from '../../stores/database/database.ts';
import { deleteAsOnLog } from '../../stores/projects/delete-project.ts';
import type { LostProject } from '../../stores/projects/project-store.ts';
import { SqlProjectStore } from '../../stores/projects/sql-project-store.ts';
import { type LogAndCodec, lostProjectOf, projectsWithMessages, readProjects } from './read-projects.ts';

export interface ProjectsOnLogParts extends LogAndCodec {
  readonly database: Database;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface LostProjectsOptions {
  /** Whether the projects of a lost database are made again. */
  readonly recover: boolean;
  /** The time zone of projects whose own is not known. */
  readonly timezone: string;
}

/** What the log says of projects, held against the database: this may be lost, or restored from an older backup. */
export class ProjectsOnLog {
  readonly #parts: ProjectsOnLogParts;
  readonly #records: ReadonlyMap<string, ProjectRecord>;
  readonly #hasMessages: boolean;

  private constructor(parts: ProjectsOnLogParts, records: ReadonlyMap<string, ProjectRecord>, hasMessages: boolean) {
    this.#parts = parts;
    this.#records = records;
    this.#hasMessages = hasMessages;
  }

  /** To be called before the database is looked at: what is on the log then was in the database before. */
  static async read(parts: ProjectsOnLogParts): Promise<ProjectsOnLog> {
    const records = await readProjects(parts);
    const ends = await parts.log.ends(MESSAGE_TOPICS);
    return new ProjectsOnLog(
      parts,
      records,
      ends.some(({ offset }) => offset > 0n),
    );
  }

  /**
   * The projects to be made again, oldest first, where the database never had any and the log is not new; none otherwise.
   *
   * @throws TidemarkError `PROJECTS_LOST` where there are some, and they are not to be made again.
   */
  async lost({ recover, timezone }: LostProjectsOptions): Promise<readonly LostProject[]> {
    const isNew = !this.#hasMessages && this.#live.length === 0;
    if (isNew || (await this.#parts.database.query(ANY_PROJECT)).length > 0) return [];
    if (!recover) throw projectsLost(this.#live);
    if (this.#records.size === 0) return projectsWithMessages(this.#parts, timezone);
    return this.#live.map(lostProjectOf).toSorted((a, b) => a.createdAtMs - b.createdAtMs);
  }

  /** Deletes in the database what the log says was deleted. To be called before readers read. Idempotent. */
  async obeyDeletions(): Promise<void> {
    const { database, logger } = this.#parts;
    for (const { projectId: project, name, deletedAt } of this.#records.values()) {
      if (deletedAt === null || !(await deleteAsOnLog(database, project, name))) continue;
      logger.warn({ project, name }, 'the log says that this project was deleted: it is deleted here too');
    }
  }

  /**
   * Adds the projects that the database lacks, without keys, and has those put on the log that it lacks. To be called
   * after `obeyDeletions`. Idempotent.
   *
   * @param lost Those of `lost`.
   */
  async complete(lost: readonly LostProject[]): Promise<void> {
    const { database, logger } = this.#parts;
    const store = new SqlProjectStore(database);
    const rows = await database.query<{ readonly id: string }>(KNOWN_PROJECTS);
    const there = new Set(rows.map(({ id }) => id));
    for (const known of [...lost, ...this.#live.map(lostProjectOf)].filter(({ id }) => !there.has(id))) {
      const { id: project, name } = known;
      if ((await store.addLostProject(known)) === undefined) continue;
      logger.warn({ project, name }, 'the log has a project that the database lacked: it is added, without keys');
    }
    const ids = [...this.#records.keys()];
    const revisions = [...this.#records.values()].map(({ revision }) => revision);
    const deleted = [...this.#records.values()].filter(({ deletedAt }) => deletedAt !== null);
    const follow = async (transaction: Queryable): Promise<void> => {
      await transaction.query(FOLLOW_PROJECTS, [ids, revisions]);
      await transaction.query(FOLLOW_DELETIONS, [deleted.map(({ projectId }) => projectId)]);
    };
    // A full disk prevents no start.
    await database.transaction(follow, { isUnhurried: true });
  }

  get #live(): readonly ProjectRecord[] {
    return [...this.#records.values()].filter(({ deletedAt }) => deletedAt === null);
  }
}

const KNOWN_PROJECTS = `select id from projects union all select project_id from erasures where user_key = ''`;

const ANY_PROJECT = `select 1 from projects union all select 1 from erasures where user_key = '' limit 1`;

// A project that is on no log, or is there in a state that the database does not know, is put there again.
const FOLLOW_PROJECTS = `
  update projects
  set on_log = null, log_revision = greatest(projects.log_revision, coalesce(found.revision, 0))
  from projects as known
  left join unnest($1::text[], $2::int8[]) as found (id, revision) using (id)
  where projects.id = known.id
    and (found.revision > projects.log_revision or (found.revision is null and projects.on_log is not null))`;

const FOLLOW_DELETIONS = `
  update erasures set is_on_log = not is_on_log where user_key = '' and is_on_log <> (project_id = any($1::text[]))`;

const NAMED_AT_MOST = 10;

function projectsLost(live: readonly ProjectRecord[]): TidemarkError {
  const names = live.slice(0, NAMED_AT_MOST).map(({ projectId, name }) => `${projectId} (${JSON.stringify(name)})`);
  const more = live.length > NAMED_AT_MOST ? ` and ${live.length - NAMED_AT_MOST} more` : '';
  const has = live.length === 0 ? 'messages' : `the projects ${names.join(', ')}${more}`;
  return new TidemarkError(
    'PROJECTS_LOST',
    `the event log has ${has}, and the database of PROFILES_URL has no project: is it the right one? Correct the setting or ` +
      'restore its backup. If it is lost, start once with RECOVER_PROJECTS=on: the projects are made again from the log, ' +
      'with new keys',
  );
}
