/** Figures and times of the chart as text. Everything here is pure. */
import { type RawNumber, valueText } from '../../api/json.ts';
import type { Counts, CountsBucket, CountsSeries } from '../../api/types.ts';
import { comparedText, grouped } from '../../parts/numbers.ts';
import { type Interval, type Measure, type Question, splitParts } from './question.ts';

export interface Answered {
  readonly question: Question;
  /** By interval, and of the whole period. */
  readonly counts: Counts;
  readonly whole: Counts;
}

const ROUNDED = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });

/** Counts and sums with every digit; averages and percentiles, which are doubles, with six. */
export function figureText(value: RawNumber | null | undefined, measure: Measure): string {
  if (value === null || value === undefined) return '–';
  const isDouble = measure === 'average' || measure === 'percentile';
  return isDouble ? ROUNDED.format(Number(value.rawJSON)) : grouped(value.rawJSON);
}

/** `+12 %`, `×24`; undefined where there is nothing to compare with. */
export function changeOf(now: RawNumber | null | undefined, before: RawNumber | null | undefined): string | undefined {
  return now && before ? comparedText(Number(now.rawJSON), Number(before.rawJSON)) : undefined;
}

/** What is measured, in words: `different users`, `95th percentile of total`. */
export function measureText({ measure, of, p }: Pick<Question, 'measure' | 'of' | 'p'>): string {
  if (measure === 'count') return 'events';
  if (measure === 'users') return 'different users';
  if (measure !== 'percentile') return `${measure} of ${of}`;
  return p === '50' ? `median of ${of}` : `${p}th percentile of ${of}`;
}

/** The name of a series: a value of the user, or what is left. */
export function seriesText({ value, other }: Pick<CountsSeries, 'value' | 'other'>, split: string | undefined): string {
  const [, name] = splitParts(split);
  if (other) return 'All others';
  if (value === null) return name === undefined ? 'All' : `Without ${name}`;
  return valueText(value);
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const LONG_DAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** For the axis: `18 Nov`, `14:00`. */
export function tickText({ local }: CountsBucket, interval: Interval): string {
  if (local === null) return '';
  if (interval !== 'hour') return DAY.format(clockMs(local));
  const time = local.slice(11, 16);
  return time === '00:00' ? DAY.format(clockMs(local)) : time;
}

/** `Wed, 18 Nov 2026, 14:00`, `Week from Mon, 16 Nov 2026`; where a period cuts it, how. */
export function bucketText({ local }: CountsBucket, interval: Interval, isLast = false): string {
  if (local === null) return 'Whole period';
  const time = local.slice(11, 16);
  const day = LONG_DAY.format(clockMs(local));
  const text = interval === 'hour' ? `${day}, ${time}` : interval === 'week' ? `Week from ${day}` : day;
  const isCut = interval === 'hour' ? !time.endsWith(':00') : time !== '00:00';
  const cut = isLast ? ' so far' : interval !== 'hour' && isCut ? ` from ${time}` : '';
  return text + cut;
}

/** Whether the bucket began before the period did: its value is of a part of it. */
export function isCut({ local }: CountsBucket, interval: Interval): boolean {
  if (local === null) return false;
  return interval === 'hour' ? local.slice(14, 19) !== '00:00' : local.slice(11, 19) !== '00:00:00';
}

/** What the clock of the zone shows, as if it were in UTC: only to be written out. */
function clockMs(local: string): number {
  return Date.parse(`${local.slice(0, 19)}Z`);
}
