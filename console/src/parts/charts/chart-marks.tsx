/** What a chart is drawn of: grid, lines, steps, bars and the cursor. */
import { labelledPoints, runsOf, type Scale, tickLabel } from './chart-scale.ts';

export interface ChartLine {
  /** A class of chart.css: `series-0` to `series-7`, `other`, `none`, with `before` for the period before. */
  readonly look: string;
  /** A point each; null where there is none. All lines are as long as the labels, or shorter. */
  readonly values: readonly (number | null)[];
  /** `bars` for numbers of equal times, `steps` for what stays as it is until it is looked at again; else a line. */
  readonly drawnAs?: 'bars' | 'steps' | 'area';
}

/** Where each point is, from 0 to 1, and what stands below, from one edge to the other. */
export interface Axis {
  readonly at: readonly number[];
  readonly marks: readonly string[];
}

/** Whether the first or last value is of a part of its time only: it is dashed. */
export interface Cut {
  readonly first: boolean;
  readonly last: boolean;
}

export interface Area {
  readonly left: number;
  readonly width: number;
  /** How many points there are. */
  readonly count: number;
  readonly scale: Scale;
  /** Bars stand in the middle of equal parts; the ends of lines are at the edges. */
  readonly hasBars: boolean;
  readonly axis: Axis | undefined;
}

const HEIGHT = 264;
const TOP = 12;
const BOTTOM = 28;
const CHARACTER = 7;
const NARROW = 480;

export function xOf({ left, width, count, hasBars, axis }: Area, point: number): number {
  if (axis !== undefined) return left + (axis.at[point] ?? 0) * width;
  if (hasBars || count === 1) return left + ((point + 0.5) * width) / count;
  return left + (point * width) / (count - 1);
}

function yOf({ scale: { low, high } }: Area, value: number): number {
  return TOP + ((high - value) * (HEIGHT - TOP - BOTTOM)) / (high - low);
}

/** The point that is meant at this distance from the left edge of the chart. */
export function pointAt({ left, width, count, hasBars, axis }: Area, x: number): number {
  const share = (x - left) / width;
  const point = hasBars ? Math.floor(share * count) : Math.round(share * (count - 1));
  return Math.min(Math.max(axis?.at.findLastIndex((at) => at <= share) ?? point, 0), count - 1);
}

export function Grid({ area, labels }: { readonly area: Area; readonly labels: readonly string[] }) {
  const right = area.left + area.width;
  return (
    <g class="grid">
      {area.scale.ticks.map((tick) => (
        <g key={tick} class={tick === 0 ? 'zero' : ''}>
          <line x1={area.left} x2={right} y1={yOf(area, tick)} y2={yOf(area, tick)} />
          <text x={area.left - 8} y={yOf(area, tick) + 4} text-anchor="end">
            {tickLabel(tick)}
          </text>
        </g>
      ))}
      {marksOf(area, labels).map(({ x, text }) => (
        <text key={x} x={x} y={HEIGHT - 6} text-anchor={anchorOf(x, text, area)}>
          {text}
        </text>
      ))}
    </g>
  );
}

function marksOf(area: Area, labels: readonly string[]): readonly { readonly x: number; readonly text: string }[] {
  const { axis, left, width, count } = area;
  if (axis !== undefined) {
    const last = axis.marks.length - 1;
    const marks = axis.marks.map((text, i) => ({ x: left + (i * width) / Math.max(1, last), text }));
    return width > NARROW ? marks : marks.filter((_, i) => i === 0 || i === last);
  }
  const room = 20 + CHARACTER * Math.max(...labels.map((label) => label.length));
  return labelledPoints(count, width, room).map((point) => ({ x: xOf(area, point), text: labels[point] ?? '' }));
}

/** What is at an edge stays within it. */
function anchorOf(x: number, text: string, { left, width }: Area): 'start' | 'middle' | 'end' {
  const half = (CHARACTER * text.length) / 2;
  if (x + half > left + width + 16) return 'end';
  return x - half < 0 ? 'start' : 'middle';
}

interface ShapeProps {
  readonly line: ChartLine;
  readonly area: Area;
  readonly isCut: Cut | undefined;
}

/** A bar takes as much of its part of the axis as leaves a gap. */
const BAR_SHARE = 0.72;

export function Bars({ line: { look, values }, area, isCut }: ShapeProps) {
  const width = Math.max(1, (area.width / area.count) * BAR_SHARE);
  const ground = yOf(area, Math.max(area.scale.low, 0));
  return (
    <g class={`line ${look}`}>
      {values.map((value, i) => {
        const y = yOf(area, value ?? 0);
        const isPart = (isCut?.first === true && i === 0) || (isCut?.last === true && i === area.count - 1);
        return (
          <rect
            key={i}
            class={isPart ? 'cut' : ''}
            x={xOf(area, i) - width / 2}
            y={Math.min(y, ground)}
            width={width}
            height={Math.abs(ground - y)}
          />
        );
      })}
    </g>
  );
}

export function Line({ line: { look, values, drawnAs }, area, isCut }: ShapeProps) {
  const isStepped = drawnAs === 'steps';
  const right = area.left + area.width;
  const pointsOf = (from: number, to: number): string => {
    const points = values.slice(from, to + 1).flatMap((value, i) => {
      const [x, y] = [xOf(area, from + i), yOf(area, value ?? 0)];
      return isStepped && i > 0
        ? [
            [x, yOf(area, values[from + i - 1] ?? 0)],
            [x, y],
          ]
        : [[x, y]];
    });
    const end = isStepped ? [[right, yOf(area, values[to] ?? 0)]] : [];
    return [...points, ...end].map((point) => point.map((one) => one.toFixed(1)).join(',')).join(' ');
  };
  return (
    <g class={`line ${look}`}>
      {runsOf(values).map(([from, to]) => {
        if (from === to && !isStepped) {
          return <circle key={from} cx={xOf(area, from)} cy={yOf(area, values[from] ?? 0)} r="3" />;
        }
        const begin = isCut?.first === true && from === 0 ? 1 : from;
        const end = isCut?.last === true && to === area.count - 1 ? Math.max(to - 1, begin) : to;
        const ground = yOf(area, Math.max(area.scale.low, 0)).toFixed(1);
        const edge = isStepped ? right : xOf(area, to);
        return (
          <g key={from}>
            {drawnAs !== undefined && (
              <polygon points={`${xOf(area, from)},${ground} ${pointsOf(from, to)} ${edge},${ground}`} />
            )}
            {begin > from && <polyline class="cut" points={pointsOf(from, begin)} />}
            <polyline points={pointsOf(begin, end)} />
            {end < to && <polyline class="cut" points={pointsOf(end, to)} />}
          </g>
        );
      })}
    </g>
  );
}

/** Where something happened. */
export function Flags({ area, at }: { readonly area: Area; readonly at: readonly number[] }) {
  return (
    <g class="flags">
      {at.map((point) => {
        const x = xOf(area, point);
        // At the right edge it flies to the left.
        const end = x + 10 > area.left + area.width ? -9 : 9;
        return <path key={point} d={`M${x} ${HEIGHT - BOTTOM}V2h${end}l${-end / 3} 3.500 ${end / 3} 3.500H${x}`} />;
      })}
    </g>
  );
}

interface CursorProps {
  /** The point. */
  readonly at: number;
  readonly area: Area;
  readonly lines: readonly ChartLine[];
}

export function Cursor({ at, area, lines }: CursorProps) {
  const x = xOf(area, at);
  return (
    <g class="cursor">
      <line x1={x} x2={x} y1={TOP} y2={HEIGHT - BOTTOM} />
      {lines.map(({ look, values, drawnAs }) => {
        const value = values[at];
        if (typeof value !== 'number' || drawnAs === 'bars') return null;
        return <circle key={look} class={`line ${look}`} cx={x} cy={yOf(area, value)} r="4" />;
      })}
    </g>
  );
}
