/** Which columns the list of users has: a choice of this browser. */
import { jsonText, parseJson } from '../../api/json.ts';
import { stored } from '../../api/stored.ts';
import { CheckList } from '../../parts/choice.tsx';
import { closeByEscape } from '../../parts/copy-as.tsx';
import { nameTraits } from '../../parts/user-cell.tsx';
import type { CatalogName } from '../builder/known.ts';

/** `trait:email`, or one of `OTHERS`. */
export type ColumnName = string;

const OTHERS = { events: 'Events', first_seen: 'First seen' } as const;

/** JSON; '' before anybody has chosen. */
const choice = stored('user-columns', '');

/** What is shown where nobody has chosen: these, and then the most frequent, so that there are three. */
const USUAL = ['email', 'plan', 'country'];
const FEW = 3;
const MOST_CHOICES = 40;

/** The columns that are visible. @param known The traits of the project, the most frequent first. */
export function columnsOf(known: readonly CatalogName[]): readonly ColumnName[] {
  const chosen = choice.value === '' ? undefined : (parseJson(choice.value) as readonly ColumnName[]);
  const isKnown = (column: ColumnName): boolean =>
    Object.hasOwn(OTHERS, column) || known.some(({ name }) => column === `trait:${name}`);
  return chosen?.filter(isKnown) ?? usualColumns(known);
}

function usualColumns(known: readonly CatalogName[]): readonly ColumnName[] {
  const isShort = ({ types: [first] = [] }: CatalogName): boolean =>
    first?.type !== 'object' && first?.type !== 'array';
  const names = known.filter(isShort).map(({ name }) => name);
  const usual = USUAL.filter((name) => names.includes(name) && name !== nameTraits()[0]);
  const others = names.filter((name) => !usual.includes(name) && !nameTraits().includes(name));
  return [...[...usual, ...others].slice(0, FEW).map((name) => `trait:${name}`), 'events'];
}

/** The traits among the columns. */
export function traitsAmong(columns: readonly ColumnName[]): readonly string[] {
  return columns.flatMap((column) => (column.startsWith('trait:') ? column.slice('trait:'.length) : []));
}

export function ColumnChoice({ known }: { readonly known: readonly CatalogName[] }) {
  const visible = columnsOf(known);
  const all = [...known.slice(0, MOST_CHOICES).map(({ name }) => `trait:${name}`), ...Object.keys(OTHERS)];
  const options = all.map(
    (column) => [column, OTHERS[column as keyof typeof OTHERS] ?? column.slice('trait:'.length)] as const,
  );
  return (
    <details class="menu" onKeyDown={closeByEscape}>
      <summary class="button">Columns</summary>
      <fieldset class="menu-panel column-choice">
        <legend class="visually-hidden">Columns</legend>
        <CheckList options={options} chosen={visible} onChoice={(columns) => (choice.value = jsonText(columns))} />
      </fieldset>
    </details>
  );
}
