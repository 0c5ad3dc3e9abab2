import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { address, linkTo, parameter, setParameters } from '../api/address.ts';
import { Button } from './form.tsx';
import { useEscape } from './keyboard.ts';
import { type Loaded, Ready } from './loading/use-load.tsx';
import { count } from './numbers.ts';
import { LinkButton } from './page.tsx';
import './table.css';

export interface CellColumn<T> {
  readonly name: string;
  /** `number` aligns to the right, `quiet` is grey; `narrow-off` leaves the column out where there is little room. */
  readonly look?: string;
  /** Whether the name is for screen readers alone. */
  readonly isHidden?: boolean;
  readonly cell: (row: T) => ComponentChildren;
}

interface ListingProps<T> {
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** The first cell of a row is its head; a link in it with the class `cover` takes the whole row. */
  readonly columns: readonly CellColumn<T>[];
  /** More classes of the table. */
  readonly look?: string;
  readonly rowLook?: (row: T) => string;
  /** Below a row; undefined or false while it is closed. */
  readonly detailsOf?: ((row: T) => ComponentChildren) | undefined;
  /** The parameter of the address that names the row that is open, where the head of a row opens it. Esc closes it. */
  readonly openBy?: string;
  /** In place of a first page without rows, after which nothing comes. */
  readonly none?: ComponentChildren;
  /** The cursor of the page that follows, null where none does; left out where all is one page. */
  readonly next?: string | null;
  /** The parameter of the address that has the cursor, where a screen has several lists. */
  readonly cursor?: string;
}

/** A table with a row for each of a list, and below it the links to other pages. */
export function Listing<T>({ next, cursor = 'cursor', none, ...table }: ListingProps<T>) {
  const isEmpty = table.rows.length === 0;
  // A page may be empty, and the next one not.
  const isBlank = none !== undefined && isEmpty && (next ?? null) === null && !address.value.query.has(cursor);
  return (
    <>
      {isBlank ? none : <Rows {...table} />}
      {table.openBy !== undefined && <CloseByEscape parameter={table.openBy} />}
      {isEmpty && (next ?? null) !== null && <p class="quiet">Nothing on this page. There is more on the next.</p>}
      {next !== undefined && <Pager next={next} name={cursor} />}
    </>
  );
}

const FEW = 5;

/** The first few rows of a list that is there as a whole, until all are asked for. */
export function ShortListing<T>({ rows, ...listing }: ListingProps<T>) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && rows.length > FEW;
  return (
    <>
      <Listing rows={isCut ? rows.slice(0, FEW) : rows} {...listing} />
      {isCut && <Button label={`Show all ${count(rows.length)}`} look="below" onClick={() => setWhole(true)} />}
    </>
  );
}

interface ListedProps<A, T> extends Omit<ListingProps<T>, 'rows' | 'next'> {
  readonly of: Loaded<A>;
  /** What is loaded: `keys`. */
  readonly what: string;
  readonly rowsOf: (answer: A) => readonly T[];
}

/** A list as the service answers it, a page at a time. */
export function Listed<A extends { readonly next_cursor: string | null }, T>(props: ListedProps<A, T>) {
  const { of, what, rowsOf, ...listing } = props;
  return (
    <Ready of={of} what={what}>
      {(answer) => <Listing rows={rowsOf(answer)} next={answer.next_cursor} {...listing} />}
    </Ready>
  );
}

function CloseByEscape({ parameter }: { readonly parameter: string }) {
  useOpenRow(parameter);
  return null;
}

function Rows<T>({ rows, keyOf, columns, look = '', rowLook, detailsOf, openBy }: ListingProps<T>) {
  const [head, ...others] = columns;
  return (
    <table class={`table ${look}`}>
      <thead>
        <tr>
          {columns.map(({ name, look: of, isHidden = false }) => (
            <th key={name} scope="col" class={of}>
              {isHidden ? <span class="visually-hidden">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const key = keyOf(row);
          const isOpen = openBy === undefined || isOpenRow(key, openBy);
          const details = isOpen && (detailsOf?.(row) ?? false);
          const cell = head?.cell(row);
          return (
            <Fragment key={key}>
              <tr class={rowLook?.(row)}>
                <th scope="row" class={head?.look}>
                  {openBy === undefined ? (
                    cell
                  ) : (
                    <RowButton isOpen={isOpen} onToggle={() => toggleRow(key, openBy)}>
                      {cell}
                    </RowButton>
                  )}
                </th>
                {others.map(({ name, look: of, cell }) => (
                  <td key={name} class={of}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
              {details !== false && (
                <tr class="open-details">
                  <td colSpan={columns.length}>{details}</td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

interface PagerProps {
  /** The cursor of the page that follows; null where none does. */
  readonly next: string | null;
  readonly name?: string;
}

/** Links to the first page and to the next one; which one is shown is in the address. */
export function Pager({ next, name = 'cursor' }: PagerProps) {
  const { path, query } = address.value;
  const others = Object.fromEntries(query);
  if (!query.has(name) && next === null) return null;
  return (
    <p class="row below">
      {query.has(name) && <LinkButton label="First page" link={linkTo(path, { ...others, [name]: undefined })} />}
      {next !== null && <LinkButton label="Next page" link={linkTo(path, { ...others, [name]: next })} />}
    </p>
  );
}

interface RowButtonProps {
  /** How wide the cells are of a line of a list without columns, which opens in its place or beside it. */
  readonly look?: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: ComponentChildren;
}

/** The head of a row that opens: a press on the row is one on it. */
export function RowButton({ look = 'bare cover', isOpen, onToggle, children }: RowButtonProps) {
  return (
    <button type="button" class={look} data-row aria-expanded={isOpen} onClick={onToggle}>
      {children}
    </button>
  );
}

/** Whether the address has this row of a list open. */
export function isOpenRow(id: string, name = 'open'): boolean {
  return parameter(name) === id;
}

/** Opens a row, or closes it. Back takes that back. */
export function toggleRow(id: string, parameter = 'open'): void {
  setParameters({ [parameter]: isOpenRow(id, parameter) ? '' : id }, { push: true });
}

/** Esc closes the row of a list that is open. */
export function useOpenRow(parameter = 'open'): void {
  useEscape(() => setParameters({ [parameter]: '' }));
}

/** The head of a row that leads elsewhere. */
export function RowLink({ link, children }: { readonly link: string; readonly children: ComponentChildren }) {
  return (
    <a class="cover" data-row href={link}>
      {children}
    </a>
  );
}
