/** The name, how often the audience is evaluated, and the effect of the change, before it is saved. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, ask } from '../../api/client.ts';
import { countOf, type Json, jsonText } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { SavedAudience } from '../../api/types.ts';
import { goTo, linkTo } from '../../frame/router.ts';
import { textIn } from '../../parts/form.ts';
import { JsonView } from '../../parts/json/json-view.tsx';
import { count } from '../../parts/numbers.ts';
import type { Builder } from './builder.ts';
import { isSame } from './json-edit.ts';

interface Wanted {
  readonly name: string;
  readonly refresh: string | null;
}

const REFRESHES: Readonly<Record<string, string>> = {
  '': 'Only when asked',
  '15m': 'Every 15 minutes',
  '1h': 'Every hour',
  '1d': 'Every day',
  '1w': 'Every week',
};

export function SaveDialog({ builder, onClose }: { readonly builder: Builder; readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState<ApiError>();
  const [theirs, setTheirs] = useState<SavedAudience>();
  const [wanted, setWanted] = useState<Wanted>();
  const saved = builder.saved.value;
  useEffect(() => dialog.current?.showModal(), []);
  const save = async (values: Wanted, over: SavedAudience | undefined): Promise<void> => {
    setError(undefined);
    setWanted(values);
    try {
      const { id } = await send(builder.document ?? null, values, over);
      goTo(linkTo(['audiences', id]));
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      if (caught.status === 412 && saved !== undefined) setTheirs(await load(saved.id));
      else setError(caught);
    }
  };
  return (
    <dialog ref={dialog} class="save" aria-labelledby="save-title" onClose={onClose}>
      {theirs === undefined || wanted === undefined ? (
        <Form builder={builder} error={error} onSave={(values) => void save(values, saved)} />
      ) : (
        <Conflict
          builder={builder}
          theirs={theirs}
          wanted={wanted}
          onOver={() => void save(wanted, theirs)}
          onTake={() => {
            builder.takeSaved(theirs);
            dialog.current?.close();
          }}
        />
      )}
    </dialog>
  );
}

async function send(definition: Json, wanted: Wanted, saved: SavedAudience | undefined): Promise<SavedAudience> {
  const body = jsonText({ ...wanted, definition });
  if (saved === undefined) return ask(operation('POST /v1/audiences', { body }));
  const path = { id: saved.id };
  const headers = { 'If-Match': `"${saved.revision.rawJSON}"` };
  return ask({ ...operation('PUT /v1/audiences/{id}', { path, body }), headers });
}

async function load(id: string): Promise<SavedAudience> {
  return ask(operation('GET /v1/audiences/{id}', { path: { id } }));
}

interface FormProps {
  readonly builder: Builder;
  readonly error: ApiError | undefined;
  readonly onSave: (wanted: Wanted) => void;
}

function Form({ builder, error, onSave }: FormProps) {
  const saved = builder.saved.value;
  const refresh = saved?.refresh ?? '';
  const choices = Object.hasOwn(REFRESHES, refresh) ? REFRESHES : { ...REFRESHES, [refresh]: `Every ${refresh}` };
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const chosen = textIn(event.currentTarget, 'refresh');
    onSave({ name: textIn(event.currentTarget, 'name'), refresh: chosen === '' ? null : chosen });
  };
  return (
    <form onSubmit={submit}>
      <div class="head">
        <h2 id="save-title">{saved === undefined ? 'Save the audience' : 'Save the changes'}</h2>
      </div>
      <Effect builder={builder} />
      <label>
        <span class="label">Name</span>
        <input name="name" required maxLength={200} autocomplete="off" defaultValue={saved?.name ?? ''} />
      </label>
      <label>
        <span class="label">Find out who entered and who left</span>
        <select name="refresh" defaultValue={refresh}>
          {Object.entries(choices).map(([value, text]) => (
            <option key={value} value={value} selected={value === refresh}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error.message} {error.errors.map(({ path, message }) => `${path} ${message}`).join('; ')}
        </p>
      )}
      <div class="row dialog-actions">
        <CloseButton />
        <button type="submit" class="primary">
          Save
        </button>
      </div>
    </form>
  );
}

function CloseButton() {
  return (
    <button type="button" onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}>
      Cancel
    </button>
  );
}

function Effect({ builder }: { readonly builder: Builder }) {
  const effect = builder.counting.effect.value;
  const counted = builder.counting.counted.value;
  if (counted === undefined || builder.counting.isCounting.value) return null;
  return (
    <p class="save-effect">
      <b>{count(counted.count)}</b> {counted.count === 1 ? 'user' : 'users'} now.{' '}
      {effect !== undefined && `The change adds ${count(effect.entering)} and removes ${count(effect.leaving)}.`}
    </p>
  );
}

interface ConflictProps {
  readonly builder: Builder;
  readonly theirs: SavedAudience;
  readonly wanted: Wanted;
  readonly onOver: () => void;
  readonly onTake: () => void;
}

/** Somebody else saved between: both are shown, and nothing is lost by itself. */
function Conflict({ builder, theirs, wanted, onOver, onTake }: ConflictProps) {
  const isSameDefinition = isSame(theirs.definition, builder.document);
  return (
    <div>
      <div class="head">
        <h2 id="save-title">Somebody changed it meanwhile</h2>
      </div>
      <p>
        Since you opened it, it was saved {changesBetween(builder, theirs)}.{' '}
        {isSameDefinition ? 'Its conditions are the same as yours.' : 'Its conditions differ from yours:'}
      </p>
      {!isSameDefinition && (
        <div class="both-versions">
          <div>
            <h3>Saved now: {theirs.name}</h3>
            <JsonView value={theirs.definition} />
          </div>
          <div>
            <h3>Yours: {wanted.name}</h3>
            <JsonView value={builder.document ?? null} />
          </div>
        </div>
      )}
      <div class="row dialog-actions">
        <CloseButton />
        <button type="button" onClick={onTake}>
          Take what is saved
        </button>
        <button type="button" class="primary" onClick={onOver}>
          Save yours over it
        </button>
      </div>
    </div>
  );
}

function changesBetween({ saved }: Builder, theirs: SavedAudience): string {
  const before = saved.peek();
  const changes = before === undefined ? 1 : countOf(theirs.revision) - countOf(before.revision);
  return changes === 1 ? 'once' : `${count(changes)} times`;
}
