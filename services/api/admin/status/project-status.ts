/** `GET /v1/status`: how a project is, for whoever may read it. */
import type { Call } from '../../../http/call.ts';
import type { Answer } from '../../../http/route.ts';
import { beginningOfHour } from '../../../messages/day-and-hour.ts';
import { formatMicros, formatMs } from '../../../messages/timestamp.ts';
import { type Attention, type InstallationStatus, unwellAttention, waitingAttention } from './attention.ts';
import type { DeadLetterCounts } from '../../../operations/dead-letters/waiting-dead-letters.ts';
import type { ProjectFigures, SqlStoreFigures } from '../../../operations/status/store-figures.ts';

/** The body of the answer. Null is what cannot be found out now. */
export interface ProjectStatus {
  /** Newest first, those without messages left out: what profiles have counted of them so far. */
  readonly hours: readonly { readonly hour: string; readonly messages: number; readonly repeats: number }[] | null;
  readonly refused_today: number | null;
  readonly refused_yesterday: number | null;
  /** The last seven days, the oldest first. */
  readonly refused_days: readonly number[] | null;
  readonly lag_seconds: { readonly profiles: number | null; readonly analytics: number | null };
  /** Null before the first. */
  readonly verification?: {
    readonly finished_at: string;
    readonly hours_compared: number;
    readonly hours_different: number;
    readonly compared_until: string;
  } | null;
  readonly moved_audiences: ProjectFigures['movedAudiences'] | null;
  readonly attention: readonly Attention[] | null;
}

export interface ProjectStatusParts {
  readonly figures: Pick<SqlStoreFigures, 'ofProject'>;
  /** The same for every project. */
  readonly readers: () => Promise<InstallationStatus['readers']>;
  /** Those that wait; undefined where that is not known. */
  readonly letters: () => Promise<DeadLetterCounts | undefined>;
}

export async function answerProjectStatus(parts: ProjectStatusParts, call: Pick<Call, 'project'>): Promise<Answer> {
  const { id } = call.project;
  const [figures, readers, letters] = await Promise.all([
    parts.figures.ofProject(id).catch(() => undefined),
    parts.readers(),
    parts.letters(),
  ]);
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
        : [...waitingAttention(id, letters?.byProject[id]), ...unwellAttention(figures.unwell)],
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
