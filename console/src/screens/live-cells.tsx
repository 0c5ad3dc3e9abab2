import type { LiveRow } from '../api/types.ts';
import { Excerpt } from '../parts/json/json-view.tsx';
import { Clock } from '../parts/time.tsx';
import { type ListedUser, UserCell } from '../parts/user-cell.tsx';

/** The cells of a line with a message: when it arrived, what, whose, and what is in it. */
export function LiveCells({ row }: { readonly row: LiveRow }) {
  return (
    <>
      <Clock at={row.received_at} />
      <span class={`kind ${row.type}`}>
        {row.type === 'track' ? row.event : row.type}
        {row.adjusted !== undefined && <span class="badge mended">corrected</span>}
      </span>
      <UserCell user={userOf(row)} isBrief />
      <Excerpt value={row.properties ?? row.traits ?? {}} />
    </>
  );
}

/** Whose it is. An identify names a user whom profiles do not know yet. */
export function userOf(row: LiveRow): ListedUser {
  return { ...row, traits: { ...row.traits, ...known(row) } };
}

function known({ user_traits: traits = {} }: LiveRow): NonNullable<LiveRow['traits']> {
  return Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== null));
}
