import type { SavedAudience } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { mayChangeAudiences } from '../../api/session.ts';
import { LinkButton } from '../../parts/page.tsx';
import { plural } from '../../parts/numbers.ts';
import { listIn } from './list-file.ts';
import { knownText, useKnown } from './list-screen.tsx';

/** How many lines a list has, how many are users, and the way to another file. */
export function ListLines({ audience: { id, definition } }: { readonly audience: SavedAudience }) {
  const list = listIn(definition) ?? NONE;
  const known = useKnown(list);
  if (list === NONE) return null;
  return (
    <p class="row list-lines">
      <span>
        A list of {plural(list.values.length, 'line')}
        {known !== undefined && `: ${knownText(known, list.values.length)}`}.
      </span>
      {mayChangeAudiences.value && (
        <LinkButton label="Replace or add from a file" link={linkTo(['audiences', id, 'file'])} />
      )}
    </p>
  );
}

const NONE = { trait: undefined, values: [] };
