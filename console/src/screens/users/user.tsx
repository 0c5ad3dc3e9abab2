import type { ApiError } from '../../api/client.ts';
import type { Profile } from '../../api/types.ts';
import { linkTo } from '../../frame/router.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Download } from '../../parts/download.tsx';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { usePoll } from '../../parts/loading/use-poll.ts';
import { saveExport } from './export-lines.ts';
import { Timeline } from './timeline.tsx';
import { profileRequest, type UserName } from '../user-link.ts';
import { Traits } from './traits.tsx';
import { UserAudiences } from './user-audiences.tsx';
import './users.css';

export function UserPage({ name }: { readonly name: UserName }) {
  const asked = profileRequest(name);
  // A link may be faster than the profile: after a failure it is asked for again.
  const { value, error, retry } = usePoll(asked, () => undefined);
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
          {value !== undefined && (
            <Download label="Export" unit="lines" run={(tell, signal) => saveExport(name, tell, signal)} />
          )}
          <CopyAs request={asked} {...tidemark} />
        </div>
      </div>
      {value === undefined && error === undefined && <Loading what="the profile" />}
      {error !== undefined && <NotShown error={error} retry={retry} />}
      {value !== undefined && <Known name={name} profile={value} />}
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
        <div class="stack">
          <section aria-labelledby="traits">
            <Traits name={name} profile={profile} />
          </section>
          <section aria-labelledby="audiences">
            <UserAudiences name={name} user={profile} />
          </section>
        </div>
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
