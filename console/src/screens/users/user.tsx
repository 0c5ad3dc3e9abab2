import { type ApiError, ask } from '../../api/client.ts';
import type { Profile } from '../../api/types.ts';
import { address, linkTo, setParameters } from '../../frame/router.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { JsonValue } from '../../parts/json-view.tsx';
import { count } from '../../parts/numbers.ts';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { Timeline } from './timeline.tsx';
import { requestOf, type UserName } from '../user-link.ts';

export function UserPage({ name }: { readonly name: UserName }) {
  const asked = requestOf(name);
  const profile = useLoad(JSON.stringify(name), async (signal) => ask<Profile>({ ...asked, signal }));
  const title = name.by === 'user_id' ? name.id : 'Anonymous user';
  const tidemark = name.by === 'user_id' && { tidemark: ['user', 'show', name.id] };
  return (
    <div class="screen">
      <p class="up">
        <a href={linkTo(['users'])}>Users</a>
      </p>
      <div class="head">
        <h1 class="id">{title}</h1>
        <div class="row actions">
          <CopyAs {...asked} {...tidemark} />
        </div>
      </div>
      {profile.state === 'loading' && <Loading what="the profile" />}
      {profile.state === 'failed' && <NotShown error={profile.error} retry={profile.retry} />}
      {profile.state === 'ready' && <Known name={name} profile={profile.value} />}
    </div>
  );
}

function NotShown({ error, retry }: { readonly error: ApiError; readonly retry: () => void }) {
  if (error.status !== 404) return <Problem error={error} retry={retry} />;
  return (
    <Empty title="Nobody is known by this id">
      <p>
        A user appears with the first message that names it. Capital letters and spaces count.{' '}
        <a href={linkTo(['live'])}>See what comes in</a>.
      </p>
    </Empty>
  );
}

function Known({ name, profile }: { readonly name: UserName; readonly profile: Profile }) {
  return (
    <>
      <dl class="facts wide-facts">
        <div>
          <dt>First seen</dt>
          <dd>
            <Ago at={profile.first_seen} />
          </dd>
        </div>
        <div>
          <dt>Last seen</dt>
          <dd>
            <Ago at={profile.last_seen} />
          </dd>
        </div>
        <div>
          <dt>Anonymous ids</dt>
          <dd>
            {profile.anonymous_ids.length === 0 ? <span class="quiet">none</span> : <Ids ids={profile.anonymous_ids} />}
          </dd>
        </div>
        <div>
          <dt>Internal id</dt>
          <dd>
            <code title={profile.internal_id}>{profile.internal_id.slice(0, 12)}…</code>
          </dd>
        </div>
      </dl>
      <div class="columns">
        <section aria-labelledby="traits">
          <Traits profile={profile} />
        </section>
        <section aria-labelledby="timeline">
          <Timeline name={name} />
        </section>
      </div>
    </>
  );
}

function Ids({ ids }: { readonly ids: readonly string[] }) {
  return (
    <>
      {ids.slice(0, 3).map((id) => (
        <a key={id} class="id" href={linkTo(['users'], { anonymous_id: id })}>
          {id}
        </a>
      ))}
      {ids.length > 3 && <span class="quiet">and {ids.length - 3} more</span>}
    </>
  );
}

function Traits({ profile }: { readonly profile: Profile }) {
  const wanted = address.value.query.get('trait') ?? '';
  const all = Object.entries(profile.traits).sort(([a], [b]) => (a < b ? -1 : 1));
  const shown = all.filter(([name]) => name.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <>
      <div class="section-head">
        <h2 id="traits">
          Traits <span class="quiet">{count(all.length)}</span>
        </h2>
        {all.length > 8 && (
          <input
            type="search"
            aria-label="Filter the traits by name"
            placeholder="Filter by name"
            value={wanted}
            onInput={(event) => setParameters({ trait: event.currentTarget.value })}
          />
        )}
      </div>
      {all.length === 0 && <p class="quiet">No identify message of this user had traits.</p>}
      {all.length > 0 && shown.length === 0 && <p class="quiet">No trait has this in its name.</p>}
      {shown.length > 0 && (
        <table class="traits">
          <thead class="visually-hidden">
            <tr>
              <th scope="col">Trait</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <JsonValue value={value} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
