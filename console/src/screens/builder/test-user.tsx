/** Whether one user is in the audience, why, and until when. */
import type { ApiError } from '../../api/client.ts';
import type { Json } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import { address, setParameters } from '../../frame/router.ts';
import { VerdictTree } from '../../parts/conditions/why-tree.tsx';
import { textIn } from '../../parts/form.ts';
import { Loading, Problem } from '../../parts/loading/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { userLink } from '../user-link.ts';
import type { Builder } from './builder.ts';

/** `test=u-1` in the address; `test_internal=…` of a user without an id. */
export interface TestedUser {
  readonly user_id?: string;
  readonly internal_id?: string;
}

export function testedUser(): TestedUser | undefined {
  const { query } = address.value;
  const userId = query.get('test') ?? '';
  const internalId = query.get('test_internal') ?? '';
  if (userId !== '') return { user_id: userId };
  return internalId === '' ? undefined : { internal_id: internalId };
}

export function TestUser({ builder }: { readonly builder: Builder }) {
  const user = testedUser();
  const definition = builder.counting.counted.value?.definition;
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    setParameters({ test: textIn(event.currentTarget, 'user'), test_internal: undefined });
  };
  return (
    <section aria-labelledby="test-user" class="test-user">
      <div class="section-head">
        <h2 id="test-user">Test a user</h2>
      </div>
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
        <button type="submit">Test</button>
      </form>
      {user === undefined && <p class="quiet">Says whether somebody is in, why, and until when.</p>}
      {user !== undefined && definition !== undefined && <Why user={user} definition={definition} />}
    </section>
  );
}

function Why({ user, definition }: { readonly user: TestedUser; readonly definition: Json }) {
  const body = JSON.stringify({ definition, ...user, events: 0 });
  const why = useAnswer(operation('POST /v1/audiences/why', { body }));
  if (why.state === 'loading') return <Loading what="why" />;
  if (why.state === 'failed') return <NotKnown error={why.error} retry={why.retry} />;
  const { is_member: isMember, changes_at: changesAt, why: verdict } = why.value;
  return (
    <div class="why">
      <p class={`test-verdict ${isMember ? 'met' : 'unmet'}`} role="status">
        <Sign isMet={isMember} />
        <span>
          <a class="id" href={userLink(why.value)}>
            {why.value.user_id ?? why.value.anonymous_id ?? 'This user'}
          </a>{' '}
          is <b>{isMember ? 'in the audience' : 'not in the audience'}</b>
          <Until at={changesAt} isMet={isMember} />
        </span>
      </p>
      <VerdictTree verdict={verdict} />
    </div>
  );
}

function NotKnown({ error, retry }: { readonly error: ApiError; readonly retry: () => void }) {
  if (error.status !== 404) return <Problem error={error} retry={retry} />;
  return <p class="quiet">Nobody is known by this id. Capital letters and spaces count.</p>;
}

function Until({ at, isMet }: { readonly at: string | null; readonly isMet: boolean }) {
  if (at === null) return null;
  return (
    <>
      {isMet ? ', and leaves it' : ', and enters it'} <Ago at={at} /> if nothing else happens
    </>
  );
}

function Sign({ isMet }: { readonly isMet: boolean }) {
  return (
    <svg class="sign" viewBox="0 0 16 16" role="img" aria-label={isMet ? 'true' : 'not true'}>
      <circle cx="8" cy="8" r="8" />
      <path d={isMet ? 'M4.500 8.300l2.400 2.400 4.600-5' : 'M5.300 5.300l5.400 5.400M10.700 5.300l-5.400 5.400'} />
    </svg>
  );
}
