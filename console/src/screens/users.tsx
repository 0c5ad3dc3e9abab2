import { ask } from '../api/client.ts';
import type { Profile, UsersPage } from '../api/types.ts';
import { address, goTo, linkTo, setParameters } from '../frame/router.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { Excerpt } from '../parts/json-view.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { textIn } from '../parts/form.ts';
import { useLoad } from '../parts/use-load.ts';
import { useRowKeys } from '../parts/use-rows.ts';
import { UserPage } from './user.tsx';

/** `#/users`, `#/users/{user id}`, and `#/users?internal_id=` for one who has no user id. */
export function Screen() {
  const { path, query } = address.value;
  const userId = path[1];
  const internalId = query.get('internal_id');
  if (userId !== undefined) return <UserPage key={userId} of={{ user_id: userId }} />;
  if (internalId !== null) return <UserPage key={internalId} of={{ internal_id: internalId }} />;
  return <Search />;
}

function Search() {
  const anonymousId = address.value.query.get('anonymous_id') ?? '';
  useRowKeys();
  return (
    <div class="screen">
      <div class="head">
        <h1>Users</h1>
      </div>
      <SearchForm anonymousId={anonymousId} />
      {anonymousId === '' ? <NothingAsked /> : <Found key={anonymousId} anonymousId={anonymousId} />}
    </div>
  );
}

type IdKind = 'user_id' | 'anonymous_id' | 'internal_id';

function SearchForm({ anonymousId }: { readonly anonymousId: string }) {
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const id = textIn(event.currentTarget, 'id');
    if (id !== '') look(textIn(event.currentTarget, 'kind') as IdKind, id);
  };
  return (
    <form class="filters search" role="search" onSubmit={submit}>
      <label>
        <span class="label">Find by</span>
        <select name="kind" defaultValue={anonymousId === '' ? 'user_id' : 'anonymous_id'}>
          <option value="user_id">User id</option>
          <option value="anonymous_id">Anonymous id</option>
          <option value="internal_id">Internal id</option>
        </select>
      </label>
      <label class="wide">
        <span class="label">Id</span>
        <input name="id" type="search" maxLength={512} required defaultValue={anonymousId} data-search />
      </label>
      <button type="submit" class="primary">
        Find
      </button>
    </form>
  );
}

function look(kind: IdKind, id: string): void {
  if (kind === 'user_id') goTo(linkTo(['users', id]));
  else if (kind === 'internal_id') goTo(linkTo(['users'], { internal_id: id }));
  else setParameters({ anonymous_id: id }, { push: true });
}

function NothingAsked() {
  return (
    <Empty title="Whom are you looking for?">
      <p>
        Find a person by the id that your product sends as <code>user_id</code>, by the anonymous id of a browser or
        device, or by Tidemark's own id. Rows of <a href={linkTo(['live'])}>Live</a> lead here, too.
      </p>
    </Empty>
  );
}

function Found({ anonymousId }: { readonly anonymousId: string }) {
  const query = { anonymous_id: anonymousId, cursor: address.value.query.get('cursor') ?? '' };
  const found = useLoad(JSON.stringify(query), (signal) => ask<UsersPage>({ path: 'v1/users', query, signal }));
  if (found.state === 'loading') return <Loading what="users" />;
  if (found.state === 'failed') return <Problem error={found.error} retry={found.retry} />;
  const { users, next_cursor: next } = found.value;
  if (users.length === 0) {
    return (
      <Empty title="Nobody is known by this anonymous id">
        <p>It may have been sent by another project, or be spelt differently: capital letters count.</p>
      </Empty>
    );
  }
  return (
    <>
      <ul class="rows" aria-label="Users">
        {users.map((user) => (
          <li key={user.internal_id}>
            <UserRow user={user} />
          </li>
        ))}
      </ul>
      <div class="row below">
        {next !== null && (
          <button type="button" onClick={() => setParameters({ cursor: next }, { push: true })}>
            More
          </button>
        )}
        <CopyAs path="v1/users" query={query} />
      </div>
    </>
  );
}

function UserRow({ user }: { readonly user: Profile }) {
  const link =
    user.user_id === null ? linkTo(['users'], { internal_id: user.internal_id }) : linkTo(['users', user.user_id]);
  return (
    <a class="row-button user-row" data-row href={link}>
      <b>{user.user_id ?? 'anonymous'}</b>
      <Excerpt value={user.traits} />
      <span class="quiet">
        seen <Ago at={user.last_seen} />
      </span>
    </a>
  );
}
