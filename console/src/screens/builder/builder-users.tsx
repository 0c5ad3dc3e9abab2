/** Some of the users that the definition finds, and whether one user is among them, why, and until when. */
import type { AudienceMember } from '../../api/types.ts';
import { Section } from '../../parts/page.tsx';
import { RowLink } from '../../parts/table.tsx';
import { Button } from '../../parts/form.tsx';
import { findUsers, type FoundUser, pauseOfTyping } from '../find-users.ts';
import { traitsFor } from '../user-columns.ts';
import { userLink } from '../user-link.ts';
import { UserTable } from '../user-table.tsx';
import type { Builder } from './builder.ts';
import { operation } from '../../api/client.ts';
import { parameter, setParameters } from '../../api/address.ts';
import { Why } from '../../parts/conditions/why-tree.tsx';
import { useState } from 'preact/hooks';
import { Combobox } from '../../parts/combobox.tsx';
import { useLatest, useLoad } from '../../parts/loading/use-load.tsx';

function test({ user_id: id, internal_id: internal }: Pick<FoundUser, 'user_id' | 'internal_id'>): void {
  setParameters({ test: id ?? '', test_internal: id === null ? internal : '' });
}

export function Samples({ builder }: { readonly builder: Builder }) {
  const counted = builder.counting.counted.value;
  const users = counted?.users ?? [];
  const why = (user: AudienceMember) => <Button label="Why?" look="plain" onClick={() => test(user)} />;
  return (
    <Section
      id="samples"
      title={users.length > 0 ? `Sample of ${users.length}` : 'Sample'}
      look={builder.counting.isCounting.value ? 'stale' : undefined}
    >
      {counted === undefined && <p class="quiet">Ten users of the audience appear here.</p>}
      {counted !== undefined && users.length > 0 && (
        <UserTable
          users={users}
          traits={traitsFor(counted.definition)}
          nameOf={(user, cell) => <RowLink link={userLink(user)}>{cell}</RowLink>}
          ends={[{ name: 'Why', isHidden: true, look: 'number', cell: why }]}
        />
      )}
    </Section>
  );
}

/** `test=u-1` in the address; `test_internal=…` of a user without an id. */
function testedUser(): Pick<FoundUser, 'user_id' | 'internal_id'> | undefined {
  const [id, internalId = ''] = ['test', 'test_internal'].map(parameter);
  return id === undefined && internalId === '' ? undefined : { user_id: id ?? null, internal_id: internalId };
}

export function TestUser({ builder }: { readonly builder: Builder }) {
  const user = testedUser();
  const definition = builder.counting.counted.value?.definition;
  const named = user?.user_id === null ? { internal_id: user.internal_id } : { user_id: user?.user_id };
  return (
    <Section id="test-user" title="Test a user" look="test-user">
      <UserField chosen={user?.user_id ?? user?.internal_id ?? ''} onChoose={test} />
      {user === undefined && <p class="quiet">Shows whether a user is in the audience, why, and until when.</p>}
      {user !== undefined && definition !== undefined && (
        <Why
          request={operation('POST /v1/audiences/why', { body: JSON.stringify({ definition, ...named, events: 0 }) })}
        >
          <p class="below">
            <a href={userLink(user)}>Go to the user</a>
          </p>
        </Why>
      )}
    </Section>
  );
}

interface UserFieldProps {
  /** The id of the one who is chosen; '' for nobody. */
  readonly chosen: string;
  readonly onChoose: (user: FoundUser) => void;
}

/** Finds a user by name, email or id, as one types. */
function UserField({ chosen, onChoose }: UserFieldProps) {
  const [typed, setTyped] = useState<string>();
  const text = typed?.trim() ?? '';
  const loaded = useLoad(text === '' ? undefined : text, async (signal) => {
    await pauseOfTyping(signal);
    return findUsers(text, signal);
  });
  const { value = [] } = useLatest(loaded);
  const choose = (user: FoundUser): void => {
    setTyped(undefined);
    onChoose(user);
  };
  return (
    <div class="row">
      <Combobox
        label="User"
        placeholder="Name, email or id"
        isSearch
        isPageSearch
        value={typed ?? chosen}
        suggestions={text === '' ? [] : value}
        onType={setTyped}
        onChoose={choose}
      />
      <span role="status">{loaded.value?.length === 0 && 'Nobody was found.'}</span>
    </div>
  );
}
