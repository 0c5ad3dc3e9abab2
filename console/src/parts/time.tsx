/** Instants: relative, with the exact one in the zone that the reader chose on hover and focus. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { project } from '../api/session.ts';
import { stored } from '../api/stored.ts';

/** The zone that exact instants are shown in: `project`, `utc` or `local`. */
export const zoneChoice = stored('zone', 'project');

const LOCAL_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function zoneOf(choice: string): string {
  if (choice === 'utc') return 'UTC';
  return choice === 'local' ? LOCAL_ZONE : (project.value?.timezone ?? 'UTC');
}

/** The present, moved on now and then: what is shown relative to it follows. */
const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 5_000);

interface AgoProps {
  /** RFC 3339. */
  readonly at: string;
  /** Within a link or a button, which has the focus itself. */
  readonly isPlain?: boolean;
}

/** `3 minutes ago`, and the exact instant on hover and focus. */
export function Ago({ at, isPlain = false }: AgoProps) {
  const [isExact, setExact] = useState(false);
  const exact = exactTime(at, zoneOf(zoneChoice.value));
  const show = isPlain ? {} : { tabIndex: 0, onFocus: () => setExact(true), onBlur: () => setExact(false) };
  return (
    <time dateTime={at} title={exact} {...show}>
      {isExact ? exact : agoText(Date.parse(at), Math.max(now.value, Date.now()))}
    </time>
  );
}

/** `15:00`, in the zone that the reader chose. */
export function clockText(at: string): string {
  return formatted('minute', zoneOf(zoneChoice.value)).format(Date.parse(at));
}

/** `15:00` today, `13 Nov 2026, 15:00` before. */
export function minuteText(at: string): string {
  const zone = zoneOf(zoneChoice.value);
  const isToday = dayIn(at, zone) === dayIn(new Date(now.value).toISOString(), zone);
  return isToday ? clockText(at) : dayAndMinute(at);
}

interface ClockProps {
  readonly at: string;
  /** Where its day is said already. */
  readonly isOfDay?: boolean;
}

/** What is older is told to the second. */
const FRESH_MS = 60_000;

/** `14:01:18.123` within a minute, `14:01:18` today, `13 Nov, 14:01` before; the exact instant on hover. */
export function Clock({ at, isOfDay = false }: ClockProps) {
  const zone = zoneOf(zoneChoice.value);
  const today = dayIn(new Date(now.value).toISOString(), zone);
  const day = dayIn(at, zone);
  // `13 Nov 2026` of this year is `13 Nov`.
  const shortDay = day.endsWith(today.slice(-5)) ? day.slice(0, -5) : day;
  const isToday = isOfDay || day === today;
  const isFresh = isToday && !isOfDay && now.value - Date.parse(at) < FRESH_MS;
  return (
    <time class="clock" dateTime={at} title={exactTime(at, zone)}>
      {isToday ? formatted('time', zone).format(Date.parse(at)) : `${shortDay}, `}
      {isFresh && <span class="quiet">.{fractionOf(at).slice(0, 3)}</span>}
      {!isToday && <span class="quiet">{formatted('minute', zone).format(Date.parse(at))}</span>}
    </time>
  );
}

/** `24 Nov 2026, 14:01:18.123456 UTC`, in the zone that the reader chose unless another is given. */
export function exactTime(at: string, zone = zoneOf(zoneChoice.value)): string {
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) return at;
  return `${formatted('day', zone).format(instant)}, ${formatted('time', zone).format(instant)}.${fractionOf(at)} ${zone}`;
}

/** `24 Nov, 14:01`; the day alone where that is enough. */
export function shortTime(atMs: number, zone: string, isDay = false): string {
  const day = formatted('day', zone)
    .format(atMs)
    .replace(/ \d{4}$/, '');
  return isDay ? day : `${day}, ${formatted('minute', zone).format(atMs)}`;
}

/** `13 Nov 2026, 15:00`, in the zone that the reader chose. */
export function dayAndMinute(at: string): string {
  return `${dayIn(at, zoneOf(zoneChoice.value))}, ${clockText(at)}`;
}

/** `13 Nov 2026` */
export function dayIn(at: string, zone: string): string {
  return formatted('day', zone).format(Date.parse(at));
}

/** The six digits below the second, from the text: a Date has three. */
function fractionOf(at: string): string {
  return (/\.(\d+)/.exec(at)?.[1] ?? '').padEnd(6, '0').slice(0, 6);
}

const STYLES = {
  day: { day: 'numeric', month: 'short', year: 'numeric' },
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  minute: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

// Making one takes a hundred times as long as using it.
const formats = new Map<string, Intl.DateTimeFormat>();

function formatted(style: keyof typeof STYLES, timeZone: string): Intl.DateTimeFormat {
  const name = `${style} ${timeZone}`;
  const format = formats.get(name) ?? new Intl.DateTimeFormat('en-GB', { ...STYLES[style], timeZone });
  formats.set(name, format);
  return format;
}

/** The unit, its seconds, and from how many of them it is used: `45 days ago` says more than `last month`. */
const AGO_UNITS = [
  ['year', 31_536_000, 2],
  ['month', 2_592_000, 3],
  ['day', 86_400, 1],
  ['hour', 3_600, 1],
  ['minute', 60, 1],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

function agoText(atMs: number, nowMs: number): string {
  const seconds = Math.round((atMs - nowMs) / 1_000);
  for (const [unit, worth, least] of AGO_UNITS) {
    if (Math.abs(seconds) >= least * worth) return relative.format(Math.trunc(seconds / worth), unit);
  }
  return Math.abs(seconds) < 5 ? 'just now' : relative.format(seconds, 'second');
}
