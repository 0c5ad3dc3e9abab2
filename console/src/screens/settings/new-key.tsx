import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { CreatedKey } from '../../api/types.ts';
import { CheckList } from '../../parts/choice.tsx';
import { Field, FormButtons, submitted } from '../../parts/form.tsx';
import { Problem } from '../../parts/loading/states.tsx';
import { useChange } from '../../parts/loading/use-change.ts';

const SCOPES = {
  write: 'Records messages',
  read: 'Reads everything of the project',
  audiences: 'Reads, and saves and changes audiences',
} as const;
type Scope = keyof typeof SCOPES;

interface NewKeyProps {
  /** The id; undefined for an admin key, which has one scope. */
  readonly project: string | undefined;
  readonly onDone: (key: CreatedKey) => void;
  readonly onCancel: () => void;
}

export function NewKey({ project, onDone, onCancel }: NewKeyProps) {
  const hasScopes = project !== undefined;
  const { isBusy, error, run } = useChange();
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const submit = submitted((textOf) => {
    const name = textOf('name');
    const asked =
      project === undefined
        ? operation('POST /v1/admin/keys', { body: { name } })
        : operation('POST /v1/admin/projects/{id}/keys', { path: { id: project }, body: { name, scopes } });
    run(async () => onDone(await ask(asked)));
  });
  return (
    <form class="card setting-form" aria-label="New key" onSubmit={submit}>
      <Field
        label="Used by"
        name="name"
        maxLength={200}
        placeholder={hasScopes ? 'Web shop' : 'Operators'}
        isFirst
        required
      />
      {hasScopes && (
        <fieldset>
          <legend class="label">Permissions</legend>
          <CheckList options={OPTIONS} chosen={scopes} onChoice={setScopes} />
        </fieldset>
      )}
      {error !== undefined && <Problem error={error} />}
      <FormButtons action="Create key" isOff={isBusy || (hasScopes && scopes.length === 0)} onCancel={onCancel} />
    </form>
  );
}

const OPTIONS = (Object.keys(SCOPES) as Scope[]).map((scope) => {
  const text = (
    <>
      <b>{scope}</b> <span class="quiet">{SCOPES[scope]}</span>
    </>
  );
  return [scope, text] as const;
});
