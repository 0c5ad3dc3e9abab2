import { randomBytes } from 'node:crypto';
import type { CommandArguments, Progress } from '../../runtime/command.ts';
import type { ErrorCode } from '../../runtime/errors.ts';
import type { Database, Queryable, SqlValue } from '../../stores/database/database.ts';
import { IS_FREE, NEW_LEASE } from '../../stores/database/leases.ts';
import { NOW_MS, STATEMENT_MS } from '../../stores/database/sql-time.ts';
import {
  type DueJob,
  GO_ON,
  type Heartbeat,
  isFinished,
  type Job,
  type JobEnd,
  type JobFilter,
  type JobKind,
  type JobState,
  type JobTerms,
  type NewJob,
} from './job.ts';

// Longer than any pause of a process that still runs.
const JOB_LEASE_MS = 20_000;
/** How often a job may end with its process before nobody goes on with it by itself: it may be what ends the process. */
const MOST_RESTARTS = 3;
const KEPT_MS = 30 * 86_400_000;
const MOST_KEPT = 1_000;

/**
 * Jobs in the database of profiles. A job is leased to the process that runs it, by the database's clock. Methods throw
 * `STORE_UNAVAILABLE` if the store cannot answer.
 */
export class SqlJobStore {
  readonly #database: Database;
  readonly #leaseMs: number;

  constructor(database: Database, leaseMs = JOB_LEASE_MS) {
    this.#database = database;
    this.#leaseMs = leaseMs;
  }

  /** Adds a queued job, and removes those that ended long ago. @param token That of the lease. */
  add(job: NewJob, token: string): Promise<Job> {
    return this.#insert(this.#database, job, token);
  }

  /**
   * Begins a job where it is due by these terms, and no other with its arguments is under way. One that did not come to its end
   * is queued again, so that an outage leaves one job, however often it is tried.
   */
  addDue(job: NewJob, { everyMs, againAfterMs }: JobTerms, token: string): Promise<DueJob> {
    return this.#database.transaction(async (transaction) => {
      await transaction.query(DUE_LOCK);
      await interrupt(transaction, IS_FREE);
      const [row] = await transaction.query<JobRow & { readonly for_ms: bigint }>(lastWith(JOB_COLUMNS), [
        job.kind,
        JSON.stringify(job.args),
      ]);
      if (row === undefined) return { job: await this.#insert(transaction, job, token), isBegun: true };
      const last = toJob(row);
      const isDue = isFinished(last) && Number(row.for_ms) >= (last.state === 'done' ? everyMs : againAfterMs);
      if (!isDue) return { job: last, isBegun: false };
      const again = last.state === 'done' ? undefined : await this.#requeue(transaction, 'id = $3', token, [last.id]);
      return { job: again ?? (await this.#insert(transaction, job, token)), isBegun: true };
    });
  }

  /** Newest first. */
  async list(limit: number, { kind, state, after }: JobFilter = {}): Promise<readonly Job[]> {
    await interrupt(this.#database, IS_FREE);
    const rows = await this.#database.query<JobRow>(
      `select ${JOB_COLUMNS} from jobs
       where ($1::text is null or kind = $1) and ($2::text is null or state = $2)
         and ($3::int8 is null or (created_at_ms, id) < ($3, $4))
       order by created_at_ms desc, id desc
       limit $5::int4`,
      [kind ?? null, state ?? null, after === undefined ? null : BigInt(after.createdAtMs), after?.id ?? '', limit],
    );
    return rows.map(toJob);
  }

  async find(id: string): Promise<Job | undefined> {
    await interrupt(this.#database, IS_FREE);
    const [row] = await this.#database.query<JobRow>(`select ${JOB_COLUMNS} from jobs where id = $1`, [id]);
    return row && toJob(row);
  }

  /** Queues a job again that has not come to its end; undefined where it has, or has not ended, or is not there. */
  async restart(id: string, token: string): Promise<Job | undefined> {
    await interrupt(this.#database, IS_FREE);
    return this.#requeue(this.#database, 'id = $3', token, [id]);
  }

  /** Queues a job of one of these kinds that another process left; undefined where nobody left one. */
  async takeUp(kinds: readonly JobKind[], token: string): Promise<Job | undefined> {
    await interrupt(this.#database, IS_FREE);
    const left = `id = (select id from jobs where state = 'interrupted' and restarts_left > 0 and kind = any ($3::text[])
                        order by created_at_ms limit 1 for update skip locked)`;
    return this.#requeue(this.#database, left, token, [kinds]);
  }

  /** For a database that one process has alone: no job of a process before can be running. A full disk does not prevent it. */
  async interruptAll(): Promise<void> {
    await this.#database.transaction((transaction) => interrupt(transaction, 'true'), { isUnhurried: true });
  }

  /** Asks whoever runs an unfinished job to end it. Nobody goes on with it by itself. */
  async requestCancel(id: string): Promise<void> {
    await this.#database.query(`update jobs set cancel_requested = ${UNFINISHED}, restarts_left = 0 where id = $1`, [
      id,
    ]);
  }

  /** Renews the leases of these jobs. Returns the ids of those that are to end: they are to be cancelled, or are another's now. */
  async beat(jobs: readonly Heartbeat[]): Promise<readonly string[]> {
    const rows = await this.#database.query<{ readonly id: string }>(
      `update jobs
       set state = given.state, progress = given.progress, rate = given.rate, claimed_until_ms = ${NOW_MS} + $6::int8,
           started_at_ms = case when given.state = 'running' then coalesce(started_at_ms, ${NOW_MS}) end
       from unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::text[]) as given (id, state, progress, rate, token)
       where jobs.id = given.id and jobs.${UNFINISHED} and claim = given.token
       returning case when not cancel_requested then jobs.id end as id`,
      [
        jobs.map(({ id }) => id),
        jobs.map(({ state }) => state),
        jobs.map(({ progress }) => (progress === null ? null : JSON.stringify(progress))),
        jobs.map(({ rate }) => rate),
        jobs.map(({ token }) => token),
        this.#leaseMs,
      ],
    );
    const going = new Set(rows.map(({ id }) => id));
    return jobs.flatMap(({ id }) => (going.has(id) ? [] : [id]));
  }

  /** Changes nothing where the job is another's now. */
  async finish(id: string, { state, result, failure, progress, rate }: JobEnd, token: string): Promise<void> {
    await this.#database.query(
      `update jobs
       set state = $2, result = $3, failure_code = $4, failure = $5, progress = $6, rate = $7,
           finished_at_ms = ${NOW_MS}, started_at_ms = coalesce(started_at_ms, created_at_ms)
       where id = $1 and ${UNFINISHED} and claim = $8`,
      [
        id,
        state,
        result,
        failure?.code ?? null,
        failure?.message ?? null,
        progress === null ? null : JSON.stringify(progress),
        rate,
        token,
      ],
    );
  }

  async #insert(database: Queryable, { kind, args, principal }: NewJob, token: string): Promise<Job> {
    await database.query(REMOVE_OLD, [KEPT_MS, MOST_KEPT]);
    const id = `job_${randomBytes(10).toString('hex')}`;
    const [row] = await database.query<JobRow>(
      `insert into jobs (id, kind, args, principal, state, claim, claimed_until_ms, created_at_ms, restarts_left)
       values ($1, $2, $3, $4, 'queued', $5, ${STATEMENT_MS} + $6::int8, ${STATEMENT_MS}, $7::int4)
       returning ${JOB_COLUMNS}`,
      [id, kind, JSON.stringify(args), principal, token, this.#leaseMs, GO_ON.includes(kind) ? MOST_RESTARTS : 0],
    );
    if (row === undefined) throw new Error('no row came back');
    return toJob(row);
  }

  /** @param which The values are those from `$3` on. */
  async #requeue(
    database: Queryable,
    which: string,
    token: string,
    values: readonly SqlValue[],
  ): Promise<Job | undefined> {
    const [row] = await database.query<JobRow>(
      `update jobs
       set state = 'queued', ${NEW_LEASE}, cancel_requested = false, rate = null, started_at_ms = null, finished_at_ms = null
       where ${which} and state in ('failed', 'cancelled', 'interrupted')
       returning ${JOB_COLUMNS}`,
      [token, this.#leaseMs, ...values],
    );
    return row && toJob(row);
  }
}

/** Jobs whose process has ended without a word. @param which SQL, for those that have not ended. */
async function interrupt(database: Queryable, which: string): Promise<void> {
  await database.query(
    `update jobs
     set state = 'interrupted', finished_at_ms = ${NOW_MS}, restarts_left = greatest(0, restarts_left - 1),
         failure_code = 'STOPPING', failure = 'The process that ran the job has ended.'
     where ${UNFINISHED} and ${which}`,
  );
}

const UNFINISHED = `state in ('queued', 'running')`;

// An arbitrary number that no other program uses for an advisory lock in this database.
const DUE_LOCK = 'select pg_advisory_xact_lock(7418321993)::text';

/** For `JOB_COLUMNS`: the last of this kind that has these arguments, and how long ago it began or, if it failed, ended. */
const lastWith = (columns: string): string => `
  select ${columns}, ${NOW_MS} - case when state = 'done' then coalesce(started_at_ms, created_at_ms) else finished_at_ms end as for_ms
  from jobs
  where kind = $1 and args::jsonb @> $2::jsonb
  order by created_at_ms desc, id desc
  limit 1`;

/** Verifications that the service does by itself. */
export const BY_SCHEDULE = `kind = 'verify' and args::jsonb ? 'hours'`;

/** What it does every hour: jobs before the last would push out what others have started. */
const HOURLY = `(${BY_SCHEDULE} or kind = 'stores measure')`;

/** The last of each that the service has to know, however long ago it was. */
const LASTS = `
  select distinct on (kind, args::jsonb ->> 'folder') id from jobs
  where state = 'done' and (kind = 'backup' or ${HOURLY})
  order by kind, args::jsonb ->> 'folder', finished_at_ms desc`;

const REMOVE_OLD = `
  delete from jobs
  where not ${UNFINISHED} and id not in (${LASTS})
    and (finished_at_ms < ${NOW_MS} - $1::int8 or ${HOURLY}
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
