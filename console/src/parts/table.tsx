import type { ComponentChildren } from 'preact';
import './table.css';

export interface Column {
  readonly name: string;
  /** `number` aligns to the right; `narrow-off` leaves the column out where there is little room. */
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

interface OpeningRowProps {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** The first cell: a press on the row is one on it. */
  readonly head: ComponentChildren;
  /** How many columns the table has. */
  readonly width: number;
  /** Below the row while it is open. */
  readonly details: ComponentChildren;
  /** The other cells. */
  readonly children: ComponentChildren;
}

/** A row that opens to more, below it. */
export function OpeningRow({ isOpen, onToggle, head, width, details, children }: OpeningRowProps) {
  return (
    <>
      <tr>
        <th scope="row">
          <button type="button" class="bare cover" data-row aria-expanded={isOpen} onClick={onToggle}>
            {head}
          </button>
        </th>
        {children}
      </tr>
      {isOpen && (
        <tr class="open-details">
          <td colSpan={width}>{details}</td>
        </tr>
      )}
    </>
  );
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
