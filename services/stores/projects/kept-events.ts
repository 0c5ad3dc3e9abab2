/**
 * For how long a project keeps events. Older ones, by their own time, are deleted from analytics and not copied there again;
 * the log and profiles keep what they have.
 */
import { Temporal } from 'temporal-polyfill';
import { dayOf } from '../../messages/day-and-hour.ts';
import type { Message, Micros } from '../../messages/message.ts';
import type { Queryable } from '../database/database.ts';
import type { Project } from './project-store.ts';

/** By project: the instant before which its events are gone. */
export type EventCuts = ReadonlyMap<string, Micros>;

export const NO_CUTS: EventCuts = new Map();

/** A number of months, from a text such as `13mo`. */
export function monthsOf(text: string): number {
  return Number.parseInt(text, 10);
}

export function formatMonths(months: number | null): string | null {
  return months === null ? null : `${months}mo`;
}

/** The first day whose events stay, as `YYYY-MM-DD` in the project's zone: the same day of the month. */
export function firstDayKept(months: number, timezone: string, nowMs = Date.now()): string {
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timezone).toPlainDate();
  return today.subtract({ months }).toString();
}

/** When that day begins. */
export function beginningOfDay(day: string, timezone: string): Micros {
  return BigInt(Temporal.PlainDate.from(day).toZonedDateTime(timezone).epochMilliseconds) * 1000n;
}

/** The first instant whose events a project keeps, and its day there; undefined where it keeps all. */
export function keptFrom(
  { timezone, keepEventsMonths: months, eventsFrom }: Pick<Project, 'timezone' | 'keepEventsMonths' | 'eventsFrom'>,
  nowMs: number,
): { readonly from: Micros; readonly day: string } | undefined {
  const wanted = months === null ? null : beginningOfDay(firstDayKept(months, timezone, nowMs), timezone);
  if (wanted === null && eventsFrom === null) return undefined;
  const from = eventsFrom === null || (wanted ?? eventsFrom) > eventsFrom ? (wanted ?? 0n) : eventsFrom;
  const at = Temporal.Instant.fromEpochMilliseconds(Number(from / 1000n));
  return { from, day: at.toZonedDateTimeISO(timezone).toPlainDate().toString() };
}

/** Whether it is an event that its project no longer keeps. */
export function isGone(cuts: EventCuts, message: Message): boolean {
  if (cuts.size === 0 || message.type !== 'track') return false;
  const cut = cuts.get(message.projectId);
  return cut !== undefined && message.timestamp < cut;
}

/**
 * Whether it need not be the same in two copies of analytics: it is gone, or on the day (UTC) up to which events are. Copies of
 * one message on one day are one event, whichever of them was deleted.
 */
export function isAboutGone(cuts: EventCuts, message: Message): boolean {
  if (cuts.size === 0 || message.type !== 'track') return false;
  const cut = cuts.get(message.projectId);
  return cut !== undefined && dayOf(message.timestamp) <= dayOf(cut);
}

/** @throws TidemarkError `STORE_UNAVAILABLE`. */
export async function readEventCuts(database: Queryable): Promise<EventCuts> {
  const rows = await database.query<{ readonly id: string; readonly cut: bigint }>(
    'select id, events_from_us as cut from projects where events_from_us is not null',
  );
  return rows.length === 0 ? NO_CUTS : new Map(rows.map(({ id, cut }) => [id, cut]));
}
