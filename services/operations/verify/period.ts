import { beginningOfHour, type Hour } from '../../messages/day-and-hour.ts';
import type { Micros } from '../../messages/message.ts';

/** The messages to verify: those that arrived within whole hours, of one project or of all. */
export interface Period {
  /** The first hour; undefined to begin with the first message. */
  readonly since?: Hour | undefined;
  /** The hour after the last; undefined for no end. */
  readonly until?: Hour | undefined;
  readonly projectId?: string | undefined;
}

export function holds({ since, until, projectId }: Period, project: string, hour: Hour): boolean {
  return isWithin({ since, until }, hour) && (projectId === undefined || projectId === project);
}

function isWithin({ since = -Infinity, until = Infinity }: Period, hour: Hour): boolean {
  return hour >= since && hour < until;
}

/** The instants between which the messages of a period arrived, if it has a beginning and an end. */
export function instantsOf({ since, until }: Period): { readonly from?: Micros; readonly to?: Micros } {
  return {
    ...(since !== undefined && { from: beginningOfHour(since) }),
    ...(until !== undefined && { to: beginningOfHour(until) }),
  };
}
