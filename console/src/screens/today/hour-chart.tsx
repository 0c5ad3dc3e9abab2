import { countOf } from '../../api/json.ts';
import type { ProjectSummary } from '../../api/types.ts';
import { Chart, type Reading } from '../../parts/charts/chart.tsx';
import { NewNote, useNotes } from '../../parts/charts/notes.tsx';
import { notesAt } from '../../parts/charts/notes-at.ts';
import { count } from '../../parts/numbers.ts';
import { Section } from '../../parts/page.tsx';
import { clockText, minuteText } from '../../parts/time.tsx';

const NOW = 'series-0';
const BEFORE = 'series-0 before';

/** Events of each of the last 24 hours, and of the same hours a day before. @param hours Undefined until they are known. */
export function HourChart({ hours }: { readonly hours: ProjectSummary['hours'] | undefined }) {
  const notes = useNotes(hours?.[0]?.start);
  return (
    <Section id="hours" title="Events by hour" look="card" actions={<NewNote onAdd={notes.retry} />}>
      {hours === undefined ? <div class="chart" /> : <Hours hours={hours} notes={notes.value} />}
    </Section>
  );
}

interface HoursProps {
  readonly hours: ProjectSummary['hours'];
  readonly notes: ReturnType<typeof useNotes>['value'];
}

function Hours({ hours, notes }: HoursProps) {
  const last = hours.length - 1;
  const readingOf = (point: number): Reading => {
    const hour = hours[point];
    if (hour === undefined) return { time: '', values: [] };
    return {
      time: minuteText(hour.start) + (point === last ? ' so far' : ''),
      values: [
        { look: NOW, name: 'Events', text: count(countOf(hour.count)) },
        { look: BEFORE, name: 'A day before', text: count(countOf(hour.before)) },
      ],
    };
  };
  return (
    <Chart
      name="Events by hour"
      lines={[
        { look: NOW, values: hours.map((hour) => countOf(hour.count)), drawnAs: 'bars' },
        { look: BEFORE, values: hours.map(({ before }) => countOf(before)) },
      ]}
      labels={hours.map(({ start }) => clockText(start))}
      readingOf={readingOf}
      isCut={{ first: false, last: true }}
      notes={notesAt(
        hours.map(({ start }) => start),
        notes,
      )}
    />
  );
}
