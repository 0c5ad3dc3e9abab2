/** What an audience is for, and its tags: shown, and changed in their place. */
import { useState } from 'preact/hooks';
import { operation } from '../../api/client.ts';
import type { SavedAudience } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { mayChangeAudiences } from '../../api/session.ts';
import { Form } from '../../parts/loading/change.tsx';
import { Button } from '../../parts/form.tsx';
import { useFocusOnMount } from '../../parts/use-focus.ts';
import { changeAudience } from './updates.ts';

interface LabelsProps {
  readonly audience: SavedAudience;
  readonly onChange: () => void;
}

export function Labels({ audience, onChange }: LabelsProps) {
  const [isEditing, setEditing] = useState(false);
  const { note, tags } = audience;
  const close = (): void => setEditing(false);
  if (isEditing) return <LabelsForm audience={audience} onChange={onChange} onClose={close} />;
  const isEmpty = note === '' && tags.length === 0;
  return (
    <div class="labels row">
      {note !== '' && <p>{note}</p>}
      <Tags tags={tags} />
      {mayChangeAudiences.value && (
        <Button
          label={isEmpty ? 'Add a description or tags' : 'Change'}
          look="plain"
          onClick={() => setEditing(true)}
        />
      )}
    </div>
  );
}

/** Each leads to the list of those that have it. */
export function Tags({ tags }: Pick<SavedAudience, 'tags'>) {
  return tags.map((tag) => (
    <a key={tag} class="badge tag" href={linkTo(['audiences'], { tag })}>
      {tag}
    </a>
  ));
}

function LabelsForm({ audience, onChange, onClose }: LabelsProps & { readonly onClose: () => void }) {
  const field = useFocusOnMount<HTMLTextAreaElement>();
  const save = async (textOf: (name: string) => string): Promise<void> => {
    const [note, words] = [textOf('note'), textOf('tags')];
    const tags = [...new Set(words.split(',').map((word) => word.trim()))].filter((word) => word !== '');
    const change = operation('PATCH /v1/audiences/{id}', { path: { id: audience.id }, body: { note, tags } });
    await changeAudience(audience, change);
    onClose();
    onChange();
  };
  return (
    <Form label="Description and tags" look="card labels-form" action="Save" onSend={save} onCancel={onClose}>
      <label>
        <span class="label">Description</span>
        <textarea ref={field} name="note" rows={2} maxLength={1_000} defaultValue={audience.note} />
      </label>
      <label>
        <span class="label">Tags, separated by commas</span>
        <input name="tags" defaultValue={audience.tags.join(', ')} autoComplete="off" />
      </label>
    </Form>
  );
}
