/** What happened on the days of a chart: what people wrote, and what marks itself. */
import { useState } from 'preact/hooks';
import { ask, operation } from '../../api/client.ts';
import { mayChangeAudiences } from '../../api/session.ts';
import type { Note } from '../../api/types.ts';
import { Dialog } from '../dialog.tsx';
import { Button, Field } from '../form.tsx';
import { ChangeButton, Form } from '../loading/change.tsx';
import { type Loaded, useAnswer } from '../loading/use-load.tsx';
import { dayAndMinute, dayIn, zoneOf } from '../time.tsx';
import { noteText } from './notes-at.ts';

/**
 * Newest first. That the definition of an audience changed is said on the chart of that audience alone.
 *
 * @param since Undefined to ask for none.
 */
export function useNotes(since: string | undefined, audienceId?: string): Loaded<readonly Note[]> {
  const loaded = useAnswer(since === undefined ? undefined : operation('GET /v1/notes', { query: { since } }));
  const notes = loaded.value?.notes.filter(({ kind, id }) => kind !== 'audience' || id === audienceId);
  return { ...loaded, value: notes };
}

/** A button that writes one on a day of the project. */
export function NewNote({ onAdd }: { readonly onAdd: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const send = async (at: string, text: string): Promise<void> => {
    await ask(operation('POST /v1/notes', { body: { at, text } }));
    onAdd();
    setOpen(false);
  };
  if (!mayChangeAudiences.value) return null;
  return (
    <>
      <Button label="Add note" look="plain" onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog title="Add a note" onClose={() => setOpen(false)}>
          {(close) => (
            <Form action="Add" onSend={async (textOf) => send(textOf('at'), textOf('text'))} onCancel={close}>
              <Field label="What happened" name="text" required maxLength={200} placeholder="Sale begins" isFirst />
              <Field label="When" name="at" type="datetime-local" required defaultValue={localNow()} />
              <p class="quiet small">All charts of the project show it, to everybody. Times in {zoneOf('project')}.</p>
            </Form>
          )}
        </Dialog>
      )}
    </>
  );
}

/** `2026-11-20T10:15`: what the clock of the project shows. */
function localNow(): string {
  const parts = { dateStyle: 'short', timeStyle: 'short', timeZone: zoneOf('project') } as const;
  return new Intl.DateTimeFormat('sv-SE', parts).format(Date.now()).replace(' ', 'T');
}

/** Those of a chart, below it. Nothing where there are none. */
export function NoteList({ of: { value = [], retry } }: { readonly of: Loaded<readonly Note[]> }) {
  if (value.length === 0) return null;
  return (
    <ul class="notes-of-chart small" aria-label="Notes">
      {value.map((note) => (
        <li key={note.kind + note.at + note.text} class="row">
          <span class="quiet">{note.kind === 'note' ? dayIn(note.at, zoneOf('project')) : dayAndMinute(note.at)}</span>
          <span>{noteText(note)}</span>
          {note.by !== null && <span class="quiet">{note.by}</span>}
          {note.kind === 'note' && mayChangeAudiences.value && <Remove id={note.id ?? ''} onDone={retry} />}
        </li>
      ))}
    </ul>
  );
}

function Remove({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const remove = async (): Promise<void> => ask(operation('DELETE /v1/notes/{id}', { path: { id } })).then(onDone);
  return <ChangeButton label="Delete" look="plain" change={remove} />;
}
