/** A size over time: steps, because it stays what it was until it was looked at again. */
import { useState } from 'preact/hooks';
import { count } from '../numbers.ts';
import './line-chart.css';

export interface ChartPoint {
  readonly atMs: number;
  readonly value: number;
  /** The whole of what is known of it, in words. */
  readonly text: string;
}

export interface LineChartProps {
  readonly label: string;
  /** The oldest first; at least one. */
  readonly points: readonly ChartPoint[];
  readonly fromMs: number;
  readonly untilMs: number;
  /** What stands below its left end. */
  readonly fromText: string;
}

const WIDTH = 1_000;
const HEIGHT = 200;

export function LineChart({ fromText, ...props }: LineChartProps) {
  const { points } = props;
  const [chosen, setChosen] = useState<number>();
  const at = Math.min(chosen ?? points.length - 1, points.length - 1);
  const top = niceTop(Math.max(...points.map(({ value }) => value)));
  return (
    <figure class="line-chart">
      <figcaption>{points[at]?.text}</figcaption>
      <div class="chart-body">
        <ol class="chart-scale quiet small" aria-hidden="true">
          {[top, top / 2, 0].map((value) => (
            <li key={value}>{count(value)}</li>
          ))}
        </ol>
        <Area {...props} top={top} at={at} onChoose={setChosen} />
      </div>
      <p class="chart-ends quiet small" aria-hidden="true">
        <span>{fromText}</span>
        <span>now</span>
      </p>
    </figure>
  );
}

interface AreaProps extends Omit<LineChartProps, 'fromText'> {
  /** The value at its upper edge. */
  readonly top: number;
  /** The point that is read. */
  readonly at: number;
  /** Told which point is to be read; undefined: the newest. */
  readonly onChoose: (at: number | undefined) => void;
}

function Area({ label, points, fromMs, untilMs, top, at, onChoose }: AreaProps) {
  const xOf = (atMs: number): number => ((Math.max(atMs, fromMs) - fromMs) * WIDTH) / Math.max(1, untilMs - fromMs);
  const yOf = (value: number): number => HEIGHT - (value * HEIGHT) / top;
  const point = points[at] ?? { atMs: untilMs, value: 0, text: '' };
  const [x, y] = [xOf(point.atMs), yOf(point.value)];
  const hover = ({ clientX, currentTarget }: PointerEvent & { readonly currentTarget: HTMLElement }): void => {
    const { left, width } = currentTarget.getBoundingClientRect();
    onChoose(nearest(points, fromMs + ((clientX - left) / width) * (untilMs - fromMs)));
  };
  const move = (event: KeyboardEvent): void => {
    const next = KEYS[event.key]?.(at, points.length - 1);
    if (next === undefined) return;
    event.preventDefault();
    onChoose(Math.min(Math.max(next, 0), points.length - 1));
  };
  return (
    <div
      class="chart-area"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={points.length - 1}
      aria-valuenow={at}
      aria-valuetext={point.text}
      onPointerMove={hover}
      onPointerLeave={() => onChoose(undefined)}
      onBlur={() => onChoose(undefined)}
      onKeyDown={move}
    >
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d={`M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}`} />
        <Steps points={points} xOf={xOf} yOf={yOf} />
        <path class="at" d={`M${x} 0V${HEIGHT}`} />
      </svg>
      <i style={{ left: `${(100 * x) / WIDTH}%`, top: `${(100 * y) / HEIGHT}%` }} />
    </div>
  );
}

interface StepsProps extends Pick<LineChartProps, 'points'> {
  readonly xOf: (atMs: number) => number;
  readonly yOf: (value: number) => number;
}

function Steps({ points, xOf, yOf }: StepsProps) {
  const [first] = points;
  if (first === undefined) return null;
  const steps = points.map(({ atMs, value }) => `H${xOf(atMs).toFixed(1)}V${yOf(value).toFixed(1)}`);
  const line = `M${xOf(first.atMs).toFixed(1)} ${yOf(first.value).toFixed(1)}${steps.join('')}H${WIDTH}`;
  return (
    <>
      <path class="fill" d={`${line}V${HEIGHT}H${xOf(first.atMs).toFixed(1)}Z`} />
      <path class="line" d={line} />
    </>
  );
}

const KEYS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  Home: () => 0,
  End: (_, last) => last,
};

/** The newest point at or before this time: what the size was then. */
function nearest(points: readonly ChartPoint[], atMs: number): number {
  return Math.max(
    0,
    points.findLastIndex((point) => point.atMs <= atMs),
  );
}

/** A round number above all values, of which the half is round as well. */
function niceTop(most: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  const factor = [1, 2, 4, 6, 8, 10].find((step) => step * unit >= most) ?? 10;
  return Math.max(2, factor * unit);
}
