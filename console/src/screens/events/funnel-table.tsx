/** The users at each step by the value of a trait. */
import { countOf, type Json } from '../../api/json.ts';
import type { Funnel } from '../../api/types.ts';
import { count, shareText } from '../../parts/numbers.ts';
import { Listing } from '../../parts/table.tsx';
import { seriesText } from './figures.ts';
import { audienceLink } from './funnel-step.tsx';

type Row = Funnel['series'][number];

export function FunnelTable({ answer: { steps, series }, by }: { readonly answer: Funnel; readonly by: string }) {
  return (
    <section aria-label={`By ${by}`}>
      <Listing
        rows={series}
        keyOf={({ value, other }) => JSON.stringify([value, other])}
        columns={[
          { name: by, cell: (row) => seriesText(row, `trait:${by}`) },
          ...steps.map(({ audience }, index) => ({
            name: `Step ${index + 1}`,
            look: 'number',
            cell: (row: Row) => <Cell row={row} by={by} index={index} audience={audience} />,
          })),
        ]}
      />
    </section>
  );
}

interface CellProps {
  readonly row: Row;
  readonly by: string;
  readonly index: number;
  readonly audience: Json;
}

function Cell({ row: { value, other, reached }, by, index, audience }: CellProps) {
  const [first = 0, users = 0] = [reached[0], reached[index]].map((one) => one && countOf(one));
  const trait = value === null ? { trait: by, exists: false } : { trait: by, is: value };
  return (
    <>
      {other ? count(users) : <a href={audienceLink({ all: [trait, audience] })}>{count(users)}</a>}
      {index > 0 && <span class="quiet"> {shareText(users, first)}</span>}
    </>
  );
}
