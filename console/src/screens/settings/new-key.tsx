import { useState } from 'preact/hooks';
import { ask, operation } from '../../api/client.ts';
import type { CreatedKey } from '../../api/types.ts';
import { CheckList } from '../../parts/choice.tsx';
import { Form } from '../../parts/loading/change.tsx';
import { Field } from '../../parts/form.tsx';

const SCOPES = {
  write: 'Records messages',
  read: 'Reads everything of the project',
  audiences: 'Reads, and saves and changes audiences',
} as const;
type Scope = keyof typeof SCOPES;

/** Whose key it is: a person is sent it with the address of the console. */
export type KeyFor = 'a person' | 'a program';

interface NewKeyProps {
  /** The id; undefined for an admin key, which has one scope. */
  readonly project: string | undefined;
  readonly whom: KeyFor;
  readonly onDone: (key: CreatedKey) => void;
  readonly onCancel: () => void;
}

export function NewKey({ project, whom, onDone, onCancel }: NewKeyProps) {
  const hasScopes = project !== undefined;
  const isPerson = whom === 'a person';
  const [scopes, setScopes] = useState<readonly Scope[]>(isPerson ? ['read', 'audiences'] : []);
  const create = async (textOf: (name: string) => string): Promise<void> => {
    const name = textOf('name');
    const asked =
      project === undefined
        ? operation('POST /v1/admin/keys', { body: { name } })
        : operation('POST /v1/admin/projects/{id}/keys', { path: { id: project }, body: { name, scopes } });
    onDone(await ask(asked));
  };
  return (
    <Form
      label={isPerson ? 'Invite' : 'New key'}
      look="card setting-form"
      action={isPerson ? 'Make the invitation' : 'Create key'}
      isOff={hasScopes && scopes.length === 0}
      onSend={create}
      onCancel={onCancel}
    >
      <Field
        label={isPerson ? 'Name of the person' : 'Used by'}
        name="name"
        maxLength={200}
        placeholder={isPerson ? 'Anna' : hasScopes ? 'Web shop' : 'Operators'}
        isFirst
        required
      />
      {hasScopes && (
        <fieldset>
          <legend class="label">Permissions</legend>
          <CheckList options={isPerson ? OF_PEOPLE : OPTIONS} chosen={scopes} onChoice={setScopes} />
        </fieldset>
      )}
    </Form>
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

/** A key that only sends does not sign in. */
const OF_PEOPLE = OPTIONS.filter(([scope]) => scope !== 'write');
