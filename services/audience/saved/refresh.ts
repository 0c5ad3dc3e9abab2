/** How often an audience is evaluated, as text: `15m`, `1h`, `1d`, `1w`. Pure. */

const UNITS = [
  ['w', 604_800_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

const MOST_MS = 366 * 86_400_000;

/** Milliseconds; undefined where the text is none, or less than a minute or more than a year. */
export function parseRefresh(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS.find(([name]) => name === unit)?.[1] ?? Number.NaN);
  return ms >= 60_000 && ms <= MOST_MS ? ms : undefined;
}

/** In the largest unit that has it whole. */
export function formatRefresh(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, size]) => ms % size === 0) ?? ['m', 60_000];
  return `${Math.round(ms / unitMs)}${unit}`;
}
