import type { ComponentChildren } from 'preact';
import type { Json } from '../api/json.ts';
import { JsonValue } from '../parts/json/json-view.tsx';
import { Table } from '../parts/table.tsx';
import { type ListedUser, UserCell } from '../parts/user-cell.tsx';
import { columnsFor } from './user-columns.ts';

interface UserTableProps<U extends ListedUser> {
  readonly users: readonly U[];
  /** What the list asked for, as the parameter `traits` spells it. */
  readonly traits: readonly string[];
  /** Makes a link or a button of a user's name; with the class `cover` it is the whole row. */
  readonly nameOf: (user: U, cell: ComponentChildren) => ComponentChildren;
  /** At the end of the row. */
  readonly endOf: (user: U) => ComponentChildren;
  /** Below the row; undefined where it is closed. */
  readonly detailsOf?: (user: U) => ComponentChildren;
}

/** Users with a column for each trait. Where there is little room, the first one is left. */
export function UserTable<U extends ListedUser>({ users, traits, nameOf, endOf, detailsOf }: UserTableProps<U>) {
  const columns = columnsFor(users, traits).map((name, i) => ({ name, look: i === 0 ? '' : 'narrow-off' }));
  return (
    <Table look="users" columns={[{ name: 'User' }, ...columns, { name: 'Why', isHidden: true }]}>
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
            <td class="number">{endOf(user)}</td>
          </tr>,
          details !== undefined && (
            <tr key={`${user.internal_id} details`} class="open-details">
              <td colSpan={columns.length + 2}>{details}</td>
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
