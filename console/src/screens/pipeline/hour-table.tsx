/** The hours of a verification, each with what the log has and what the stores have. */
import { countOf } from '../../api/json.ts';
import type { VerifiedHour } from '../../api/types.ts';
import { projectName } from '../../frame/session.ts';
import { count, counted } from '../../parts/numbers.ts';
import { Table } from '../../parts/table.tsx';
import { exactTime, zoneChoice, zoneOf } from '../../parts/time.tsx';

export function HourTable({ hours }: { readonly hours: readonly VerifiedHour[] }) {
  return (
    <div class="scrolling" tabIndex={0} role="region" aria-label="Hours">
      <Table look="one-line" columns={COLUMNS}>
        {hours.map((hour) => (
          <tr key={hour.hour + hour.project} class={hour.equal ? '' : 'differs'}>
            <th scope="row">{hourText(hour.hour)}</th>
            <td>{projectName(hour.project)}</td>
            <td class="number">{counted(hour.messages)}</td>
            <StoreCell counts={hour.postgres} waits={countOf(hour.not_yet.postgres)} />
            <StoreCell counts={hour.clickhouse} waits={countOf(hour.not_yet.clickhouse)} />
            <td class="number quiet">{counted(hour.repeats)}</td>
          </tr>
        ))}
      </Table>
    </div>
  );
}

const COLUMNS = [
  { name: 'Hour' },
  { name: 'Project' },
  { name: 'In the log', look: 'number' },
  { name: 'Profiles', look: 'number' },
  { name: 'Analytics', look: 'number' },
  { name: 'Repeats', look: 'number' },
];

/** `24 Nov 2026, 14:00` */
function hourText(at: string): string {
  return exactTime(at, zoneOf(zoneChoice.value)).split(':').slice(0, 2).join(':');
}

interface StoreCellProps {
  readonly counts: VerifiedHour['postgres'];
  readonly waits: number;
}

function StoreCell({ counts, waits }: StoreCellProps) {
  const [expected, found] = [countOf(counts.expected), countOf(counts.found)];
  if (expected === found) {
    return (
      <td class="number">
        {waits > 0 && <span class="quiet">{count(waits)} on the way </span>}
        {count(found)}
      </td>
    );
  }
  const difference = Math.abs(expected - found);
  return (
    <td class="number wrong">
      {count(found)} <b>{expected > found ? `${count(difference)} missing` : `${count(difference)} too many`}</b>
    </td>
  );
}
