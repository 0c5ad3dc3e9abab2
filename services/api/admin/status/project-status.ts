/** `GET /v1/status`: how a project is, for whoever may read it. */
import type { Answer as Body } from '../../../../schemas/operations.ts';
import type { Answer } from '../../../http/route.ts';
import { beginningOfHour } from '../../../messages/day-and-hour.ts';
import { formatMicros, formatMs } from '../../../messages/timestamp.ts';
import { type InstallationStatus, unwellAttention, waitingAttention } from './attention.ts';
import type { DeadLetterCounts } from '../../../operations/dead-letters/waiting-dead-letters.ts';
import type { ProjectFigures, SqlStoreFigures } from '../../../operations/status/store-figures.ts';

export type ProjectStatus = Body<'GET /v1/status'>;

interface OfAll {
  /** The same for every project. */
  readonly readers: InstallationStatus['readers'];
  /** Those that wait; undefined where that is not known. */
  readonly letters: DeadLetterCounts | undefined;
}

export async function answerProjectStatus(
  known: Pick<SqlStoreFigures, 'ofProject'>,
  projectId: string,
  ofAll: Promise<OfAll>,
): Promise<Answer> {
  const [figures, { readers, letters }] = await Promise.all([known.ofProject(projectId).catch(() => undefined), ofAll]);
  const status: ProjectStatus = {
    hours:
      figures?.hours.map(({ hour, ...counts }) => ({ hour: formatMicros(beginningOfHour(hour)), ...counts })) ?? null,
    refused_today: figures?.refusedToday ?? null,
    refused_yesterday: figures?.refusedYesterday ?? null,
    refused_days: figures?.refusedDays ?? null,
    lag_seconds: { profiles: readers.projector.lag_seconds, analytics: readers.sink.lag_seconds },
    ...(figures === undefined ? {} : { verification: foundIn(figures) }),
    moved_audiences: figures?.movedAudiences ?? null,
    attention:
      figures === undefined
        ? null
        : [...waitingAttention(projectId, letters?.byProject[projectId]), ...unwellAttention(figures.unwell)],
  };
  return { status: 200, body: JSON.stringify(status) };
}

function foundIn({ verification }: ProjectFigures): NonNullable<ProjectStatus['verification']> | null {
  if (verification === null) return null;
  const { finishedAtMs, hours, different, untilMs } = verification;
  return {
    finished_at: formatMs(finishedAtMs),
    hours_compared: hours,
    hours_different: different,
    compared_until: formatMs(untilMs),
  };
}
