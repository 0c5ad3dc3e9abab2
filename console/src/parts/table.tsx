import type { ComponentChildren } from 'preact';
import './table.css';

export interface Column {
  readonly name: string;
  /** `number` aligns to the right; `narrow-off` leaves the column out where there is little room. */
  readonly look?: string;
  /** Whether the name is for screen readers alone. */
  readonly isHidden?: boolean;
}

export interface TableProps {
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
