import { dayOf } from '../../messages/day-and-hour.ts';
import type { EventCuts } from '../projects/kept-events.ts';
import type { Query } from './analytics-store.ts';

/** A condition on rows of events: none on a day (UTC) of which its project may have deleted some. See `isAboutGone`. */
export function surelyKept(cuts: EventCuts): Query {
  if (cuts.size === 0) return { sql: '1', params: {} };
  return {
    sql: `toInt32(day) > transform(project_id, {cut_projects:Array(String)}, {cut_days:Array(Int32)}, toInt32(-100000))`,
    params: { cut_projects: [...cuts.keys()], cut_days: Array.from(cuts.values(), (cut) => Number(dayOf(cut))) },
  };
}
