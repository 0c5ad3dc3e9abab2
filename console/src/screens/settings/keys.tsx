/** The keys of a project or of the installation: each is shown once, when it is made. */
import { useState } from 'preact/hooks';
import { ask } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { AdminKey, CreatedKey } from '../../api/types.ts';
import { session } from '../../frame/session.ts';
import { ConfirmName } from '../../parts/confirm-name.tsx';
import { Command, CopyAs } from '../../parts/copy-as.tsx';
import { More } from '../../parts/loading/more.tsx';
import { Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { type Pages, usePages } from '../../parts/loading/use-pages.ts';
import { NewKey } from './new-key.tsx';

const COLUMNS = [
  { name: 'Key' },
  { name: 'Permissions' },
  { name: 'Last used' },
  { name: 'Created', look: 'narrow-off' },
  { name: 'Revoke', isHidden: true },
];

interface KeysProps {
  /** The id; undefined for admin keys. */
  readonly project?: string;
}

export function Keys({ project }: KeysProps) {
  const isOfInstallation = project === undefined;
  const [changes, setChanges] = useState(0);
  const [created, setCreated] = useState<CreatedKey>();
  const [isMaking, setMaking] = useState(false);
  const reload = (): void => setChanges(changes + 1);
  const pages = usePages(`${changes} ${project}`, async (cursor, signal) => {
    const { keys, next_cursor: next } = await ask({ ...keysOf(project, cursor), signal });
    return { items: keys, next };
  });
  const finish = (key: CreatedKey): void => {
    setCreated(key);
    setMaking(false);
    reload();
  };
  return (
    <Section
      id="keys"
      title={isOfInstallation ? 'Admin keys' : 'Keys'}
      actions={
        <>
          {!isMaking && (
            <button type="button" onClick={() => setMaking(true)}>
              New key
            </button>
          )}
          <CopyAs request={keysOf(project)} />
        </>
      }
    >
      {isOfInstallation && (
        <p class="quiet small text">An admin key opens every project and these settings. It records no messages.</p>
      )}
      {isMaking && <NewKey project={project} onDone={finish} onCancel={() => setMaking(false)} />}
      {created !== undefined && <Shown key={created.id} created={created} onClose={() => setCreated(undefined)} />}
      <List pages={pages} onRevoked={reload} />
    </Section>
  );
}

function keysOf(project: string | undefined, cursor?: string) {
  const query = { cursor };
  if (project === undefined) return operation('GET /v1/admin/keys', { query });
  return operation('GET /v1/admin/projects/{id}/keys', { path: { id: project }, query });
}

function Shown({ created, onClose }: { readonly created: CreatedKey; readonly onClose: () => void }) {
  return (
    <div class="card new-key" role="status">
      <h3>The new key</h3>
      <p>Copy it now: the service keeps only what it is recognised by, and cannot show it again.</p>
      <Command name={nameOf(created)} what="the key" text={created.key} />
      <button type="button" onClick={onClose}>
        Done
      </button>
    </div>
  );
}

function List({ pages, onRevoked }: { readonly pages: Pages<AdminKey>; readonly onRevoked: () => void }) {
  const { items, isEnd } = pages;
  return (
    <>
      {items.length > 0 && (
        <Table columns={COLUMNS}>
          {items.map((key) => (
            <Row key={key.id} of={key} onRevoked={onRevoked} />
          ))}
        </Table>
      )}
      {isEnd && items.length === 0 && <p class="quiet">There are no keys. Make one to send or read with it.</p>}
      <More pages={pages} what="keys" />
    </>
  );
}

function Row({ of, onRevoked }: { readonly of: AdminKey; readonly onRevoked: () => void }) {
  const [isAsked, setAsked] = useState(false);
  const { id, scopes, last_used_day: lastUsed, created_at: made, revoked_at: revoked } = of;
  return (
    <tr class={revoked === null ? '' : 'revoked'}>
      <th scope="row">
        {nameOf(of)} {of.name !== null && <code class="quiet">{id}</code>}
        {isOwn(of) && <span class="badge">This session</span>}
      </th>
      <td>{scopes.join(', ')}</td>
      <td class="quiet">{lastUsed ?? 'never'}</td>
      <td class="quiet narrow-off">
        <Ago at={made} isPlain />
      </td>
      <td class="number">
        {revoked === null ? (
          <button
            type="button"
            class="plain danger"
            data-row
            aria-label={`Revoke ${nameOf(of)}`}
            onClick={() => setAsked(true)}
          >
            Revoke
          </button>
        ) : (
          <span class="quiet">
            revoked <Ago at={revoked} isPlain />
          </span>
        )}
        {isAsked && <Revocation of={of} onRevoked={onRevoked} onClose={() => setAsked(false)} />}
      </td>
    </tr>
  );
}

interface RevocationProps {
  readonly of: AdminKey;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

function Revocation({ of, onRevoked, onClose }: RevocationProps) {
  const revoke = async (): Promise<void> => {
    await ask(operation('DELETE /v1/admin/keys/{id}', { path: { id: of.id } }));
    onRevoked();
  };
  return (
    <ConfirmName
      title="Revoke this key?"
      name={nameOf(of)}
      action="Revoke the key"
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>
        Within 10 seconds whatever uses it is refused, and the sessions of this console that were opened with it end. It
        was last used {of.last_used_day === null ? 'never' : `on ${of.last_used_day}`}. It cannot be brought back.
      </p>
      {isOwn(of) && <p class="field-error">You signed in with this key: you will be signed out.</p>}
    </ConfirmName>
  );
}

function nameOf({ id, name }: AdminKey): string {
  return name ?? id;
}

function isOwn({ id }: AdminKey): boolean {
  return typeof session.value === 'object' && session.value.key_id === id;
}
