import { type ComponentChildren, Fragment } from 'preact';
import { address, setParameters } from '../frame/router.ts';
import { useEscape } from './loading/use-escape.ts';
import './table.css';

export interface Column {
  readonly name: string;
  /** `number` aligns to the right, `quiet` is grey; `narrow-off` leaves the column out where there is little room. */
  readonly look?: string;
  /** Whether the name is for screen readers alone. */
  readonly isHidden?: boolean;
}

interface TableProps {
  readonly columns: readonly Column[];
  /** More classes of the table. */
  readonly look?: string;
  /** Rows: `<tr>` whose first cell is a `<th scope="row">`; a link in it with the class `cover` takes the whole row. */
  readonly children: ComponentChildren;
}

export function Table({ columns, look = '', children }: TableProps) {
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
      <tbody>{children}</tbody>
    </table>
  );
}

export interface CellColumn<T> extends Column {
  readonly cell: (row: T) => ComponentChildren;
}

interface ListingProps<T> {
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly columns: readonly CellColumn<T>[];
  readonly look?: string;
  readonly rowLook?: (row: T) => string;
  /** Below a row; undefined or false while it is closed. */
  readonly detailsOf?: (row: T) => ComponentChildren;
}

/** A table with a row for each of a list. The first cell of a row is its head. */
export function Listing<T>({ rows, keyOf, columns, look = '', rowLook, detailsOf }: ListingProps<T>) {
  return (
    <Table columns={columns} look={look}>
      {rows.map((row) => {
        const details = detailsOf?.(row) ?? false;
        const [head, ...others] = columns;
        return (
          <Fragment key={keyOf(row)}>
            <tr class={rowLook?.(row)}>
              <th scope="row" class={head?.look}>
                {head?.cell(row)}
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
    </Table>
  );
}

interface RowButtonProps {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: ComponentChildren;
}

/** The head of a row that opens: a press on the row is one on it. */
export function RowButton({ isOpen, onToggle, children }: RowButtonProps) {
  return (
    <button type="button" class="bare cover" data-row aria-expanded={isOpen} onClick={onToggle}>
      {children}
    </button>
  );
}

/** Whether the address has this row of a list open. */
export function isOpenRow(id: string, parameter = 'open'): boolean {
  return address.value.query.get(parameter) === id;
}

/** Opens a row, or closes it. Back takes that back. */
export function toggleRow(id: string, parameter = 'open'): void {
  setParameters({ [parameter]: isOpenRow(id, parameter) ? '' : id }, { push: true });
}

/** Esc closes the row of a list that is open. */
export function useOpenRow(parameter = 'open'): void {
  useEscape(() => setParameters({ [parameter]: '' }));
}

interface OpenRowProps {
  readonly id: string;
  /** The parameter of the address that names the row that is open. */
  readonly parameter?: string;
  readonly children: ComponentChildren;
}

/** The head of a row that opens. */
export function OpenRow({ id, parameter, children }: OpenRowProps) {
  return (
    <RowButton isOpen={isOpenRow(id, parameter)} onToggle={() => toggleRow(id, parameter)}>
      {children}
    </RowButton>
  );
}

interface LineButtonProps extends RowButtonProps {
  /** A class beside `row-button`: how wide its cells are. */
  readonly look: string;
}

/** A line of a list without columns, which opens in its place or beside it. */
export function LineButton({ look, isOpen, onToggle, children }: LineButtonProps) {
  return (
    <button type="button" class={`row-button ${look}`} data-row aria-expanded={isOpen} onClick={onToggle}>
      {children}
    </button>
  );
}

/** The head of a row that leads elsewhere. */
export function RowLink({ link, children }: { readonly link: string; readonly children: ComponentChildren }) {
  return (
    <a class="cover" data-row href={link}>
      {children}
    </a>
  );
}
