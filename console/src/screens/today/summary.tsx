/** What happened most, and which audiences changed most. */
import { countOf, type RawNumber } from '../../api/json.ts';
import type { ProjectStatus, ProjectSummary } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { comparedText, count, counted, signedCount } from '../../parts/numbers.ts';
import { Listing, RowLink } from '../../parts/table.tsx';
import { Sparkline } from '../../parts/charts/sparkline.tsx';
import { Chart, type Reading } from '../../parts/charts/chart.tsx';
import { NewNote, useNotes } from '../../parts/charts/notes.tsx';
import { notesAt } from '../../parts/charts/notes-at.ts';
import { Section } from '../../parts/page.tsx';
import { clockText, minuteText } from '../../parts/time.tsx';

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

export function MovedAudiences({ audiences }: { readonly audiences: ProjectStatus['moved_audiences'] | undefined }) {
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

interface FiguresProps {
  /** Undefined until it is known. */
  readonly summary: ProjectSummary | undefined;
  readonly status: ProjectStatus | undefined;
}

/** Four figures, each with its last seven days, what it was a day before, and a link to what it counts. */
export function Figures({ summary, status }: FiguresProps) {
  const rejected = status?.refused_today ?? undefined;
  const before = status?.refused_yesterday ?? undefined;
  const days = (name: 'events' | 'active_users' | 'new_users') => summary?.days.map((day) => day[name]);
  return (
    <ul class="today-figures">
      <Figure name="Events" link={linkTo(['events'])} figure={summary?.events} days={days('events')} />
      <Figure name="Active users" link={linkTo(['users'])} figure={summary?.active_users} days={days('active_users')} />
      <Figure name="New users" link={linkTo(['users'])} figure={summary?.new_users} days={days('new_users')} />
      <Figure
        name="Rejected today"
        link={linkTo(['live'], { tab: 'refusals' })}
        figure={rejected && { count: rejected }}
        days={status?.refused_days ?? undefined}
        remark={before && `${count(countOf(before))} yesterday, UTC`}
        isBad={rejected !== undefined && countOf(rejected) > 0}
      />
    </ul>
  );
}

interface FigureProps {
  readonly name: string;
  readonly link: string;
  /** Undefined where it is not known. */
  readonly figure: { readonly count: RawNumber; readonly before?: RawNumber } | undefined;
  /** The oldest first. */
  readonly days: readonly RawNumber[] | undefined;
  /** In place of the comparison. */
  readonly remark?: string | undefined;
  readonly isBad?: boolean;
}

function Figure({ name, link, figure, days = [], remark, isBad = false }: FigureProps) {
  const compared = figure?.before && comparedText(countOf(figure.count), countOf(figure.before));
  const values = days.map(countOf);
  return (
    <li>
      <a class="card today-figure" data-row href={link}>
        <span class="quiet">{name}</span>
        <b class={isBad ? 'some' : ''}>{figure === undefined ? '–' : count(countOf(figure.count))}</b>
        <span class="quiet small">{remark ?? compared ?? '\u00a0'}</span>
        {values.length > 1 && <Sparkline values={values} label={`Last ${values.length} days: ${values.join(', ')}`} />}
      </a>
    </li>
  );
}

const NOW = 'series-0';
const BEFORE = 'series-0 before';

/** Events of each of the last 24 hours, and of the same hours a day before. @param hours None until they are known. */
export function HourChart({ hours = [] }: { readonly hours: ProjectSummary['hours'] | undefined }) {
  const starts = hours.map(({ start }) => start);
  const notes = useNotes(starts[0]);
  const readingOf = (point: number): Reading => {
    const hour = hours[point];
    if (hour === undefined) return { time: '', values: [] };
    return {
      time: minuteText(hour.start) + (point === hours.length - 1 ? ' so far' : ''),
      values: [
        { look: NOW, name: 'Events', text: count(countOf(hour.count)) },
        { look: BEFORE, name: 'A day before', text: count(countOf(hour.before)) },
      ],
    };
  };
  return (
    <Section id="hours" title="Events by hour" look="card" actions={<NewNote onAdd={notes.retry} />}>
      {hours.length === 0 ? (
        <div class="chart" />
      ) : (
        <Chart
          name="Events by hour"
          lines={[
            { look: NOW, values: hours.map((hour) => countOf(hour.count)), drawnAs: 'bars' },
            { look: BEFORE, values: hours.map(({ before }) => countOf(before)) },
          ]}
          labels={starts.map(clockText)}
          readingOf={readingOf}
          isCut={{ first: false, last: true }}
          notes={notesAt(starts, notes.value)}
        />
      )}
    </Section>
  );
}
