/** What happened most, and which audiences changed most. */
import { countOf } from '../../api/json.ts';
import type { ProjectStatus, ProjectSummary } from '../../api/types.ts';
import { linkTo } from '../../frame/router.ts';
import { comparedText, count, signedCount } from '../../parts/numbers.ts';
import { Table } from '../../parts/table.tsx';

const EVENTS = [{ name: 'Event' }, { name: 'Count', look: 'number' }, { name: 'Change', look: 'number' }];

export function TopEvents({ events }: { readonly events: ProjectSummary['top_events'] }) {
  return (
    <section class="card" aria-labelledby="top">
      <h2 id="top">
        <a href={linkTo(['events'])}>Top events</a>
      </h2>
      {events.length === 0 && <p class="quiet">No events in the last 24 hours.</p>}
      {events.length > 0 && (
        <Table columns={EVENTS}>
          {events.map(({ name, count: times, before }) => (
            <Line
              key={name}
              name={name}
              link={linkTo(['events', name])}
              value={countOf(times)}
              change={comparedText(countOf(times), countOf(before))}
            />
          ))}
        </Table>
      )}
    </section>
  );
}

const AUDIENCES = [{ name: 'Audience' }, { name: 'Users', look: 'number' }, { name: 'Change', look: 'number' }];

export function MovedAudiences({ audiences }: { readonly audiences: NonNullable<ProjectStatus['moved_audiences']> }) {
  return (
    <section class="card" aria-labelledby="moved">
      <h2 id="moved">
        <a href={linkTo(['audiences'])}>Audiences that moved most</a>
      </h2>
      {audiences.length === 0 && <p class="quiet">No audience has been counted yet.</p>}
      {audiences.length > 0 && (
        <Table columns={AUDIENCES}>
          {audiences.map(({ id, name, members, before }) => (
            <Line
              key={id}
              name={name}
              link={linkTo(['audiences', id])}
              value={countOf(members)}
              change={before === null ? 'new' : signedCount(countOf(members) - countOf(before))}
            />
          ))}
        </Table>
      )}
    </section>
  );
}

interface LineProps {
  readonly name: string;
  readonly link: string;
  readonly value: number;
  readonly change: string;
}

function Line({ name, link, value, change }: LineProps) {
  return (
    <tr>
      <th scope="row">
        <a class="cover" data-row href={link}>
          {name}
        </a>
      </th>
      <td class="number">{count(value)}</td>
      <td class="number quiet">{change}</td>
    </tr>
  );
}
