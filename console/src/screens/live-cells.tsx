import type { LiveRow } from '../api/types.ts';
import { Excerpt } from '../parts/json/json-view.tsx';
import { Clock } from '../parts/time.tsx';
import { UserCell } from '../parts/user-cell.tsx';

/** The cells of a line with a message: when it arrived, what, whose, and what is in it. */
export function LiveCells({ row }: { readonly row: LiveRow }) {
  return (
    <>
      <Clock at={row.received_at} />
      <span class={`kind ${row.type}`}>
        {row.type === 'track' ? row.event : row.type}
        {row.adjusted !== undefined && <span class="badge mended">mended</span>}
      </span>
      {/* An identify names a user whom profiles do not know yet. */}
      <UserCell user={{ ...row, traits: { ...row.traits, ...known(row) } }} isBrief />
      <Excerpt value={row.properties ?? row.traits ?? {}} />
    </>
  );
}

function known({ user_traits: traits = {} }: LiveRow): NonNullable<LiveRow['traits']> {
  return Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== null));
}
