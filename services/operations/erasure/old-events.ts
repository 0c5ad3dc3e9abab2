/** The events that a project no longer keeps: what would go, and the job that deletes them. */
import { commandInvalid, type CommandCall } from '../../runtime/command.ts';
import { microsAt, formatMicros } from '../../messages/timestamp.ts';
import type { Micros } from '../../messages/message.ts';
import type { Database } from '../../stores/database/database.ts';
import { LiveGenerations } from '../../stores/generations/live-generations.ts';
import { beginningOfDay, firstDayKept } from '../../stores/projects/kept-events.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { SqlProjectStore } from '../../stores/projects/sql-project-store.ts';
import { SqlAuditLog } from '../../stores/service-state/sql-audit-log.ts';
import type { QueryLimits, Whose } from '../../stores/analytics/analytics-store.ts';
import type { JobArguments, JobToStart } from '../jobs/job.ts';
import { countAnalytics, eraseAnalytics, reportingWaits, type RowsParts } from './erase-rows.ts';

// Nobody waits for the answer but an operator.
const COUNT_LIMITS: QueryLimits = { maxMs: 600_000, maxMemoryBytes: 4 * 2 ** 30, maxRowsRead: Number.MAX_SAFE_INTEGER };

/** What would go, as plain JSON. */
export interface OldEvents {
  /** The first whose events stay, in the project's zone. */
  readonly first_day: string;
  /** Each message once, of the generation that answers. */
  readonly events: number;
  /** People with such events. */
  readonly users: number;
  /** About how much of the disk is freed, in every generation. */
  readonly bytes: number;
}

/** What the job came to, as plain JSON. */
export interface DeletedEvents {
  readonly project: string;
  readonly first_day: string;
  readonly events: number;
  /** With copies, in every table of every generation. */
  readonly rows: number;
}

export async function oldEventsOf(
  parts: RowsParts,
  { id, timezone }: Pick<Project, 'id' | 'timezone'>,
  months: number,
): Promise<OldEvents> {
  const firstDay = firstDayKept(months, timezone);
  const whose = { projectId: id, eventsBefore: beginningOfDay(firstDay, timezone) };
  const [counted, tables] = [await countEvents(parts, whose), await countAnalytics(parts, whose)];
  return { first_day: firstDay, ...counted, bytes: tables.reduce((sum, { bytes = 0 }) => sum + bytes, 0) };
}

/**
 * The job `events delete`. May be interrupted at any point, and repeated. From its beginning on no reader of the log writes
 * these events to analytics, in any generation.
 *
 * @throws TidemarkError `COMMAND_INVALID` where the project keeps more by now; what the stores throw.
 */
export async function deleteOldEvents(
  parts: RowsParts,
  { project: id, first_day: firstDay }: JobArguments['events delete'],
  call: CommandCall,
): Promise<DeletedEvents> {
  const { database } = parts;
  const project = await new SqlProjectStore(database).findProject(id);
  const months = project?.keepEventsMonths ?? null;
  if (project === undefined || months === null || firstDay > firstDayKept(months, project.timezone))
    throw commandInvalid('The project keeps these events now.');
  const before = beginningOfDay(firstDay, project.timezone);
  const whose = { projectId: id, eventsBefore: before };
  await database.query(`update projects set events_from_us = greatest(events_from_us, $2::int8) where id = $1`, [
    id,
    before,
  ]);
  const { events } = await countEvents(parts, whose);
  const found = await eraseAnalytics(parts, whose, reportingWaits(call, { phase: 'stores', done: 0, unit: 'rows' }));
  const rows = found.reduce((sum, one) => sum + one.rows, 0);
  const result = { project: id, first_day: firstDay, events, rows };
  await noteDeleted(database, result, { before, jobId: call.job?.id ?? '' });
  return result;
}

/** From then on live audiences are evaluated anew. */
function noteDeleted(
  database: Database,
  deleted: DeletedEvents,
  { before, jobId }: { readonly before: Micros; readonly jobId: string },
): Promise<void> {
  return database.transaction(async (transaction) => {
    await transaction.query('update projects set events_gone_us = greatest(events_gone_us, $2::int8) where id = $1', [
      deleted.project,
      before,
    ]);
    await new SqlAuditLog(transaction).append({
      at: microsAt(Date.now()),
      principalId: 'service',
      principalName: null,
      source: null,
      action: 'events.delete',
      projectId: deleted.project,
      object: deleted.project,
      before: null,
      after: JSON.stringify({ ...deleted, events_from: formatMicros(before) }),
      requestId: jobId,
    });
  });
}

/** Each message once, and their users, of the generation that answers for the project. */
async function countEvents(
  { database, analytics }: RowsParts,
  { projectId, eventsBefore = 0n }: Whose,
): Promise<Pick<OldEvents, 'events' | 'users'>> {
  const number = await new LiveGenerations(database).numberOf('analytics', projectId);
  const { rows } = await (
    await analytics.ofGeneration(number)
  ).ask(
    {
      sql: `SELECT toString(count()) AS events, toString(uniqExact(user)) AS users FROM track_rows FINAL
            WHERE project_id = {project:String} AND toUnixTimestamp64Micro(timestamp) < {before:Int64}`,
      params: { project: projectId, before: String(eventsBefore) },
    },
    COUNT_LIMITS,
  );
  const [{ events, users } = { events: 0, users: 0 }] = rows;
  return { events: Number(events), users: Number(users) };
}

// A type: a query's row must be assignable to the port's `Record<string, unknown>`.
type DeletingProject = Pick<Project, 'id' | 'timezone'> & { readonly months: number; readonly gone: Micros | null };

/** The deletions that are due: a day of each project that does not keep its events for ever. */
export async function dueDeletions(database: Database): Promise<readonly JobToStart[]> {
  const projects = await database.query<DeletingProject>(
    `select id, timezone, keep_events_months as months, events_gone_us as gone from projects
     where keep_events_months is not null`,
  );
  return projects.flatMap(({ id, timezone, months, gone }) => {
    const firstDay = firstDayKept(months, timezone);
    const isDone = gone !== null && gone >= beginningOfDay(firstDay, timezone);
    return isDone ? [] : [{ kind: 'events delete', args: { project: id, first_day: firstDay } } as const];
  });
}
