import { countOf, type RawNumber } from '../../api/json.ts';
import type { ProjectStatus, ProjectSummary } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { Sparkline } from '../../parts/charts/sparkline.tsx';
import { comparedText, count } from '../../parts/numbers.ts';

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
        {values.length > 1 && (
          <Sparkline values={values} room={values.length} label={`Last ${values.length} days: ${values.join(', ')}`} />
        )}
      </a>
    </li>
  );
}
