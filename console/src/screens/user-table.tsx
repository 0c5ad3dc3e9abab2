import type { ComponentChildren } from 'preact';
import { JsonValue } from '../parts/json/json-view.tsx';
import { type CellColumn, Listing } from '../parts/table.tsx';
import { type ListedUser, UserCell } from '../parts/user-cell.tsx';
import { columnsFor } from './user-columns.ts';

interface UserTableProps<U extends ListedUser> {
  readonly users: readonly U[];
  /** What the list asked for, as the parameter `traits` spells it. */
  readonly traits: readonly string[];
  /** Makes a link or a button of a user's name; with the class `cover` it is the whole row. */
  readonly nameOf: (user: U, cell: ComponentChildren) => ComponentChildren;
  /** The columns for traits, all left out where there is little room; by default those that say more than the name does. */
  readonly columns?: readonly string[] | undefined;
  /** Behind the traits. */
  readonly ends: readonly CellColumn<U>[];
  /** Below the row; false where it is closed. */
  readonly detailsOf?: (user: U) => ComponentChildren;
  readonly none?: ComponentChildren;
  readonly next?: string | null;
}

/** Users with a column for each trait. Where there is little room, the first one is left. */
export function UserTable<U extends ListedUser>({
  users,
  traits,
  nameOf,
  columns,
  ends,
  ...listing
}: UserTableProps<U>) {
  const ofTraits = (columns ?? columnsFor(users, traits)).map((name, i): CellColumn<U> => {
    const look = i === 0 && columns === undefined ? '' : 'narrow-off';
    const cell = ({ traits: own = {} }: U) => {
      const value = own[name] ?? null;
      return value === null ? <span class="quiet">–</span> : <JsonValue value={value} maxLength={40} />;
    };
    return { name, look, cell };
  });
  return (
    <Listing
      look="users"
      rows={users}
      keyOf={({ internal_id: id }) => id}
      columns={[{ name: 'User', cell: (user) => nameOf(user, <UserCell user={user} />) }, ...ofTraits, ...ends]}
      {...listing}
    />
  );
}
