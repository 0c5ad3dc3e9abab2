/** Instants: relative, with the exact one in the zone that the reader chose on hover and focus. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { project } from '../frame/session.ts';
import { stored } from '../frame/stored.ts';

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

/** `3 minutes ago`, and the exact instant on hover and focus. @param at RFC 3339. */
export function Ago({ at }: { readonly at: string }) {
  const [isExact, setExact] = useState(false);
  const exact = exactTime(at, zoneOf(zoneChoice.value));
  const show = { onFocus: () => setExact(true), onBlur: () => setExact(false) };
  return (
    <time dateTime={at} title={exact} tabIndex={0} {...show}>
      {isExact ? exact : agoText(Date.parse(at), Math.max(now.value, Date.now()))}
    </time>
  );
}

/** `14:01:18.123`, with the day where it is not today; the exact instant on hover. */
export function Clock({ at }: { readonly at: string }) {
  const zone = zoneOf(zoneChoice.value);
  const day = dayIn(at, zone);
  const isToday = day === dayIn(new Date(now.value).toISOString(), zone);
  return (
    <time class="clock" dateTime={at} title={exactTime(at, zone)}>
      {!isToday && <span class="quiet">{day} </span>}
      {formatted('time', zone).format(Date.parse(at))}
      <span class="quiet">.{fractionOf(at).slice(0, 3)}</span>
    </time>
  );
}

/** `24 Nov 2026, 14:01:18.123456 UTC` */
export function exactTime(at: string, zone: string): string {
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) return at;
  return `${formatted('day', zone).format(instant)}, ${formatted('time', zone).format(instant)}.${fractionOf(at)} ${zone}`;
}

function dayIn(at: string, zone: string): string {
  return formatted('day', zone).format(Date.parse(at));
}

/** The six digits below the second, from the text: a Date has three. */
function fractionOf(at: string): string {
  return (/\.(\d+)/.exec(at)?.[1] ?? '').padEnd(6, '0').slice(0, 6);
}

const STYLES = {
  day: { day: 'numeric', month: 'short', year: 'numeric' },
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

// Making one takes a hundred times as long as using it.
const formats = new Map<string, Intl.DateTimeFormat>();

function formatted(style: keyof typeof STYLES, timeZone: string): Intl.DateTimeFormat {
  const name = `${style} ${timeZone}`;
  const format = formats.get(name) ?? new Intl.DateTimeFormat('en-GB', { ...STYLES[style], timeZone });
  formats.set(name, format);
  return format;
}

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export function agoText(atMs: number, nowMs: number): string {
  const seconds = Math.round((atMs - nowMs) / 1_000);
  for (const [unit, worth] of UNITS) {
    if (Math.abs(seconds) >= worth) return relative.format(Math.trunc(seconds / worth), unit);
  }
  return Math.abs(seconds) < 5 ? 'just now' : relative.format(seconds, 'second');
}
