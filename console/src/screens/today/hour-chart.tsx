import { useState } from 'preact/hooks';
import { countOf } from '../../api/json.ts';
import type { ProjectSummary } from '../../api/types.ts';
import { Chart } from '../../parts/charts/chart.tsx';
import { count } from '../../parts/numbers.ts';
import { clockText, minuteText } from '../../parts/time.tsx';

/** Events of each of the last 24 hours, and of the same hours a day before. */
export function HourChart({ hours }: { readonly hours: ProjectSummary['hours'] }) {
  const [cursor, setCursor] = useState<number>();
  const last = hours.length - 1;
  const describe = (point: number): string => {
    const hour = hours[point];
    if (hour === undefined) return '';
    const so = point === last ? ' so far' : '';
    return `${minuteText(hour.start)}${so}: ${count(countOf(hour.count))} events, a day before ${count(countOf(hour.before))}`;
  };
  return (
    <section class="card" aria-labelledby="hours">
      <div class="section-head">
        <h2 id="hours">Events by hour</h2>
        <span class="quiet small" aria-hidden="true">
          {describe(cursor ?? last)}
        </span>
      </div>
      <Chart
        name="Events by hour"
        lines={[
          { look: 'series-0', values: hours.map((hour) => countOf(hour.count)), isFilled: true },
          { look: 'series-0 before', values: hours.map(({ before }) => countOf(before)) },
        ]}
        labels={hours.map(({ start }) => clockText(start))}
        describe={describe}
        cursor={cursor}
        onCursor={setCursor}
        isCut={{ first: false, last: true }}
      />
    </section>
  );
}
