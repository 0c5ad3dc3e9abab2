import { countOf } from '../../api/json.ts';
import type { DeadLettersPage } from '../../api/types.ts';
import { setParameters } from '../../frame/router.ts';
import { projectName } from '../../frame/session.ts';
import { count } from '../../parts/numbers.ts';
import { type Filter, PARAMETERS, STATES } from './filter.ts';

type Facet = keyof DeadLettersPage['facets'];

const FACETS = ['reader', 'topic', 'code', 'project', 'day'] as const satisfies readonly Facet[];

const NAMES: Readonly<Record<Facet, string>> = {
  reader: 'Reader',
  topic: 'Kind',
  code: 'Error',
  project: 'Project',
  day: 'Day',
};

interface FacetsProps {
  readonly filter: Filter;
  /** Undefined while they are loaded. */
  readonly counts: DeadLettersPage['facets'] | undefined;
}

/** What the list can be narrowed by: a choice each, with how many there are of what is chosen so far. */
export function Facets({ filter, counts }: FacetsProps) {
  const change = (name: string, value: string): void =>
    setParameters({ [name]: value, cursor: undefined }, { push: true });
  return (
    <form class="filters dead-letter-filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span class="label">State</span>
        <select
          data-search
          value={filter.state}
          onChange={({ currentTarget }) =>
            change('state', currentTarget.value === 'waiting' ? '' : currentTarget.value)
          }
        >
          {STATES.map((state) => (
            <option key={state} value={state}>
              {state}
            </option>
          ))}
        </select>
      </label>
      {FACETS.map((facet) => (
        <label key={facet}>
          <span class="label">{NAMES[facet]}</span>
          <select
            value={filter[facet] ?? ''}
            onChange={({ currentTarget }) => change(PARAMETERS[facet], currentTarget.value)}
          >
            <option value="">All</option>
            {choicesOf(facet, filter[facet], counts).map(({ value, total }) => (
              <option key={value} value={value}>
                {wordOf(facet, value)}
                {total === undefined ? '' : ` (${count(total)})`}
              </option>
            ))}
          </select>
        </label>
      ))}
    </form>
  );
}

interface Choice {
  readonly value: string;
  readonly total: number | undefined;
}

/** What is chosen is there, even where nothing has it now. */
function choicesOf(facet: Facet, chosen: string | undefined, counts: FacetsProps['counts']): readonly Choice[] {
  const known = (counts?.[facet] ?? []).flatMap(({ value, count: total }) =>
    value === null ? [] : [{ value, total: countOf(total) }],
  );
  if (chosen === undefined || known.some(({ value }) => value === chosen)) return known;
  return [{ value: chosen, total: undefined }, ...known];
}

function wordOf(facet: Facet, value: string): string {
  if (facet === 'project') return projectName(value);
  return facet === 'topic' ? value.replace('tidemark.', '') : value;
}
