/** The keys of a project or of the installation: each is shown once, when it is made. */
import { useState } from 'preact/hooks';
import { ask, operation, urlOf } from '../../api/client.ts';
import type { AdminKey, CreatedKey } from '../../api/types.ts';
import { parameter } from '../../api/address.ts';
import { signedIn } from '../../api/session.ts';
import { Section } from '../../parts/page.tsx';
import { NewSecret } from '../../parts/copy-as.tsx';
import { type CellColumn, Listed } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.tsx';
import { Button, Field } from '../../parts/form.tsx';
import { CheckList } from '../../parts/choice.tsx';
import { ConfirmButton, Form, tellDone } from '../../parts/loading/change.tsx';

/** @param project The id; undefined for admin keys. */
export function Keys({ project }: { readonly project?: string }) {
  const isOfInstallation = project === undefined;
  const [making, setMaking] = useState<KeyFor>();
  const [secret, setSecret] = useState<ReturnType<typeof secretOf>>();
  const loaded = useAnswer(keysRequest(project, parameter('cursor')));
  return (
    <Section
      id="keys"
      title={isOfInstallation ? 'Admin keys' : 'Keys'}
      actions={
        making === undefined && (
          <>
            <Button label="Invite…" onClick={() => setMaking('a person')} />
            <Button label="New key" onClick={() => setMaking('a program')} />
          </>
        )
      }
      copy={{ request: keysRequest(project) }}
    >
      {isOfInstallation && (
        <p class="quiet small text">An admin key opens every project and these settings. It cannot send messages.</p>
      )}
      {making !== undefined && (
        <NewKey
          project={project}
          whom={making}
          onDone={(key) => {
            setSecret(secretOf(key, making));
            setMaking(undefined);
            loaded.retry();
          }}
          onCancel={() => setMaking(undefined)}
        />
      )}
      {secret !== undefined && <NewSecret {...secret} onClose={() => setSecret(undefined)} />}
      <Listed
        of={loaded}
        what="keys"
        rowsOf={({ keys }) => keys}
        keyOf={({ id }) => id}
        columns={keyColumns(loaded.retry)}
        rowLook={({ revoked_at: at }) => (at === null ? '' : 'revoked')}
        none={<p class="quiet">No keys yet. Create one to send or read data.</p>}
      />
    </Section>
  );
}

/** The key alone for a program; for a person all that it takes to sign in, to be sent. */
function secretOf(created: CreatedKey, whom: KeyFor) {
  const name = keyNameOf(created);
  if (whom === 'a program') return { title: 'The new key', name, what: 'the key', text: created.key };
  const text = [
    `Tidemark: ${urlOf('/console/')}`,
    `Sign in with this key: ${created.key}`,
    `It is for ${name} alone, and opens: ${created.scopes.join(', ')}.`,
  ];
  return { title: `Send this to ${name}`, name: 'Invitation', what: 'the invitation', text: text.join('\n') };
}

function keysRequest(project: string | undefined, cursor?: string) {
  const query = { cursor };
  if (project === undefined) return operation('GET /v1/admin/keys', { query });
  return operation('GET /v1/admin/projects/{id}/keys', { path: { id: project }, query });
}

function keyColumns(onRevoked: () => void): readonly CellColumn<AdminKey>[] {
  return [
    {
      name: 'Key',
      cell: (key) => (
        <>
          {keyNameOf(key)} {key.name !== null && <code class="quiet">{key.id}</code>}
          {isOwn(key) && <span class="badge">This session</span>}
        </>
      ),
    },
    { name: 'Permissions', cell: ({ scopes }) => scopes.join(', ') },
    { name: 'Last used', look: 'quiet narrow-off', cell: ({ last_used_day: day }) => day ?? 'never' },
    { name: 'Created', look: 'quiet narrow-off', cell: ({ created_at: at }) => <Ago at={at} isPlain /> },
    { name: 'Revoke', look: 'number', isHidden: true, cell: (key) => <Revoke of={key} onRevoked={onRevoked} /> },
  ];
}

function Revoke({ of, onRevoked }: { readonly of: AdminKey; readonly onRevoked: () => void }) {
  const { id, last_used_day: day, revoked_at: revokedAt } = of;
  if (revokedAt !== null) {
    return (
      <span class="quiet">
        revoked <Ago at={revokedAt} isPlain />
      </span>
    );
  }
  const revoke = async (): Promise<void> => {
    await ask(operation('DELETE /v1/admin/keys/{id}', { path: { id } }));
    tellDone('Key revoked.');
    onRevoked();
  };
  return (
    <ConfirmButton
      label="Revoke"
      ariaLabel={`Revoke ${keyNameOf(of)}`}
      look="plain danger"
      isRow
      title="Revoke this key?"
      name={keyNameOf(of)}
      action="Revoke the key"
      onConfirm={revoke}
    >
      <p>
        It stops working within 10 seconds, and console sessions that were opened with it end. This cannot be undone.{' '}
        {day === null ? 'It was never used.' : `It was last used on ${day}.`}
      </p>
      {isOwn(of) && <p class="field-error">You signed in with this key: you will be signed out.</p>}
    </ConfirmButton>
  );
}

function keyNameOf({ id, name }: AdminKey): string {
  return name ?? id;
}

function isOwn({ id }: AdminKey): boolean {
  return signedIn.value?.key_id === id;
}

const SCOPES = {
  write: 'Records messages',
  read: 'Reads everything of the project',
  audiences: 'Reads, and saves and changes audiences',
} as const;
type Scope = keyof typeof SCOPES;

/** Whose key it is: a person is sent it with the address of the console. */
type KeyFor = 'a person' | 'a program';

interface NewKeyProps {
  /** The id; undefined for an admin key, which has one scope. */
  readonly project: string | undefined;
  readonly whom: KeyFor;
  readonly onDone: (key: CreatedKey) => void;
  readonly onCancel: () => void;
}

function NewKey({ project, whom, onDone, onCancel }: NewKeyProps) {
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
