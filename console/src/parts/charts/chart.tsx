/**
 * Lines over time. It is a slider to the keyboard and to screen readers: the arrow keys move through the points, and each says its
 * values. A table of the same figures belongs beside it. Drawn as SVG: it follows the theme, any zoom, and needs no library.
 */
import { useRef } from 'preact/hooks';
import { useWidth } from '../use-width.ts';
import { labelledPoints, runsOf, scaleOf, tickLabel, type Scale } from './chart-scale.ts';
import './chart.css';

export interface ChartLine {
  /** A class of chart.css: `series-0` to `series-7`, `other`, `none`, with `before` for the period before. */
  readonly look: string;
  /** A point each; null where there is none. All lines are as long as the labels, or shorter. */
  readonly values: readonly (number | null)[];
  /** Filled below: for a single line. */
  readonly isFilled?: boolean;
}

export interface ChartProps {
  readonly name: string;
  readonly lines: readonly ChartLine[];
  /** A point each, short. */
  readonly labels: readonly string[];
  /** What is said of a point: its time and its values. */
  readonly describe: (point: number) => string;
  readonly cursor: number | undefined;
  readonly onCursor: (point: number | undefined) => void;
  /** Whether the first or last value is of a part of its time only: it is dashed. */
  readonly isCut?: { readonly first: boolean; readonly last: boolean };
}

const HEIGHT = 264;
const TOP = 12;
const BOTTOM = 28;
const CHARACTER = 7;

export function Chart(props: ChartProps) {
  const { name, lines, labels, describe, cursor, onCursor } = props;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const scale = scaleOf(lines.flatMap(({ values }) => values.filter((value) => value !== null)));
  const left = 12 + CHARACTER * Math.max(...scale.ticks.map((tick) => tickLabel(tick).length));
  const area = { left, width: Math.max(1, width - left - 16), count: labels.length, scale };
  const last = labels.length - 1;
  const at = cursor ?? last;
  const move = (event: KeyboardEvent): void => {
    const next = pointAfter(event.key, at, last);
    if (next === undefined) return;
    event.preventDefault();
    onCursor(next);
  };
  const point = ({ clientX, currentTarget }: PointerEvent & { readonly currentTarget: Element }): void => {
    const share = (clientX - currentTarget.getBoundingClientRect().left - left) / area.width;
    onCursor(Math.min(Math.max(Math.round(share * last), 0), last));
  };
  return (
    <div
      ref={box}
      class="chart"
      role="slider"
      tabIndex={0}
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at}
      aria-valuetext={describe(at)}
      onKeyDown={move}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={() => onCursor(undefined)}
      onBlur={() => onCursor(undefined)}
    >
      {width > 0 && (
        <svg width={width} height={HEIGHT} aria-hidden="true">
          <Grid area={area} labels={labels} />
          {lines.toReversed().map((line) => (
            <Line key={line.look} line={line} area={area} isCut={props.isCut} />
          ))}
          {cursor !== undefined && <Cursor at={cursor} area={area} lines={lines} />}
        </svg>
      )}
    </div>
  );
}

interface Area {
  readonly left: number;
  readonly width: number;
  readonly count: number;
  readonly scale: Scale;
}

function xOf({ left, width, count }: Area, point: number): number {
  return count === 1 ? left + width / 2 : left + (point * width) / (count - 1);
}

function yOf({ scale: { low, high } }: Area, value: number): number {
  return TOP + ((high - value) * (HEIGHT - TOP - BOTTOM)) / (high - low);
}

function Grid({ area, labels }: { readonly area: Area; readonly labels: readonly string[] }) {
  const right = area.left + area.width;
  const room = 20 + CHARACTER * Math.max(...labels.map((label) => label.length));
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
      {labelledPoints(area.count, area.width, room).map((point) => (
        <text key={point} x={xOf(area, point)} y={HEIGHT - 6} text-anchor={anchorOf(point, area)}>
          {labels[point]}
        </text>
      ))}
    </g>
  );
}

/** What is at an edge stays within it. */
function anchorOf(point: number, { count }: Area): 'start' | 'middle' | 'end' {
  if (count === 1) return 'middle';
  return point === count - 1 ? 'end' : point === 0 ? 'start' : 'middle';
}

interface LineProps {
  readonly line: ChartLine;
  readonly area: Area;
  readonly isCut: ChartProps['isCut'];
}

function Line({ line: { look, values, isFilled = false }, area, isCut }: LineProps) {
  const pointsOf = (from: number, to: number): string =>
    values
      .slice(from, to + 1)
      .map((value, i) => `${xOf(area, from + i).toFixed(1)},${yOf(area, value ?? 0).toFixed(1)}`)
      .join(' ');
  return (
    <g class={`line ${look}`}>
      {runsOf(values).map(([from, to]) => {
        if (from === to) return <circle key={from} cx={xOf(area, from)} cy={yOf(area, values[from] ?? 0)} r="3" />;
        const begin = isCut?.first === true && from === 0 ? 1 : from;
        const end = isCut?.last === true && to === area.count - 1 ? Math.max(to - 1, begin) : to;
        const ground = yOf(area, Math.max(area.scale.low, 0)).toFixed(1);
        return (
          <g key={from}>
            {isFilled && (
              <polygon points={`${xOf(area, from)},${ground} ${pointsOf(from, to)} ${xOf(area, to)},${ground}`} />
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

function Cursor({
  at,
  area,
  lines,
}: {
  readonly at: number;
  readonly area: Area;
  readonly lines: readonly ChartLine[];
}) {
  const x = xOf(area, at);
  return (
    <g class="cursor">
      <line x1={x} x2={x} y1={TOP} y2={HEIGHT - BOTTOM} />
      {lines.map(({ look, values }) => {
        const value = values[at];
        return (
          typeof value === 'number' && <circle key={look} class={`line ${look}`} cx={x} cy={yOf(area, value)} r="4" />
        );
      })}
    </g>
  );
}

function pointAfter(key: string, at: number, last: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    PageUp: at + 7,
    PageDown: at - 7,
    Home: 0,
    End: last,
  };
  const next = steps[key];
  return next === undefined ? undefined : Math.min(Math.max(next, 0), last);
}
