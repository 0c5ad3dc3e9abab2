/** Somebody else saved the audience meanwhile: what is kept is chosen. */
import { countOf, type Json } from '../../api/json.ts';
import type { SavedAudience } from '../../api/types.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { JsonView } from '../../parts/json/json-view.tsx';
import { count } from '../../parts/numbers.ts';
import { Button } from '../../parts/form.tsx';
import { isSame } from '../builder/json-edit.ts';

interface ConflictProps {
  /** What was there when the page was opened. */
  readonly before: SavedAudience | undefined;
  readonly theirs: SavedAudience;
  readonly yours: { readonly name: string; readonly definition: Json };
  readonly onOver: () => void;
  readonly onTake: () => void;
  readonly onClose: () => void;
}

export function Conflict({ before, theirs, yours, onOver, onTake, onClose }: ConflictProps) {
  const changes = before === undefined ? 1 : countOf(theirs.revision) - countOf(before.revision);
  const isSameDefinition = isSame(theirs.definition, yours.definition);
  return (
    <Dialog title="Someone else changed this audience" look="save" onClose={onClose}>
      {(close) => (
        <>
          <p>
            Since you opened it, it was saved {changes === 1 ? 'once' : `${count(changes)} times`}.{' '}
            {isSameDefinition ? 'Its conditions are the same as yours.' : 'Its conditions differ from yours:'}
          </p>
          {!isSameDefinition && (
            <div class="two-columns">
              <div>
                <h3>Saved now: {theirs.name}</h3>
                <JsonView value={theirs.definition} />
              </div>
              <div>
                <h3>Yours: {yours.name}</h3>
                <JsonView value={yours.definition} />
              </div>
            </div>
          )}
          <div class="row dialog-actions">
            <Button label="Cancel" onClick={close} />
            <Button label="Use the saved version" onClick={onTake} />
            <Button label="Overwrite it with yours" look="primary" onClick={onOver} />
          </div>
        </>
      )}
    </Dialog>
  );
}
