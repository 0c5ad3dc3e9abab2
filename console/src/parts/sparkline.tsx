/** A small line of a series, without axes: what it shows is said beside it. */
export function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const most = Math.max(1, ...values);
  const step = 100 / Math.max(1, values.length - 1);
  const points = values.map((value, i) => `${(i * step).toFixed(2)},${(31 - (value / most) * 30).toFixed(2)}`);
  return (
    <svg class="sparkline" viewBox="0 0 100 32" preserveAspectRatio="none" role="img" aria-label={label}>
      <polygon points={`0,32 ${points.join(' ')} 100,32`} />
      <polyline points={points.join(' ')} />
    </svg>
  );
}
