/** What happened most, and which audiences changed most. */
import { countOf, type RawNumber } from '../../api/json.ts';
import type { ProjectStatus, ProjectSummary } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { comparedText, counted, signedCount } from '../../parts/numbers.ts';
import { Listing, RowLink } from '../../parts/table.tsx';

interface TopListProps {
  readonly id: string;
  readonly title: string;
  /** Where all of them are. */
  readonly path: string;
  readonly none: string;
  /** What the numbers count: `Users`. */
  readonly unit: string;
  /** Undefined until they are known. */
  readonly rows: readonly TopRow[] | undefined;
}

interface TopRow {
  readonly name: string;
  readonly link: string;
  readonly value: RawNumber;
  readonly change: string;
}

function TopList({ id, title, path, none, unit, rows }: TopListProps) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>
        <a href={linkTo([path])}>{title}</a>
      </h2>
      {rows !== undefined && (
        <Listing
          rows={rows}
          keyOf={({ link }) => link}
          columns={[
            {
              name: path === 'events' ? 'Event' : 'Audience',
              cell: ({ name, link }) => <RowLink link={link}>{name}</RowLink>,
            },
            { name: unit, look: 'number', cell: ({ value }) => counted(value) },
            { name: 'Change', look: 'number quiet', cell: ({ change }) => change },
          ]}
          none={<p class="quiet">{none}</p>}
        />
      )}
    </section>
  );
}

export function TopEvents({ events }: { readonly events: ProjectSummary['top_events'] | undefined }) {
  const rows = events?.map(({ name, count, before }) => ({
    name,
    link: linkTo(['events', name]),
    value: count,
    change: comparedText(countOf(count), countOf(before)),
  }));
  const none = 'No events in the last 24 hours.';
  return <TopList id="top" title="Top events" path="events" none={none} unit="Count" rows={rows} />;
}

interface MovedProps {
  readonly audiences: NonNullable<ProjectStatus['moved_audiences']> | undefined;
}

export function MovedAudiences({ audiences }: MovedProps) {
  const rows = audiences?.map(({ id, name, members, before }) => ({
    name,
    link: linkTo(['audiences', id]),
    value: members,
    change: before === null ? 'new' : signedCount(countOf(members) - countOf(before)),
  }));
  const title = 'Audiences that moved most';
  return (
    <TopList id="moved" title={title} path="audiences" none="No audience has data yet." unit="Users" rows={rows} />
  );
}
