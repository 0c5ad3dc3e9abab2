/** The name and how often the audience updates, and saving it, also where somebody else saved it meanwhile. */
import { useState } from 'preact/hooks';
import { ApiError, ask, operation, refusalIn } from '../../api/client.ts';
import { type Json, jsonText } from '../../api/json.ts';
import type { SavedAudience } from '../../api/types.ts';
import { address, goTo, linkTo, setParameters } from '../../api/address.ts';
import { tellDone } from '../../parts/loading/change.tsx';
import { mayChangeAudiences } from '../../api/session.ts';
import { Command, CopyAs } from '../../parts/copy-as.tsx';
import { Share } from '../../parts/page.tsx';
import { Button, submitted } from '../../parts/form.tsx';
import { Problem } from '../../parts/loading/use-load.tsx';
import { Conflict } from '../audiences/conflict.tsx';
import { RefreshOptions } from '../audiences/summary.tsx';
import { isOfBefore } from '../audiences/state.ts';
import { updateNow } from '../audiences/updates.ts';
import type { Builder } from './builder.ts';
import { jsonChoice } from './json-pane.tsx';
import { formatJson } from './json-text.ts';

interface Wanted {
  readonly name: string;
  readonly refresh: string | null;
}

const USUAL_REFRESH = '1h';
/** In the address. */
const MANUAL = 'manual';

export function Head({ builder }: { readonly builder: Builder }) {
  const [error, setError] = useState<ApiError>();
  const [conflict, setConflict] = useState<{ readonly theirs: SavedAudience; readonly wanted: Wanted }>();
  const saved = builder.saved.value;
  const save = async (wanted: Wanted, over: SavedAudience | undefined): Promise<void> => {
    setError(undefined);
    try {
      const audience = await send(builder.document ?? null, wanted, over);
      // What updates by itself does so at once; the page of the audience says why it could not be counted.
      if (audience.refresh === null && (audience.evaluation === null || isOfBefore(audience)))
        void updateNow(audience.id).catch(refusalIn);
      tellDone('Audience saved.');
      goTo(linkTo(['audiences', audience.id]));
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      if (caught.status === 412 && saved !== undefined) {
        const theirs = await ask(operation('GET /v1/audiences/{id}', { path: { id: saved.id } }));
        setConflict({ theirs, wanted });
      } else setError(caught);
    }
  };
  const take = (theirs: SavedAudience): void => {
    builder.takeSaved(theirs);
    setConflict(undefined);
  };
  return (
    <>
      <Form key={saved?.revision.rawJSON} builder={builder} onSave={(wanted) => void save(wanted, saved)} />
      {!mayChangeAudiences.value && (
        <p class="quiet small">
          Your key can read audiences. To save one, sign in with a key that has the permission “audiences”.
        </p>
      )}
      {error !== undefined && <Problem error={error} />}
      {conflict !== undefined && (
        <Conflict
          before={saved}
          theirs={conflict.theirs}
          yours={{ name: conflict.wanted.name, definition: builder.document ?? null }}
          onOver={() => void save(conflict.wanted, conflict.theirs)}
          onTake={() => take(conflict.theirs)}
          onClose={() => setConflict(undefined)}
        />
      )}
    </>
  );
}

async function send(definition: Json, wanted: Wanted, saved: SavedAudience | undefined): Promise<SavedAudience> {
  const body = jsonText({ ...wanted, definition });
  if (saved === undefined) return ask(operation('POST /v1/audiences', { body }));
  const path = { id: saved.id };
  const headers = { 'If-Match': `"${saved.revision.rawJSON}"` };
  return ask({ ...operation('PUT /v1/audiences/{id}', { path, body }), headers });
}

function Form({ builder, onSave }: { readonly builder: Builder; readonly onSave: (wanted: Wanted) => void }) {
  const saved = builder.saved.value;
  const { document, error } = builder.draft.value;
  const isStuck = document === undefined || error !== undefined || builder.problems.value.length > 0;
  const name = address.peek().query.get('name') ?? saved?.name ?? '';
  const usual = saved === undefined ? USUAL_REFRESH : saved.refresh;
  const refresh = (): string | null => {
    const chosen = address.peek().query.get('updates') ?? usual;
    return chosen === MANUAL ? null : chosen;
  };
  const submit = submitted((textOf) => onSave({ name: textOf('name'), refresh: refresh() }));
  return (
    <form class="head" onSubmit={submit}>
      <h1 class="visually-hidden">{saved === undefined ? 'New audience' : saved.name}</h1>
      <input
        class="name"
        name="name"
        aria-label="Name"
        placeholder="Name of the audience"
        required
        maxLength={200}
        autocomplete="off"
        defaultValue={name}
        onInput={({ currentTarget: { value } }) => setParameters({ name: value === saved?.name ? '' : value })}
      />
      <div class="row actions">
        <Tools builder={builder} />
        {document !== undefined && <CopyDefinition definition={document} />}
        <Share />
        <RefreshOptions
          verb="Updates "
          refresh={refresh()}
          onChoose={(chosen) => setParameters({ updates: (chosen || null) === usual ? '' : chosen || MANUAL })}
        />
        <Button label="Save" type="submit" look="primary" disabled={isStuck || !mayChangeAudiences.value} />
      </div>
    </form>
  );
}

/** Undo, redo, and whether the JSON is shown. */
function Tools({ builder }: { readonly builder: Builder }) {
  const isOpen = jsonChoice.value === 'open';
  return (
    <>
      <Button label="Undo" look="plain" disabled={!builder.canUndo.value} title="Ctrl Z" onClick={builder.undo} />
      <Button label="Redo" look="plain" disabled={!builder.canRedo.value} title="Ctrl Shift Z" onClick={builder.redo} />
      <button
        type="button"
        aria-label="JSON"
        title="Show the JSON"
        aria-pressed={isOpen}
        onClick={() => (jsonChoice.value = isOpen ? 'closed' : 'open')}
      >
        <code aria-hidden="true">{'</>'}</code>
      </button>
    </>
  );
}

/** The count for a terminal, the definition, and the SQL that it is asked for by. */
function CopyDefinition({ definition }: { readonly definition: Json }) {
  const body = jsonText({ definition });
  return (
    <CopyAs
      request={operation('POST /v1/audiences/preview', { body })}
      tidemark={['audience', 'preview', jsonText(definition)]}
      explain={operation('POST /v1/audiences/explain', { body })}
    >
      <Command name="JSON" text={formatJson(definition)} />
    </CopyAs>
  );
}
