/**
 * Values over time. It is a slider to the keyboard and to screen readers: the arrow keys move through the points, and each says its
 * values. A table of the same figures belongs beside it. Drawn as SVG: it follows the theme, any zoom, and needs no library.
 */
import { useRef, useState } from 'preact/hooks';
import { useWidth } from './use-width.ts';
import {
  type Area,
  type Axis,
  Bars,
  type ChartLine,
  Cursor,
  type Cut,
  Flags,
  Grid,
  Line,
  pointAt,
  xOf,
} from './chart-marks.tsx';
import { scaleOf, tickLabel } from './chart-scale.ts';
import './chart.css';

/** What is known of a point: its time, and a value of each line. */
export interface Reading {
  readonly time: string;
  readonly values: readonly { readonly look?: string; readonly name: string; readonly text: string }[];
}

interface ChartProps {
  readonly name: string;
  readonly lines: readonly ChartLine[];
  readonly readingOf: (point: number) => Reading;
  /** A point each, short. */
  readonly labels: readonly string[];
  /** Evenly, with the labels below, where it is left out. */
  readonly axis?: Axis;
  readonly isCut?: Cut;
  /** What happened, by point. */
  readonly notes?: ReadonlyMap<number, string>;
}

const NO_NOTES: ReadonlyMap<number, string> = new Map();

const CHARACTER = 7;

export function Chart({ name, lines, readingOf, labels, axis, isCut, notes = NO_NOTES }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<number>();
  const width = useWidth(box);
  const scale = scaleOf(lines.flatMap(({ values }) => values.filter((value) => value !== null)));
  const left = 12 + CHARACTER * Math.max(...scale.ticks.map((tick) => tickLabel(tick).length));
  const hasBars = lines.some(({ drawnAs }) => drawnAs === 'bars');
  const area: Area = { left, width: Math.max(1, width - left - 16), count: labels.length, scale, hasBars, axis };
  const last = labels.length - 1;
  const at = Math.min(cursor ?? last, last);
  const reading = withNote(readingOf(at), notes.get(at));
  const move = (event: KeyboardEvent): void => {
    const next = pointAfter(event.key, at, last);
    if (next !== undefined) event.preventDefault();
    if (next !== undefined) setCursor(next);
  };
  const point = ({ clientX, currentTarget }: PointerEvent & { readonly currentTarget: Element }): void =>
    setCursor(pointAt(area, clientX - currentTarget.getBoundingClientRect().left));
  const leave = (): void => setCursor(undefined);
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
      aria-valuetext={readingText(reading)}
      onKeyDown={move}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={leave}
      onBlur={leave}
    >
      {width > 0 && (
        <Drawing
          area={area}
          lines={lines}
          labels={labels}
          cursor={cursor === undefined ? undefined : at}
          isCut={isCut}
          notes={notes}
        />
      )}
      {cursor !== undefined && <Values reading={reading} x={xOf(area, at)} width={width} />}
    </div>
  );
}

function withNote(reading: Reading, note: string | undefined): Reading {
  return note === undefined
    ? reading
    : { ...reading, values: [...reading.values, { name: note, text: '', look: 'flag' }] };
}

interface DrawingProps extends Required<Pick<ChartProps, 'lines' | 'labels' | 'notes'>> {
  readonly area: Area;
  readonly isCut: Cut | undefined;
  readonly cursor: number | undefined;
}

function Drawing({ area, lines, labels, cursor, isCut, notes }: DrawingProps) {
  return (
    <svg width={area.left + area.width + 16} height="264" aria-hidden="true">
      <Grid area={area} labels={labels} />
      {lines.toReversed().map((line) => {
        const Shape = line.drawnAs === 'bars' ? Bars : Line;
        return <Shape key={line.look} line={line} area={area} isCut={isCut} />;
      })}
      <Flags area={area} at={[...notes.keys()]} />
      {cursor !== undefined && <Cursor at={cursor} area={area} lines={lines} />}
    </svg>
  );
}

/** Beside the pointer there is room for it. */
const LEAST_WIDE = 480;

/** At the pointer, on the side where there is more room; over all of a narrow chart. */
function Values({ reading, x, width }: { readonly reading: Reading; readonly x: number; readonly width: number }) {
  const beside = x > width / 2 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` };
  const side = width < LEAST_WIDE ? { left: '0', right: '0', maxWidth: 'none' } : beside;
  return (
    <div class="chart-values small" style={side} aria-hidden="true">
      <b>{reading.time}</b>
      {reading.values.map(({ look, name, text }, i) => (
        <p key={i}>
          {look !== undefined && <i class={`swatch ${look}`} />}
          <span>{name}</span>
          <span>{text}</span>
        </p>
      ))}
    </div>
  );
}

function readingText({ time, values }: Reading): string {
  return `${time}: ${values.map(({ name, text }) => `${name} ${text}`.trim()).join(', ')}`;
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
