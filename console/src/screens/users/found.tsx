/** A page of users, with the columns that were chosen. */
import type { RawNumber } from '../../api/json.ts';
import { linkTo } from '../../frame/router.ts';
import { Pager } from '../../parts/loading/pager.tsx';
import { Empty } from '../../parts/loading/states.tsx';
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

interface TableProps {
  readonly users: readonly FoundUser[];
  readonly columns: readonly string[];
}

interface FoundProps extends TableProps {
  readonly next: string | null;
  /** Whether there may be users whom the search or the conditions leave out. */
  readonly isNarrowed: boolean;
}

export function Found({ next, isNarrowed, ...table }: FoundProps) {
  if (table.users.length === 0) return <Nobody isNarrowed={isNarrowed} />;
  return (
    <>
      <FoundTable {...table} />
      <Pager next={next} />
    </>
  );
}

function FoundTable({ users, columns }: TableProps) {
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

function Nobody({ isNarrowed }: { readonly isNarrowed: boolean }) {
  if (isNarrowed) {
    return (
      <Empty title="Nobody was found">
        The search looks for a part of an id, and in the traits that the project searches: name and email, unless it has
        others. Conditions look at the values that users have now.
      </Empty>
    );
  }
  return (
    <Empty title="There are no users yet">
      A user appears with the first message that names a <code>user_id</code>. <a href={linkTo([])}>Send one</a>, or{' '}
      <a href={linkTo(['live'])}>see what comes in</a>.
    </Empty>
  );
}
