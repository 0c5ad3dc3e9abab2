import { setTimeout as delay } from 'node:timers/promises';
import type { EventLog, LogCoordinates } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import { PROJECT_TOPIC, type ProjectRecord } from '../../messages/message.ts';
import type { Logger } from '../../runtime/logger.ts';
import { Looking } from '../../runtime/looking.ts';
import type { Database } from '../../stores/database/database.ts';
import { NO_LIMITS } from '../../stores/projects/project-store.ts';
import { type LogAndCodec, readProjects } from './read-projects.ts';

export interface ProjectWriterParts {
  readonly log: Pick<EventLog, 'append' | 'check'>;
  readonly codec: Pick<Codec, 'encodeProject'>;
  readonly database: Database;
  readonly logger: Pick<Logger, 'debug'>;
  readonly everyMs?: number;
}

const EVERY_MS = 2_000;
const LAST_WITHIN_MS = 2_000;

/**
 * Puts projects and their deletions on the log. Whoever creates, changes or deletes one writes to the database alone, so
 * that it can be done while the log is unavailable; what differs from what is on the log is put there afterwards, until it
 * is. A record may be there twice. Any number of processes may do this at once.
 */
export class ProjectWriter {
  readonly #parts: ProjectWriterParts;
  readonly #looking: Looking;

  constructor(parts: ProjectWriterParts) {
    this.#parts = parts;
    const { everyMs = EVERY_MS, logger } = parts;
    const cannot = 'projects cannot be put on the log';
    this.#looking = new Looking({ look: () => this.write(), everyMs, cannot, logger, level: 'debug' });
  }

  /** What cannot be written now is written the next time. */
  start(): void {
    this.#looking.start();
  }

  /** What was written last goes along, where the log takes it within two seconds. Idempotent. */
  async stop(): Promise<void> {
    await this.#looking.stop();
    const last = this.write().catch((err: unknown) =>
      this.#parts.logger.debug({ err }, 'projects are left to be put on the log'),
    );
    await Promise.race([last, delay(LAST_WITHIN_MS, undefined, { ref: false })]);
  }

  /** @throws TidemarkError `LOG_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
  async write(): Promise<void> {
    const { log, database } = this.#parts;
    if ((await database.query(ANY)).length === 0) return;
    await log.check();
    await this.#writeProjects();
    await this.#writeDeletions();
  }

  async #writeProjects(): Promise<void> {
    const { database } = this.#parts;
    const rows = await database.query<ProjectRow>(CLAIM);
    await appendProjects(this.#parts, rows.map(recordOf));
    // One that was changed or claimed since has a higher revision, and its turn comes.
    await database.query(CONFIRM, [
      rows.map(({ id }) => id),
      rows.map(({ log_revision: revision }) => revision),
      rows.map(({ state }) => state),
    ]);
  }

  async #writeDeletions(): Promise<void> {
    const { database } = this.#parts;
    const rows = await database.query<DeletedRow>(
      `select project_id as id, project_name as name, requested_at_us as "deletedAt" ${NOT_ON_LOG}`,
    );
    await appendProjects(this.#parts, rows.map(deletionOf));
    await database.query(ON_LOG, [rows.map(({ id }) => id)]);
  }
}

/**
 * Puts what the log says of each project there once more. Resolves with where it said so before: nobody needs records
 * before these offsets any more.
 *
 * @throws TidemarkError as `readProjects`, and as `EventLog.append`.
 */
export async function repeatProjects(
  parts: LogAndCodec & Pick<ProjectWriterParts, 'log' | 'codec'>,
): Promise<readonly LogCoordinates[]> {
  const ends = await parts.log.ends([PROJECT_TOPIC]);
  await appendProjects(parts, [...(await readProjects(parts)).values()]);
  return ends;
}

async function appendProjects(
  { log, codec }: Pick<ProjectWriterParts, 'log' | 'codec'>,
  projects: readonly ProjectRecord[],
): Promise<void> {
  if (projects.length === 0) return;
  await log.append(
    projects.map((project) => ({
      topic: PROJECT_TOPIC,
      key: Buffer.from(project.projectId),
      value: codec.encodeProject(project),
    })),
  );
}

// Everything of a project that is on the log, as text.
const STATE =
  'jsonb_build_array(name, timezone, rate_limit, rate_limit_bytes, query_max_ms, query_max_memory_bytes, query_max_rows)::text';

const NOT_ON_LOG = `from erasures where user_key = '' and not is_on_log`;

const ON_LOG = `update erasures set is_on_log = true where user_key = '' and project_id = any($1::text[])`;

// Reading alone, so that a full disk does not prevent it.
const ANY = `
  select 1 from projects where on_log is distinct from ${STATE}
  union all
  select 1 ${NOT_ON_LOG}
  limit 1`;

// The row is locked meanwhile: of two states of a project, the later one has the higher revision, in whatever order
// their records are appended.
const CLAIM = `
  update projects set log_revision = log_revision + 1
  where on_log is distinct from ${STATE}
  returning id, name, timezone, rate_limit, rate_limit_bytes, query_max_ms, query_max_memory_bytes, query_max_rows,
            created_at_ms, log_revision, ${STATE} as state`;

const CONFIRM = `
  update projects set on_log = written.state
  from unnest($1::text[], $2::int8[], $3::text[]) as written (id, revision, state)
  where projects.id = written.id and projects.log_revision = written.revision`;

// Types, not interfaces: a query's row must be assignable to the port's `Record<string, unknown>`.
type ProjectRow = {
  id: string;
  name: string;
  timezone: string;
  rate_limit: number | null;
  rate_limit_bytes: bigint | null;
  query_max_ms: bigint | null;
  query_max_memory_bytes: bigint | null;
  query_max_rows: bigint | null;
  created_at_ms: bigint;
  log_revision: bigint;
  state: string;
};

type DeletedRow = { id: string; name: string; deletedAt: bigint };

function recordOf(row: ProjectRow): ProjectRecord {
  return {
    projectId: row.id,
    name: row.name,
    timezone: row.timezone,
    rateLimit: row.rate_limit,
    rateLimitBytes: row.rate_limit_bytes,
    queryMaxMs: row.query_max_ms,
    queryMaxMemoryBytes: row.query_max_memory_bytes,
    queryMaxRows: row.query_max_rows,
    createdAt: row.created_at_ms * 1_000n,
    revision: row.log_revision,
    deletedAt: null,
  };
}

function deletionOf({ id, name, deletedAt }: DeletedRow): ProjectRecord {
  return {
    ...NO_LIMITS,
    rateLimit: null,
    projectId: id,
    name,
    timezone: null,
    createdAt: null,
    revision: 0n,
    deletedAt,
  };
}
