import type { DeadLettersPage } from '../../api/types.ts';
import { setParameters } from '../../api/address.ts';
import { projectName } from '../../api/session.ts';
import { Choice, Filters } from '../../parts/choice.tsx';
import { counted } from '../../parts/numbers.ts';
import { PROBLEMS } from '../../parts/loading/problems.ts';
import { PART_NAMES } from '../today/ready-parts.tsx';
import { type LetterFilter, PARAMETERS, STATES } from './filter.ts';

type Facet = keyof DeadLettersPage['facets'];

const FACET_NAMES: Readonly<Record<Facet, string>> = {
  reader: 'Reader',
  topic: 'Kind',
  code: 'Why',
  project: 'Project',
  day: 'Day',
};

interface FacetsProps {
  readonly filter: LetterFilter;
  /** Undefined while they are loaded. */
  readonly counts: DeadLettersPage['facets'] | undefined;
}

/** What the list can be narrowed by: a choice each, with how many there are of what is chosen so far. */
export function Facets({ filter, counts }: FacetsProps) {
  const change = (name: string, value: string): void =>
    setParameters({ [name]: value, cursor: undefined }, { push: true });
  return (
    <Filters>
      <Choice
        label="State"
        isSearch
        value={filter.state}
        options={STATES.map((state) => [state, state])}
        onChoice={(state) => change('state', state === 'waiting' ? '' : state)}
      />
      {(Object.keys(FACET_NAMES) as Facet[]).map((facet) => (
        <Choice
          key={facet}
          label={FACET_NAMES[facet]}
          value={filter[facet] ?? ''}
          options={[['', 'All'], ...choicesOf(facet, filter[facet], counts)]}
          onChoice={(value) => change(PARAMETERS[facet], value)}
        />
      ))}
    </Filters>
  );
}

/** What is chosen is there, even where nothing has it now. */
function choicesOf(facet: Facet, chosen: string | undefined, counts: FacetsProps['counts']) {
  const known = (counts?.[facet] ?? []).flatMap(({ value, count }): readonly (readonly [string, string])[] =>
    value === null ? [] : [[value, `${wordOf(facet, value)} (${counted(count)})`]],
  );
  const isKnown = chosen === undefined || known.some(([value]) => value === chosen);
  return isKnown ? known : [[chosen, wordOf(facet, chosen)] as const, ...known];
}

function wordOf(facet: Facet, value: string): string {
  if (facet === 'project') return projectName(value);
  if (facet === 'code') return PROBLEMS[value]?.what ?? value;
  if (facet === 'reader') return PART_NAMES[value] ?? value;
  return facet === 'topic' ? value.replace('tidemark.', '') : value;
}
