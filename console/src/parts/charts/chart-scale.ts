/** Where the lines, ticks and labels of a chart are. Everything here is pure. */

export interface Scale {
  /** From the lowest to the highest. */
  readonly ticks: readonly number[];
  readonly low: number;
  readonly high: number;
}

/** A scale with 0 and about four steps of 1, 2, 2.5 or 5 times a power of ten: whole ones where all values are whole. */
export function scaleOf(values: readonly number[]): Scale {
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const span = most - least || 1;
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const isWhole = values.every(Number.isInteger);
  const steps = [1, 2, 2.5, 5, 10].map((factor) => factor * power).filter((size) => !isWhole || Number.isInteger(size));
  const step = steps.find((size) => span / size <= 5) ?? span;
  const [from, to] = [Math.floor(least / step), Math.max(Math.ceil(most / step), Math.floor(least / step) + 1)];
  const ticks = Array.from({ length: to - from + 1 }, (_, i) => (from + i) * step);
  return { ticks, low: from * step, high: to * step };
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });

/** `1.5K`: short enough for an axis. */
export function tickLabel(tick: number): string {
  return Math.abs(tick) < 1 && tick !== 0 ? String(Number(tick.toPrecision(2))) : COMPACT.format(tick);
}

const LABEL_STEPS = [1, 2, 3, 4, 6, 7, 8, 12, 14, 24, 28, 48, 56, 72, 96, 120, 168, 240, 336, 480];

/** Indexes of the points that are labelled, in equal steps back from the last, so that each label has `room` pixels. */
export function labelledPoints(count: number, width: number, room: number): readonly number[] {
  const fit = Math.max(1, Math.floor(width / room));
  const step = LABEL_STEPS.find((size) => count / size <= fit) ?? count;
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => count - 1 - i * step).toReversed();
}

/** The stretches of a line without gaps, by the indexes of their first and last points. */
export function runsOf(values: readonly (number | null)[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const [i, value] of values.entries()) {
    const last = runs.at(-1);
    if (value === null) continue;
    if (last?.[1] === i - 1) last[1] = i;
    else runs.push([i, i]);
  }
  return runs;
}
