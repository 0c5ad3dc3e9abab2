/** A page of users, with the columns that were chosen. */
import type { RawNumber } from '../../api/json.ts';
import { counted } from '../../parts/numbers.ts';
import { RowLink } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { type ListedUser, spelled } from '../../parts/user-cell.tsx';
import { userLink } from '../user-link.ts';
import { UserTable } from '../user-table.tsx';
import { traitsAmong } from './columns.tsx';

interface FoundUser extends ListedUser {
  readonly first_seen: string;
  readonly last_seen: string;
  readonly events?: RawNumber;
}

export function Found({
  users,
  columns,
}: {
  readonly users: readonly FoundUser[];
  readonly columns: readonly string[];
}) {
  const traits = traitsAmong(columns).map((name) => spelled([name]));
  const others = [
    { column: 'events', name: 'Events', look: 'number narrow-off' },
    { column: 'first_seen', name: 'First seen', look: 'number narrow-off' },
    { column: 'last_seen', name: 'Last seen ↓', look: 'number' },
  ].filter(({ column }) => column === 'last_seen' || columns.includes(column));
  const cellOf = (user: FoundUser, column: string) => {
    if (column === 'events') return user.events === undefined ? '–' : counted(user.events);
    return (
      <span class="quiet">
        <Ago at={column === 'first_seen' ? user.first_seen : user.last_seen} isPlain />
      </span>
    );
  };
  return (
    <UserTable
      users={users}
      traits={traits}
      columns={traits}
      nameOf={(user, cell) => <RowLink link={userLink(user)}>{cell}</RowLink>}
      ends={others}
      endOf={(user) => others.map(({ column }) => cellOf(user, column))}
    />
  );
}
