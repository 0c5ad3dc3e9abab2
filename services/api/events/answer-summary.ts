/** `GET /v1/summary` */
import { contextOf } from '../query.ts';
import type { Call } from '../../http/call.ts';
import type { Answer } from '../../http/route.ts';
import type { Answer as Documented } from '../../../schemas/operations.ts';
import { DAY_MICROS } from '../../messages/day-and-hour.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { SUMMARY_HOURS, type Summaries } from '../../questions/events/summary.ts';

const HOUR_MICROS = DAY_MICROS / 24n;

export async function answerSummary(summaries: Summaries, { project }: Pick<Call, 'project'>): Promise<Answer> {
  const { from, to, events, activeUsers, newUsers, hours, topEvents } = await summaries.of(
    project,
    contextOf(project).now,
  );
  const body: Documented<'GET /v1/summary'> = {
    from: formatMicros(from),
    to: formatMicros(to),
    events,
    active_users: activeUsers,
    new_users: newUsers,
    hours: Array.from({ length: SUMMARY_HOURS }, (_, hour) => ({
      start: formatMicros(from + BigInt(hour) * HOUR_MICROS),
      count: hours[hour]?.count ?? 0,
      before: hours[hour]?.before ?? 0,
    })),
    top_events: topEvents,
  };
  return { status: 200, body: JSON.stringify(body) };
}
