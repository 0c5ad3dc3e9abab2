/** How many users enter and leave each audience where a project begins or stops to join ids. */
import { useState } from 'preact/hooks';
import { ask, operation } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import type { Answer } from '../../api/types.ts';
import { Ready, useLoad } from '../../parts/loading/use-load.tsx';
import { count } from '../../parts/numbers.ts';
import { type CellColumn, ShortListing } from '../../parts/table.tsx';

interface JoinEffect {
  /** The audience's. */
  readonly name: string;
  /** How many enter, and how many leave; undefined where that exceeds the limits of one query. */
  readonly moved: readonly (number | undefined)[];
}

const EFFECT_COLUMNS: readonly CellColumn<JoinEffect>[] = [
  { name: 'Audience', cell: ({ name }) => name },
  ...['Enter', 'Leave'].map((name, i) => ({
    name,
    look: 'number',
    cell: ({ moved: { [i]: users } }: JoinEffect) => (users === undefined ? 'over limits' : count(users)),
  })),
];

interface JoinEffectsProps {
  /** The id. */
  readonly project: string;
  readonly isToJoin: boolean;
}

/** Those that change, as they are counted one after another, and how many do not once all are. */
export function JoinEffects({ project, isToJoin }: JoinEffectsProps) {
  const [changed, setChanged] = useState<readonly JoinEffect[]>([]);
  const loaded = useLoad(project, async (signal) => {
    // One that exceeds the limits of a query does not keep the others from being counted.
    const options = { headers: { 'Tidemark-Project': project }, signal, takes: [422] };
    const { audiences } = await ask({ ...operation('GET /v1/audiences', { query: { limit: 1_000 } }), ...options });
    const effects: JoinEffect[] = [];
    for (const { id, name } of audiences) {
      const body = { audience: id, to_join_ids: isToJoin, sample: 0 };
      const request = operation('POST /v1/audiences/compare', { body });
      const found: Partial<Answer<'POST /v1/audiences/compare'>> = await ask({ ...request, ...options });
      effects.push({ name, moved: [found.entering, found.leaving].map((users) => users && countOf(users.count)) });
      setChanged(effects.filter(({ moved }) => moved.some((users) => users !== 0)));
    }
    return audiences.length;
  });
  return (
    <>
      {changed.length > 0 && <ShortListing rows={changed} keyOf={({ name }) => name} columns={EFFECT_COLUMNS} />}
      <Ready of={loaded} what="audiences">
        {(total) => <p class="quiet small">Audiences without a change: {count(total - changed.length)}</p>}
      </Ready>
    </>
  );
}
