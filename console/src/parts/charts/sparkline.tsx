interface SparklineProps {
  /** The newest last. */
  readonly values: readonly number[];
  /** How many values there is room for: fewer begin further right. As many as there are where it is left out. */
  readonly room?: number;
  readonly label: string;
}

/** A small line of a series, without axes: what it shows is said beside it. */
export function Sparkline({ values, label, room = values.length }: SparklineProps) {
  const most = Math.max(1, ...values);
  const xOf = (i: number): string => (100 - ((values.length - 1 - i) * 100) / (room - 1)).toFixed(2);
  const points = values.map((value, i) => `${xOf(i)},${(31 - (value / most) * 30).toFixed(2)}`);
  return (
    <svg class="sparkline" viewBox="0 0 100 32" preserveAspectRatio="none" role="img" aria-label={label}>
      <polygon points={`${xOf(0)},32 ${points.join(' ')} 100,32`} />
      <polyline points={points.join(' ')} />
    </svg>
  );
}
