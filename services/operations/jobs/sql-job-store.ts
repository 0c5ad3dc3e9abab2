import { randomBytes } from 'node:crypto';
import type { CommandArguments, Progress } from '../../runtime/command.ts';
import type { ErrorCode } from '../../runtime/errors.ts';
import type { Database, Queryable } from '../../stores/database/database.ts';
import { NOW_MS, STATEMENT_MS } from '../../stores/database/sql-time.ts';
import type { Heartbeat, Job, JobEnd, JobFilter, JobState, NewJob } from './job.ts';

// Longer than any pause of a process that lives.
const OWNER_DEAD_AFTER_MS = 20_000;
const KEPT_MS = 30 * 86_400_000;
const MOST_KEPT = 1_000;

/**
 * Jobs in the database of profiles. Times are those of the database's clock. Methods throw `STORE_UNAVAILABLE` if the store
 * cannot answer.
 */
export class SqlJobStore {
  readonly #database: Database;
  readonly #ownerDeadAfterMs: number;

  constructor(database: Database, ownerDeadAfterMs = OWNER_DEAD_AFTER_MS) {
    this.#database = database;
    this.#ownerDeadAfterMs = ownerDeadAfterMs;
  }

  /** Adds a queued job, and removes those that ended long ago. @param owner The process that runs it. */
  async add({ kind, args, principal }: NewJob, owner: string): Promise<Job> {
    await this.#database.query(REMOVE_OLD, [KEPT_MS, MOST_KEPT]);
    const id = `job_${randomBytes(10).toString('hex')}`;
    const [row] = await this.#database.query<JobRow>(
      `insert into jobs (id, kind, args, principal, state, owner, created_at_ms, heartbeat_at_ms)
       values ($1, $2, $3, $4, 'queued', $5, ${STATEMENT_MS}, ${STATEMENT_MS})
       returning ${JOB_COLUMNS}`,
      [id, kind, JSON.stringify(args), principal, owner],
    );
    if (row === undefined) throw new Error('no row came back');
    return toJob(row);
  }

  /** Newest first. */
  async list(limit: number, { kind, args, state, after }: JobFilter = {}): Promise<readonly Job[]> {
    await this.#noteInterrupted();
    const rows = await this.#database.query<JobRow>(
      `select ${JOB_COLUMNS} from jobs
       where ($1::text is null or kind = $1) and ($2::text is null or state = $2)
         and ($3::int8 is null or (created_at_ms, id) < ($3, $4)) and ($5::text is null or args = $5)
       order by created_at_ms desc, id desc
       limit $6::int4`,
      [
        kind ?? null,
        state ?? null,
        after === undefined ? null : BigInt(after.createdAtMs),
        after?.id ?? '',
        args === undefined ? null : JSON.stringify(args),
        limit,
      ],
    );
    return rows.map(toJob);
  }

  async find(id: string): Promise<Job | undefined> {
    await this.#noteInterrupted();
    const [row] = await this.#database.query<JobRow>(`select ${JOB_COLUMNS} from jobs where id = $1`, [id]);
    return row && toJob(row);
  }

  /** Queues a job again that has not come to its end; undefined where it has, or has not ended, or is not there. */
  async restart(id: string, owner: string): Promise<Job | undefined> {
    await this.#noteInterrupted();
    const [row] = await this.#database.query<JobRow>(
      `update jobs
       set state = 'queued', owner = $2, cancel_requested = false, heartbeat_at_ms = ${NOW_MS}, rate = null,
           started_at_ms = null, finished_at_ms = null
       where id = $1 and state in ('failed', 'cancelled', 'interrupted')
       returning ${JOB_COLUMNS}`,
      [id, owner],
    );
    return row && toJob(row);
  }

  /** For a database that one process has alone: no job of a process before can be running. A full disk does not prevent it. */
  async interruptAll(): Promise<void> {
    await this.#database.transaction((transaction) => interrupt(transaction, 0), { isUnhurried: true });
  }

  /** Asks the owner of an unfinished job to end it. */
  async requestCancel(id: string): Promise<void> {
    await this.#database.query(`update jobs set cancel_requested = true where id = $1 and ${UNFINISHED}`, [id]);
  }

  /** Says that these jobs live, and returns the ids of those that are to be cancelled. */
  async beat(jobs: readonly Heartbeat[]): Promise<readonly string[]> {
    const rows = await this.#database.query<{ readonly id: string }>(
      `update jobs
       set state = given.state, progress = given.progress, rate = given.rate, heartbeat_at_ms = ${NOW_MS},
           started_at_ms = case when given.state = 'running' then coalesce(started_at_ms, ${NOW_MS}) end
       from unnest($1::text[], $2::text[], $3::text[], $4::float8[]) as given (id, state, progress, rate)
       where jobs.id = given.id and jobs.${UNFINISHED}
       returning case when cancel_requested then jobs.id end as id`,
      [
        jobs.map(({ id }) => id),
        jobs.map(({ state }) => state),
        jobs.map(({ progress }) => (progress === null ? null : JSON.stringify(progress))),
        jobs.map(({ rate }) => rate),
      ],
    );
    return rows.map(({ id }) => id).filter((id) => id !== null);
  }

  async finish(id: string, { state, result, failure, progress, rate }: JobEnd): Promise<void> {
    await this.#database.query(
      `update jobs
       set state = $2, result = $3, failure_code = $4, failure = $5, progress = $6, rate = $7,
           finished_at_ms = ${NOW_MS}, started_at_ms = coalesce(started_at_ms, created_at_ms)
       where id = $1 and ${UNFINISHED}`,
      [
        id,
        state,
        result,
        failure?.code ?? null,
        failure?.message ?? null,
        progress === null ? null : JSON.stringify(progress),
        rate,
      ],
    );
  }

  /** A job whose owner has died without a word. */
  #noteInterrupted(): Promise<void> {
    return interrupt(this.#database, this.#ownerDeadAfterMs);
  }
}

async function interrupt(database: Queryable, silentForMs: number): Promise<void> {
  await database.query(
    `update jobs
     set state = 'interrupted', finished_at_ms = ${NOW_MS},
         failure_code = 'STOPPING', failure = 'The process that ran the job has ended.'
     where ${UNFINISHED} and heartbeat_at_ms <= ${NOW_MS} - $1::int8`,
    [silentForMs],
  );
}

const UNFINISHED = `state in ('queued', 'running')`;

const REMOVE_OLD = `
  delete from jobs
  where not ${UNFINISHED}
    and (finished_at_ms < ${NOW_MS} - $1::int8
         or id in (select id from jobs where not ${UNFINISHED} order by created_at_ms desc, id desc offset $2::int4 - 1))`;

/** One that runs again keeps why it failed before, which is not its own until it has ended. */
const JOB_COLUMNS = `id, kind, args, principal, state, progress, rate, result, created_at_ms, started_at_ms, finished_at_ms,
  case when not ${UNFINISHED} then failure_code end as failure_code, case when not ${UNFINISHED} then failure end as failure`;

interface JobRow {
  readonly id: string;
  readonly kind: string;
  readonly args: string;
  readonly principal: string;
  readonly state: JobState;
  readonly progress: string | null;
  readonly rate: number | null;
  readonly result: string | null;
  readonly failure_code: ErrorCode | null;
  readonly failure: string | null;
  readonly created_at_ms: bigint;
  readonly started_at_ms: bigint | null;
  readonly finished_at_ms: bigint | null;
}

function toJob({ failure_code: code, failure: message, ...row }: JobRow): Job {
  const { id, kind, principal, state, rate, result } = row;
  return {
    id,
    kind,
    args: JSON.parse(row.args) as CommandArguments,
    principal,
    state,
    progress: row.progress === null ? null : (JSON.parse(row.progress) as Progress),
    rate,
    result,
    failure: message === null ? null : { ...(code !== null && { code }), message },
    createdAtMs: Number(row.created_at_ms),
    startedAtMs: row.started_at_ms === null ? null : Number(row.started_at_ms),
    finishedAtMs: row.finished_at_ms === null ? null : Number(row.finished_at_ms),
  };
}
