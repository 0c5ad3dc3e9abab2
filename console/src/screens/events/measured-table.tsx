import { useState } from 'preact/hooks';
import { Table } from '../../parts/table.tsx';
import { figureText, seriesText } from './figures.ts';
import type { Answered } from './measured.tsx';

interface TableProps {
  readonly answered: Answered;
  readonly nameOf: (point: number) => string;
}

/** The figures of the chart, made when the table is opened: there may be thousands. */
export function MeasuredTable({ answered, nameOf }: TableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="same-table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>The same as a table</summary>
      {isOpen && <Figures answered={answered} nameOf={nameOf} />}
    </details>
  );
}

function Figures({ answered: { question, counts }, nameOf }: TableProps) {
  const { measure, split } = question;
  const columns = counts.series.flatMap((one) => {
    const name = split === undefined ? 'This period' : seriesText(one, split);
    const now = { name, values: one.values };
    if (counts.previous === null) return [now];
    return [now, { name: split === undefined ? 'Period before' : `${name}, before`, values: one.previous ?? [] }];
  });
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Figures of the chart">
      <Table columns={[{ name: 'Time' }, ...columns.map(({ name }) => ({ name, look: 'number' }))]}>
        {counts.buckets.map((bucket, point) => (
          <tr key={bucket.start}>
            <th scope="row">{nameOf(point)}</th>
            {columns.map(({ name, values }) => (
              <td key={name} class="number">
                {figureText(values[point], measure)}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </div>
  );
}
