import { countOf, type RawNumber } from '../../api/json.ts';
import type { ProjectStatus, ProjectSummary } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { comparedText, count } from '../../parts/numbers.ts';

interface FiguresProps {
  readonly summary: ProjectSummary;
  /** Undefined until it is known. */
  readonly status: ProjectStatus | undefined;
}

/** Four figures, each with what it was a day before and a link to what it counts. */
export function Figures({ summary: { events, active_users: active, new_users: fresh }, status }: FiguresProps) {
  const rejected = status?.refused_today ?? undefined;
  const before = status?.refused_yesterday ?? undefined;
  return (
    <ul class="today-figures">
      <Figure name="Events" link={linkTo(['events'])} value={events.count} before={events.before} />
      <Figure name="Active users" link={linkTo(['users'])} value={active.count} before={active.before} />
      <Figure name="New users" link={linkTo(['users'])} value={fresh.count} before={fresh.before} />
      <Figure
        name="Rejected today, UTC"
        link={linkTo(['live'], { tab: 'refusals' })}
        value={rejected}
        remark={before === undefined ? '' : `${count(countOf(before))} yesterday`}
        isBad={rejected !== undefined && countOf(rejected) > 0}
      />
    </ul>
  );
}

interface FigureProps {
  readonly name: string;
  readonly link: string;
  /** Undefined where it is not known. */
  readonly value: RawNumber | undefined;
  readonly before?: RawNumber;
  /** In place of the comparison. */
  readonly remark?: string;
  readonly isBad?: boolean;
}

function Figure({ name, link, value, before, remark, isBad = false }: FigureProps) {
  const compared = before === undefined || value === undefined ? remark : comparedText(countOf(value), countOf(before));
  return (
    <li>
      <a class="card today-figure" data-row href={link}>
        <span class="quiet">{name}</span>
        <b class={isBad ? 'some' : ''}>{value === undefined ? '–' : count(countOf(value))}</b>
        <span class="quiet small">{compared}</span>
      </a>
    </li>
  );
}
