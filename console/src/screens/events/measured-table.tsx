import { useState } from 'preact/hooks';
import { csvLine } from '../../../../schemas/csv-line.ts';
import type { CountsSeries } from '../../api/types.ts';
import { Listing } from '../../parts/table.tsx';
import { fileNameOf, TextFile } from '../../parts/text-file.ts';
import { Button } from '../../parts/form.tsx';
import { type Answered, figureText, measureText, seriesText } from './figures.ts';

interface TableProps {
  readonly answered: Answered;
  readonly nameOf: (point: number) => string;
}

/** The figures of the chart, made when the table is opened: there may be thousands. */
export function MeasuredTable({ answered, nameOf }: TableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <p class="row below">
        <Button label="Download CSV" onClick={() => save(answered)} />
      </p>
      <details class="same-table below" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Show as a table</summary>
        {isOpen && <Figures answered={answered} nameOf={nameOf} />}
      </details>
    </>
  );
}

interface Column {
  readonly name: string;
  readonly values: CountsSeries['values'];
}

function columnsOf({ question: { split }, counts }: Answered): readonly Column[] {
  return counts.series.flatMap((one) => {
    const name = split === undefined ? 'This period' : seriesText(one, split);
    const now = { name, values: one.values };
    if (counts.previous === null) return [now];
    return [now, { name: split === undefined ? 'Period before' : `${name}, before`, values: one.previous ?? [] }];
  });
}

/** Every digit as the service answers it, each time with its offset. */
function save(answered: Answered): void {
  const { question, counts } = answered;
  const columns = columnsOf(answered);
  const file = new TextFile();
  file.add(csvLine([question.interval, ...columns.map(({ name }) => name)]));
  for (const [point, { local }] of counts.buckets.entries())
    file.add(csvLine([local, ...columns.map(({ values }) => values[point]?.rawJSON ?? null)]));
  file.save(`${fileNameOf(`${question.event} ${measureText(question)}`)}.csv`);
}

function Figures({ answered, nameOf }: TableProps) {
  const columns = columnsOf(answered);
  return (
    <div class="scrolling below" tabIndex={0} role="region" aria-label="Figures of the chart">
      <Listing
        rows={[...answered.counts.buckets.entries()]}
        keyOf={([point]) => String(point)}
        columns={[
          { name: 'Time', cell: ([point]) => nameOf(point) },
          ...columns.map(({ name, values }) => ({
            name,
            look: 'number',
            cell: ([point]: [number, unknown]) => figureText(values[point], answered.question.measure),
          })),
        ]}
      />
    </div>
  );
}
