/** `#/users` with a search and conditions, `#/users/{user id}`, and `#/users/{internal id}?by=internal_id`. */
import { operation } from '../../api/client.ts';
import { countOf, type Json, jsonText, parseJson } from '../../api/json.ts';
import { address, linkTo, parameter } from '../../api/address.ts';
import { mayChangeAudiences, project } from '../../api/session.ts';
import { FilterField } from '../../parts/choice.tsx';
import { Loading, Ready, useAnswer, useLatest } from '../../parts/loading/use-load.tsx';
import { plural } from '../../parts/numbers.ts';
import { LinkButton, ScreenPage } from '../../parts/page.tsx';
import { nameTraits, spelled } from '../../parts/user-cell.tsx';
import type { CatalogName } from '../builder/known.ts';
import { Conditions } from '../events/conditions.tsx';
import { type Condition, whereOf } from '../events/question.ts';
import { columnsOf, traitsAmong, UserColumns } from './columns.tsx';
import { FoundUsers } from './found.tsx';
import { UserPage } from './user.tsx';
import './users.css';
import { DownloadCsv } from '../../parts/loading/csv.tsx';

export function UsersScreen() {
  const { path, query } = address.value;
  const id = path[1];
  if (id === undefined) return <Users />;
  const by = query.get('by') === 'internal_id' ? 'internal_id' : 'user_id';
  return <UserPage key={by + id} name={{ id, by }} />;
}

/** The traits of the project that was looked at last: whoever comes back does not wait for them. */
let kept: { readonly of: string | undefined; readonly traits: readonly CatalogName[] } | undefined;

/** The traits that the project knows: for columns and conditions. */
function Users() {
  const catalog = useAnswer(operation('GET /v1/catalog/traits', { query: { limit: 200 } }));
  const anonymousId = parameter('anonymous_id');
  const of = project.value?.id;
  if (catalog.value !== undefined) kept = { of, traits: catalog.value.traits };
  // Without the catalogue there is nothing to choose, and users all the same.
  const known = kept?.of === of ? kept?.traits : catalog.error === undefined ? undefined : [];
  if (known === undefined) {
    return (
      <ScreenPage title="Users">
        <Loading what="users" />
      </ScreenPage>
    );
  }
  return anonymousId === undefined ? <UserList known={known} /> : <ByAnonymousId id={anonymousId} known={known} />;
}

const PAGE = '50';

interface UserListProps {
  readonly known: readonly CatalogName[];
}

function UserList({ known }: UserListProps) {
  const { query } = address.value;
  const where = whereOf(query.get('where'));
  const columns = columnsOf(known);
  const request = operation('POST /v1/users/query', { body: bodyOf(query, where, columns) });
  const loaded = useLatest(useAnswer(request));
  const total = loaded.value?.total;
  const isNarrowed = where.length > 0 || (query.get('search') ?? '') !== '';
  return (
    <ScreenPage
      title="Users"
      beside={
        total && (
          <p role="status" class="quiet">
            {plural(countOf(total), 'user')}
          </p>
        )
      }
      actions={
        <>
          {where.length > 0 && mayChangeAudiences.value && (
            <LinkButton
              label="Save as audience"
              link={linkTo(['audiences', 'new'], { definition: jsonText(definitionOf(where)) })}
            />
          )}
          <UserColumns known={known} />
          <DownloadCsv name="users" of={request} />
        </>
      }
      copy={{ request }}
    >
      <div class="users-filter">
        <FilterField name="search" label="Search" placeholder="Name, email or id" isSearch isBare />
        <Conditions of="trait" where={where} members={known} />
      </div>
      <Ready of={loaded} what="users">
        {({ users, next_cursor: next }) => (
          <FoundUsers users={users} columns={columns} next={next} isNarrowed={isNarrowed} />
        )}
      </Ready>
    </ScreenPage>
  );
}

function bodyOf(query: URLSearchParams, where: readonly Condition[], columns: readonly string[]): string {
  const traits = [...nameTraits(), ...traitsAmong(columns)].map((name) => spelled([name]));
  const [search, cursor] = [query.get('search')?.trim() ?? '', query.get('cursor')];
  return jsonText({
    limit: parseJson(PAGE),
    ...(search !== '' && { search }),
    ...(where.length > 0 && { users: definitionOf(where) }),
    ...(traits.length > 0 && { traits: [...new Set(traits)].join(',') }),
    ...(columns.includes('events') && { count_events: true }),
    ...(cursor !== null && { cursor }),
  });
}

function definitionOf(where: readonly Condition[]): Json {
  const [only] = where;
  return where.length === 1 && only !== undefined ? only : { all: where };
}

function ByAnonymousId({ id, known }: UserListProps & { readonly id: string }) {
  const query = { anonymous_id: id, limit: PAGE, cursor: parameter('cursor') };
  const request = operation('GET /v1/users', { query });
  const loaded = useAnswer(request);
  return (
    <ScreenPage title="Users" copy={{ request }}>
      <p class="row">
        <span class="chip">
          Anonymous id is {id}
          <a href={linkTo(['users'])} aria-label="Remove the condition">
            ×
          </a>
        </span>
      </p>
      <Ready of={loaded} what="users">
        {({ users, next_cursor: next }) => (
          <FoundUsers
            users={users.map((user) => ({ ...user, anonymous_id: user.anonymous_ids[0] ?? null }))}
            columns={columnsOf(known).filter((column) => column !== 'events')}
            next={next}
            isNarrowed
          />
        )}
      </Ready>
    </ScreenPage>
  );
}
