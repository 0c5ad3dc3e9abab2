import type { CatalogMember } from '../../api/types.ts';
import { setParameters } from '../../api/address.ts';
import { grouped } from '../../parts/numbers.ts';
import { Section } from '../../parts/page.tsx';
import { type CellColumn, Listing } from '../../parts/table.tsx';
import { Button } from '../../parts/form.tsx';

/** The properties that the event was sent with: how often, of which types, with examples. */
export function Properties({
  properties,
  hasMore,
}: {
  readonly properties: readonly CatalogMember[];
  readonly hasMore: boolean;
}) {
  return (
    <Section
      id="properties"
      title={
        <>
          Properties <span class="quiet">{hasMore ? `${properties.length} most frequent` : properties.length}</span>
        </>
      }
    >
      <Listing
        rows={properties}
        keyOf={({ name }) => name}
        columns={PROPERTY_COLUMNS}
        none={<p class="quiet">This event was never sent with properties.</p>}
      />
    </Section>
  );
}

function splitBy(name: string): void {
  setParameters({ split: `property:${name}` }, { push: true });
  document.querySelector('.question')?.scrollIntoView({ block: 'start' });
}

const PROPERTY_COLUMNS: readonly CellColumn<CatalogMember>[] = [
  { name: 'Property', cell: ({ name }) => name },
  {
    name: 'Type',
    cell: ({ types }) => (
      <ul class="types">
        {types.map(({ type, share }) => (
          <li key={type}>
            {type} {types.length > 1 && <span class="quiet">{percentText(Number(share.rawJSON))}</span>}
          </li>
        ))}
      </ul>
    ),
  },
  {
    name: 'Examples',
    look: 'narrow-off',
    cell: ({ examples }) => (
      <ul class="examples">
        {examples.map((example) => (
          <li key={example}>
            <code>{example}</code>
          </li>
        ))}
      </ul>
    ),
  },
  { name: 'Recorded', look: 'number', cell: ({ count }) => grouped(count.rawJSON) },
  {
    name: 'Split',
    look: 'number',
    isHidden: true,
    cell: ({ name }) => (
      <Button label="Split" look="plain" onClick={() => splitBy(name)} aria-label={`Split by ${name}`} />
    ),
  },
];

/** `0.2 %` stays visible beside `99.8 %`. */
function percentText(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  return `${percent < 10 && percent > 0 ? percent.toFixed(1) : percent > 99 && percent < 100 ? percent.toFixed(1) : Math.round(percent)} %`;
}
