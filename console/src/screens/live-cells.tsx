import type { LiveRow } from '../api/types.ts';
import { Excerpt } from '../parts/json/json-view.tsx';
import { Clock } from '../parts/time.tsx';

/** The cells of a line with a message: when it arrived, what, whose, and what is in it. */
export function LiveCells({ row }: { readonly row: LiveRow }) {
  return (
    <>
      <Clock at={row.received_at} />
      <span class={`kind ${row.type}`}>
        {row.type === 'track' ? row.event : row.type}
        {row.adjusted !== undefined && <span class="badge mended">mended</span>}
      </span>
      <span class="who">{row.user_id ?? <span class="quiet">{row.anonymous_id ?? row.internal_id}</span>}</span>
      <Excerpt value={row.properties ?? row.traits ?? {}} />
    </>
  );
}
