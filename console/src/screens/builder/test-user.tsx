/** Whether one user is in the audience, why, and until when. */
import { operation } from '../../../../schemas/operations.ts';
import { address, setParameters } from '../../api/address.ts';
import { Why } from '../../parts/conditions/why-tree.tsx';
import { Button, submitted } from '../../parts/form.tsx';
import { Section } from '../../parts/page.tsx';
import { userLink } from '../user-link.ts';
import type { Builder } from './builder.ts';

/** `test=u-1` in the address; `test_internal=…` of a user without an id. */
interface TestedUser {
  readonly user_id?: string;
  readonly internal_id?: string;
}

function testedUser(): TestedUser | undefined {
  const { query } = address.value;
  const userId = query.get('test') ?? '';
  const internalId = query.get('test_internal') ?? '';
  if (userId !== '') return { user_id: userId };
  return internalId === '' ? undefined : { internal_id: internalId };
}

export function TestUser({ builder }: { readonly builder: Builder }) {
  const user = testedUser();
  const definition = builder.counting.counted.value?.definition;
  const submit = submitted((textOf) => setParameters({ test: textOf('user'), test_internal: undefined }));
  return (
    <Section id="test-user" title="Test a user" look="test-user">
      <form class="row" key={user?.user_id ?? ''} onSubmit={submit}>
        <input
          type="search"
          name="user"
          aria-label="User id"
          placeholder="User id, such as u-00042"
          maxLength={512}
          defaultValue={user?.user_id ?? ''}
          data-search
        />
        <Button label="Test" type="submit" />
      </form>
      {user === undefined && <p class="quiet">Shows whether a user is in the audience, why, and until when.</p>}
      {user !== undefined && definition !== undefined && (
        <Why
          request={operation('POST /v1/audiences/why', { body: JSON.stringify({ definition, ...user, events: 0 }) })}
        >
          <p class="below">
            <a href={linkOf(user)}>Go to the user</a>
          </p>
        </Why>
      )}
    </Section>
  );
}

function linkOf({ user_id: id, internal_id: internal = '' }: TestedUser): string {
  return userLink({ user_id: id ?? null, internal_id: internal });
}
