/** The hours of a verification, each with what the log has and what the stores have. */
import { countOf } from '../../api/json.ts';
import type { VerifiedHour } from '../../api/types.ts';
import { projectName } from '../../api/session.ts';
import { count, counted } from '../../parts/numbers.ts';
import { type CellColumn, Listing } from '../../parts/table.tsx';
import { dayAndMinute } from '../../parts/time.tsx';

interface HourTableProps {
  readonly hours: readonly VerifiedHour[];
  /** Why there are none. */
  readonly none: string;
  readonly next: string | null;
}

export function HourTable({ hours, none, next }: HourTableProps) {
  return (
    <div class="scrolling" tabIndex={0} role="region" aria-label="Hours">
      <Listing
        look="one-line"
        rows={hours}
        keyOf={({ hour, project }) => hour + project}
        columns={HOUR_COLUMNS}
        rowLook={({ equal }) => (equal ? '' : 'differs')}
        none={<p class="quiet">{none}</p>}
        next={next}
        cursor="hours"
      />
    </div>
  );
}

const HOUR_COLUMNS: readonly CellColumn<VerifiedHour>[] = [
  { name: 'Hour', cell: ({ hour }) => dayAndMinute(hour) },
  { name: 'Project', cell: ({ project }) => projectName(project) },
  { name: 'In the log', look: 'number', cell: ({ messages }) => counted(messages) },
  {
    name: 'Profiles',
    look: 'number',
    cell: ({ postgres, not_yet: waiting }) => <InStore counts={postgres} waits={countOf(waiting.postgres)} />,
  },
  {
    name: 'Analytics',
    look: 'number',
    cell: ({ clickhouse, not_yet: waiting }) => <InStore counts={clickhouse} waits={countOf(waiting.clickhouse)} />,
  },
  { name: 'Repeats', look: 'number quiet', cell: ({ repeats }) => counted(repeats) },
];

function InStore({ counts, waits }: { readonly counts: VerifiedHour['postgres']; readonly waits: number }) {
  const [expected, found] = [countOf(counts.expected), countOf(counts.found)];
  const difference = Math.abs(expected - found);
  if (difference === 0) {
    return (
      <>
        {waits > 0 && <span class="quiet">{count(waits)} on the way </span>}
        {count(found)}
      </>
    );
  }
  return (
    <span class="wrong">
      {count(found)} <b>{expected > found ? `${count(difference)} missing` : `${count(difference)} too many`}</b>
    </span>
  );
}
