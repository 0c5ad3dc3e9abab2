import { countOf, type RawNumber } from '../api/json.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const format = new Intl.NumberFormat('en');

/** `1,240`: a count of the interface, never a value of a user. */
export function count(value: number): string {
  return format.format(value);
}

/** The same of a count in an answer; `0` without one. */
export function counted(value: RawNumber | null | undefined): string {
  return count(value === null || value === undefined ? 0 : countOf(value));
}

/** `1 line`, `2 lines` */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** `+12`, `−3`, `0`: by how much a count of the interface has changed. */
export function signedCount(change: number): string {
  return change === 0 ? '0' : `${change < 0 ? '−' : '+'}${count(Math.abs(change))}`;
}

/** `12,345.6789`: a number of an answer with every digit, its whole part in groups of three. */
export function grouped(rawJSON: string): string {
  const [, whole = rawJSON, rest = ''] = /^(-?\d+)(.*)$/.exec(rawJSON) ?? [];
  return whole.replaceAll(/\d(?=(\d{3})+$)/g, '$&,') + rest;
}

/** `Events behind`: with its first letter as a sentence has it. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** `1.5 GiB`: a size of the interface; `not known` where there is none. */
export function bytes(size: RawNumber | number | null): string {
  if (size === null) return 'unknown';
  const value = typeof size === 'number' ? size : Number(size.rawJSON);
  const power = Math.min(UNITS.length - 1, value < 1 ? 0 : Math.floor(Math.log2(value) / 10));
  const shown = value / 1_024 ** power;
  return `${shown < 10 && power > 0 ? shown.toFixed(1) : Math.round(shown)} ${UNITS[power]}`;
}

/** `40 seconds`, `3 minutes`, `2 hours` */
export function durationText(seconds: number): string {
  if (seconds < 90) return seconds < 1.5 ? 'a second' : `${Math.round(seconds)} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}

/** `0.6 %`: a part of a whole; of little, `under 0.1 %`. */
export function shareText(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (100 * part) / whole;
  if (part > 0 && percent < 0.1) return 'under 0.1 %';
  const isNearEnd = (percent > 0 && percent < 10) || (percent > 99 && percent < 100);
  return `${isNearEnd ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** `+12 %`, `−3 %`, `×12`; of nothing that was before, `none before`. */
export function comparedText(value: number, before: number): string {
  if (before === 0) return value === 0 ? 'none before either' : 'none before';
  if (value === before) return 'as before';
  if (before > 0 && value >= 10 * before) return `×${count(Math.round(value / before))}`;
  const percent = (100 * Math.abs(value - before)) / Math.abs(before);
  if (percent < 0.05) return 'as before';
  const text = percent < 1 ? percent.toFixed(1) : String(Math.round(percent));
  return `${value < before ? '−' : '+'}${text} %`;
}
