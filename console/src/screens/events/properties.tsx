import type { CatalogMember } from '../../api/types.ts';
import { setParameters } from '../../frame/router.ts';
import { grouped } from '../../parts/numbers.ts';
import { Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';

const COLUMNS = [
  { name: 'Property' },
  { name: 'Type' },
  { name: 'Examples', look: 'narrow-off' },
  { name: 'Recorded', look: 'number' },
  { name: 'Split', isHidden: true },
];

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
      {properties.length === 0 ? (
        <p class="quiet">This event was never sent with properties.</p>
      ) : (
        <Table look="properties" columns={COLUMNS}>
          {properties.map((property) => (
            <Property key={property.name} property={property} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function Property({ property: { name, types, examples, count } }: { readonly property: CatalogMember }) {
  const split = (): void => {
    setParameters({ split: `property:${name}` }, { push: true });
    document.querySelector('.question')?.scrollIntoView({ block: 'start' });
  };
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <ul class="types">
          {types.map(({ type, share }) => (
            <li key={type}>
              {type} {types.length > 1 && <span class="quiet">{percentText(Number(share.rawJSON))}</span>}
            </li>
          ))}
        </ul>
      </td>
      <td class="narrow-off">
        <ul class="examples">
          {examples.map((example) => (
            <li key={example}>
              <code>{example}</code>
            </li>
          ))}
        </ul>
      </td>
      <td class="number">{grouped(count.rawJSON)}</td>
      <td class="number">
        <button type="button" class="plain" onClick={split} aria-label={`Split by ${name}`}>
          Split
        </button>
      </td>
    </tr>
  );
}

/** `0.2 %` stays visible beside `99.8 %`. */
function percentText(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  return `${percent < 10 && percent > 0 ? percent.toFixed(1) : percent > 99 && percent < 100 ? percent.toFixed(1) : Math.round(percent)} %`;
}
