/** A page of users, with the columns that were chosen. */
import type { RawNumber } from '../../api/json.ts';
import { linkTo } from '../../api/address.ts';
import { Empty } from '../../parts/loading/use-load.tsx';
import { counted } from '../../parts/numbers.ts';
import { type CellColumn, RowLink } from '../../parts/table.tsx';
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

interface FoundUsersProps {
  readonly users: readonly FoundUser[];
  readonly columns: readonly string[];
  readonly next: string | null;
  /** Whether there may be users whom the search or the conditions leave out. */
  readonly isNarrowed: boolean;
}

export function FoundUsers({ users, columns, next, isNarrowed }: FoundUsersProps) {
  const traits = traitsAmong(columns).map((name) => spelled([name]));
  return (
    <UserTable
      users={users}
      traits={traits}
      columns={traits}
      nameOf={(user, cell) => <RowLink link={userLink(user)}>{cell}</RowLink>}
      ends={ENDS.filter(({ column }) => column === undefined || columns.includes(column))}
      none={<Nobody isNarrowed={isNarrowed} />}
      next={next}
    />
  );
}

/** One without a name among the columns is always there. */
const ENDS: readonly (CellColumn<FoundUser> & { readonly column?: string })[] = [
  {
    column: 'events',
    name: 'Events',
    look: 'number narrow-off',
    cell: ({ events }) => (events === undefined ? '–' : counted(events)),
  },
  {
    column: 'first_seen',
    name: 'First seen',
    look: 'number quiet narrow-off',
    cell: ({ first_seen: at }) => <Ago at={at} isPlain />,
  },
  { name: 'Last seen ↓', look: 'number quiet', cell: ({ last_seen: at }) => <Ago at={at} isPlain /> },
];

function Nobody({ isNarrowed }: { readonly isNarrowed: boolean }) {
  if (isNarrowed) {
    return (
      <Empty title="Nobody was found">
        The search looks at ids, and at the traits that are chosen in the settings of the project, such as name and
        email. Conditions look at the present values.
      </Empty>
    );
  }
  return (
    <Empty title="There are no users yet">
      A user appears with the first message that names a <code>user_id</code>. <a href={linkTo([])}>Send one</a>, or{' '}
      <a href={linkTo(['live'])}>see new messages</a>.
    </Empty>
  );
}
