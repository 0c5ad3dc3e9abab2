import { useState } from 'preact/hooks';
import { operation } from '../../../../schemas/operations.ts';
import type { Profile } from '../../api/types.ts';
import { address, goTo, linkTo } from '../../frame/router.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { textIn } from '../../parts/form.ts';
import { Excerpt } from '../../parts/json/json-view.tsx';
import { Pager } from '../../parts/loading/pager.tsx';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { userLink } from '../user-link.ts';
import { UserPage } from './user.tsx';

/** `#/users` with a search, `#/users/{user id}`, and `#/users/{internal id}?by=internal_id`. */
export function Screen() {
  const { path, query } = address.value;
  const id = path[1];
  if (id === undefined) return <Search />;
  const by = query.get('by') === 'internal_id' ? 'internal_id' : 'user_id';
  return <UserPage key={by + id} name={{ id, by }} />;
}

/** Parameters of `GET /v1/users`, one of which is given. */
const KINDS = {
  search: { name: 'Any part', hint: 'A part of an id, a name or an email' },
  prefix: { name: 'User id', hint: 'The beginning of an id, such as u-000' },
  trait: { name: 'Trait', hint: 'name:value, such as plan:pro' },
  anonymous_id: { name: 'Anonymous id', hint: 'The whole id of a browser or device' },
  internal_id: { name: 'Internal id', hint: '64 hexadecimal digits' },
} as const;

type Kind = keyof typeof KINDS;

interface Asked {
  readonly kind: Kind;
  readonly text: string;
}

function Search() {
  const asked = askedIn(address.value.query);
  return (
    <div class="screen">
      <div class="head">
        <h1>Users</h1>
        <div class="row actions">
          <CopyAs request={operation('GET /v1/users', { query: queryOf(asked) })} />
        </div>
      </div>
      <SearchForm key={asked.kind + asked.text} asked={asked} />
      <Found key={JSON.stringify(asked)} asked={asked} />
    </div>
  );
}

function askedIn(query: URLSearchParams): Asked {
  const kind = (Object.keys(KINDS) as Kind[]).find((name) => query.has(name)) ?? 'search';
  return { kind, text: query.get(kind) ?? '' };
}

/** Where nothing is typed, all users: whose ids begin with nothing. */
function queryOf({ kind, text }: Asked): { readonly [name in Kind]?: string } {
  if (kind !== 'search') return { [kind]: text };
  return text.trim() === '' ? { prefix: '' } : { search: text.trim() };
}

function SearchForm({ asked }: { readonly asked: Asked }) {
  const [kind, setKind] = useState<Kind>(asked.kind);
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    goTo(linkTo(['users'], { [kind]: textIn(event.currentTarget, 'text') }));
  };
  return (
    <form class="filters search" role="search" onSubmit={submit}>
      <label>
        <span class="label">Find by</span>
        <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
          {Object.entries(KINDS).map(([value, { name }]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="wide">
        <span class="label">{KINDS[kind].hint}</span>
        <input name="text" type="search" maxLength={512} defaultValue={asked.text} data-search />
      </label>
      <button type="submit" class="primary">
        Find
      </button>
    </form>
  );
}

const PAGE = '50';

function Found({ asked }: { readonly asked: Asked }) {
  const cursor = address.value.query.get('cursor') ?? undefined;
  const request = operation('GET /v1/users', { query: { ...queryOf(asked), limit: PAGE, cursor } });
  const found = useAnswer(request);
  if (found.state === 'loading') return <Loading what="users" />;
  if (found.state === 'failed') return <Problem error={found.error} retry={found.retry} />;
  const { users, next_cursor: next } = found.value;
  if (users.length === 0) return <Nobody asked={asked} />;
  return (
    <>
      <ul class="rows" aria-label="Users">
        {users.map((user) => (
          <li key={user.internal_id}>
            <UserRow user={user} />
          </li>
        ))}
      </ul>
      <Pager next={next} />
    </>
  );
}

function Nobody({ asked }: { readonly asked: Asked }) {
  if (asked.text.trim() === '') {
    return (
      <Empty title="There are no users yet">
        <p>
          A user appears with the first message that names a <code>user_id</code>. <a href={linkTo([])}>Send one</a>, or{' '}
          <a href={linkTo(['live'])}>see what comes in</a>.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="Nobody was found">
      {asked.kind === 'search' ? (
        <p>
          No user of this project has <code>{asked.text}</code> in their id, or in a trait that is searched:{' '}
          <code>name</code> and <code>email</code>, unless the project has others.
        </p>
      ) : (
        <p>
          No {KINDS[asked.kind].name.toLowerCase()} in this project {asked.kind === 'prefix' ? 'begins with' : 'is'}{' '}
          <code>{asked.text}</code>. Capital letters count.
        </p>
      )}
    </Empty>
  );
}

function UserRow({ user }: { readonly user: Profile }) {
  return (
    <a class="row-button user-row" data-row href={userLink(user)}>
      <b>{user.user_id ?? <span class="quiet">anonymous</span>}</b>
      <Excerpt value={user.traits} />
      <span class="quiet">
        <Ago at={user.last_seen} isPlain />
      </span>
    </a>
  );
}
