/** Which columns a list of users has: a choice of this browser. */
import type { Signal } from '@preact/signals';
import { jsonText, parseJson } from '../../api/json.ts';
import { stored } from '../../api/stored.ts';
import { CheckMenu } from '../../parts/choice.tsx';
import { nameTraits } from '../../parts/user-cell.tsx';
import type { CatalogName } from '../builder/known.ts';

/** `trait:email`, or one of what else the list has. */
export type ColumnName = string;

const OTHERS: Readonly<Record<ColumnName, string>> = { events: 'Events', first_seen: 'First seen' };

const choice = stored('user-columns', '');

/** What is shown where nobody has chosen: these, and then the most frequent, so that there are three. */
const USUAL = ['email', 'plan', 'country'];
const FEW = 3;
const MOST_CHOICES = 40;

/** What a stored choice has, as JSON; undefined before anybody has chosen. */
export function chosenIn({ value }: Signal<string>): readonly ColumnName[] | undefined {
  return value === '' ? undefined : (parseJson(value) as readonly ColumnName[]);
}

/** The columns that are visible. @param known The traits of the project, the most frequent first. */
export function columnsOf(known: readonly CatalogName[]): readonly ColumnName[] {
  const isKnown = (column: ColumnName): boolean =>
    Object.hasOwn(OTHERS, column) || known.some(({ name }) => column === `trait:${name}`);
  return chosenIn(choice)?.filter(isKnown) ?? usualColumns(known);
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

/** The choice that the list of users has. */
export function UserColumns({ known }: { readonly known: readonly CatalogName[] }) {
  const traits = known.map(({ name }) => name);
  return <ColumnChoice traits={traits} others={OTHERS} visible={columnsOf(known)} choice={choice} />;
}

interface ColumnChoiceProps {
  /** The traits that there are, the most frequent first. */
  readonly traits: readonly string[];
  /** What else there is, with its name. */
  readonly others: Readonly<Record<ColumnName, string>>;
  readonly visible: readonly ColumnName[];
  readonly choice: Signal<string>;
}

export function ColumnChoice({ traits, others, visible, choice: kept }: ColumnChoiceProps) {
  const offered = traits.slice(0, MOST_CHOICES).map((name) => `trait:${name}`);
  const all = [...new Set([...offered, ...visible, ...Object.keys(others)])];
  const options = all.map((column) => [column, others[column] ?? column.slice('trait:'.length)] as const);
  const choose = (columns: readonly ColumnName[]): void => void (kept.value = jsonText(columns));
  return <CheckMenu label="Columns" text="Columns" options={options} chosen={visible} onChoice={choose} />;
}
