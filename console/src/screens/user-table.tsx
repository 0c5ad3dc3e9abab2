import type { ComponentChildren } from 'preact';
import type { Json } from '../api/json.ts';
import { JsonValue } from '../parts/json/json-view.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { type ListedUser, UserCell } from '../parts/user-cell.tsx';
import { columnsFor } from './user-columns.ts';

interface UserTableProps<U extends ListedUser> {
  readonly users: readonly U[];
  /** What the list asked for, as the parameter `traits` spells it. */
  readonly traits: readonly string[];
  /** Makes a link or a button of a user's name; with the class `cover` it is the whole row. */
  readonly nameOf: (user: U, cell: ComponentChildren) => ComponentChildren;
  /** The columns for traits, all left out where there is little room; by default those that say more than the name does. */
  readonly columns?: readonly string[];
  /** Behind the traits; by default one without a name. */
  readonly ends?: readonly Column[];
  /** The cells of those columns. */
  readonly endOf: (user: U) => ComponentChildren | readonly ComponentChildren[];
  /** Below the row; undefined where it is closed. */
  readonly detailsOf?: (user: U) => ComponentChildren;
}

const WHY: readonly Column[] = [{ name: 'Why', isHidden: true, look: 'number' }];

/** Users with a column for each trait. Where there is little room, the first one is left. */
export function UserTable<U extends ListedUser>(props: UserTableProps<U>) {
  const { users, traits, columns: names = columnsFor(users, traits), ends = WHY, nameOf, endOf, detailsOf } = props;
  const isFirstKept = props.columns === undefined;
  const columns = names.map((name, i) => ({ name, look: i === 0 && isFirstKept ? '' : 'narrow-off' }));
  return (
    <Table look="users" columns={[{ name: 'User' }, ...columns, ...ends]}>
      {users.map((user) => {
        const details = detailsOf?.(user);
        return [
          <tr key={user.internal_id}>
            <th scope="row">{nameOf(user, <UserCell user={user} />)}</th>
            {columns.map(({ name, look }) => (
              <td key={name} class={look}>
                <Trait value={user.traits?.[name] ?? null} />
              </td>
            ))}
            {[endOf(user)].flat().map((cell, i) => (
              <td key={ends[i]?.name} class={ends[i]?.look}>
                {cell}
              </td>
            ))}
          </tr>,
          details !== undefined && (
            <tr key={`${user.internal_id} details`} class="open-details">
              <td colSpan={columns.length + ends.length + 1}>{details}</td>
            </tr>
          ),
        ];
      })}
    </Table>
  );
}

function Trait({ value }: { readonly value: Json }) {
  return value === null ? <span class="quiet">–</span> : <JsonValue value={value} maxLength={40} />;
}
