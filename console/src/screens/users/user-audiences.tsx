/** The audiences that a user is in, and those that it is not. */
import { operation } from '../../../../schemas/operations.ts';
import type { Profile, UserAudience } from '../../api/types.ts';
import { address, linkTo, setParameters } from '../../frame/router.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Loading, Problem } from '../../parts/loading/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { WhyUser } from '../../parts/conditions/why-tree.tsx';
import { targetOf, type UserName } from '../user-link.ts';

interface UserAudiencesProps {
  readonly name: UserName;
  readonly user: Profile;
}

export function UserAudiences({ name, user }: UserAudiencesProps) {
  const asked = operation('GET /v1/users/{user_id}/audiences', targetOf(name));
  const loaded = useAnswer(asked);
  return (
    <>
      <div class="section-head">
        <h2 id="audiences">Audiences</h2>
        <CopyAs request={asked} />
      </div>
      {loaded.state === 'loading' && <Loading what="audiences" />}
      {loaded.state === 'failed' && <Problem error={loaded.error} retry={loaded.retry} />}
      {loaded.state === 'ready' && (
        <List audiences={loaded.value.audiences} hasMore={loaded.value.next_cursor !== null} user={user} />
      )}
    </>
  );
}

interface ListProps {
  readonly audiences: readonly UserAudience[];
  readonly hasMore: boolean;
  readonly user: Profile;
}

function List({ audiences, hasMore, user }: ListProps) {
  if (audiences.length === 0) {
    return (
      <p class="quiet">
        There are no audiences yet. <a href={linkTo(['audiences'])}>Make one</a>.
      </p>
    );
  }
  const inFirst = [
    ...audiences.filter(({ is_member: isIn }) => isIn),
    ...audiences.filter(({ is_member: isIn }) => !isIn),
  ];
  return (
    <>
      <ul class="rows">
        {inFirst.map((audience) => (
          <Row key={audience.id} audience={audience} user={user} />
        ))}
      </ul>
      {hasMore && <p class="quiet small below">The newest {audiences.length} audiences are shown.</p>}
    </>
  );
}

function Row({ audience, user }: { readonly audience: UserAudience; readonly user: Profile }) {
  const { id, name, is_member: isIn, since, changes_at: until } = audience;
  const isOpen = address.value.query.get('audience') === id;
  return (
    <li>
      <button
        type="button"
        class="row-button user-audience-row"
        aria-expanded={isOpen}
        onClick={() => setParameters({ audience: isOpen ? '' : id }, { push: true })}
      >
        <span class={`membership ${isIn ? 'in' : 'out'}`}>{isIn ? 'In' : 'Out'}</span>
        <span class="user-audience">
          <b>{name}</b>
          <span class="quiet small">
            {since !== null && (
              <>
                {isIn ? 'entered ' : 'left '}
                <Ago at={since} isPlain />
              </>
            )}
            {until !== null && (
              <>
                {since !== null && ' · '}
                {isIn ? 'leaves ' : 'enters '}
                <Ago at={until} isPlain />
              </>
            )}
            {since === null && until === null && (isIn ? 'stays in' : 'stays out')}
          </span>
        </span>
        <span class="quiet">Why?</span>
      </button>
      {isOpen && (
        <div class="details">
          <WhyUser audienceId={id} user={user} />
          <p>
            <a href={linkTo(['audiences', id])}>Go to the audience</a>
          </p>
        </div>
      )}
    </li>
  );
}
