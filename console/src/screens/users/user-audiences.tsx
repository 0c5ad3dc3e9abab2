/** The audiences that a user is in, and those that it is not. */
import type { Profile, UserAudience } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { isOpenRow, LineButton, toggleRow } from '../../parts/table.tsx';
import { Section } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { type Loaded, Ready } from '../../parts/loading/use-load.tsx';
import { WhyUser } from '../../parts/conditions/why-tree.tsx';

const MOST_BADGES = 8;

/** Those that the user is in, under the name. */
export function AudienceBadges({ audiences }: { readonly audiences: readonly UserAudience[] }) {
  const all = audiences.filter(({ is_member: isIn }) => isIn);
  if (all.length === 0) return null;
  return (
    <ul class="audience-badges row" aria-label="In the audiences">
      {all.slice(0, MOST_BADGES).map(({ id, name }) => (
        <li key={id}>
          <a class="chip" href={linkTo(['audiences', id])}>
            {name}
          </a>
        </li>
      ))}
      {all.length > MOST_BADGES && <li class="quiet small">and {all.length - MOST_BADGES} more</li>}
    </ul>
  );
}

interface UserAudiencesProps {
  readonly loaded: Loaded<{ readonly audiences: readonly UserAudience[]; readonly next_cursor: string | null }>;
  readonly user: Profile;
}

export function UserAudiences({ loaded, user }: UserAudiencesProps) {
  return (
    <Section id="audiences" title="Audiences">
      <Ready of={loaded} what="audiences">
        {({ audiences, next_cursor: next }) => (
          <AudiencesOfUser audiences={audiences} hasMore={next !== null} user={user} />
        )}
      </Ready>
    </Section>
  );
}

interface AudiencesOfUserProps {
  readonly audiences: readonly UserAudience[];
  readonly hasMore: boolean;
  readonly user: Profile;
}

function AudiencesOfUser({ audiences, hasMore, user }: AudiencesOfUserProps) {
  if (audiences.length === 0 && !hasMore) {
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
          <AudienceRow key={audience.id} audience={audience} user={user} />
        ))}
      </ul>
      {hasMore && <p class="quiet small below">The newest {audiences.length} audiences are shown.</p>}
    </>
  );
}

function AudienceRow({ audience, user }: { readonly audience: UserAudience; readonly user: Profile }) {
  const { id, name, is_member: isIn, since, changes_at: until } = audience;
  const isOpen = isOpenRow(id, 'audience');
  return (
    <li>
      <LineButton look="user-audience-row" isOpen={isOpen} onToggle={() => toggleRow(id, 'audience')}>
        <span class={`membership ${isIn ? 'in' : 'out'}`}>{isIn ? 'In' : 'Out'}</span>
        <span class="user-audience">
          <b>{name}</b>
          <span class="quiet small">
            {since !== null && (
              <>
                {isIn ? 'joined ' : 'left '}
                <Ago at={since} isPlain />
              </>
            )}
            {until !== null && (
              <>
                {since !== null && ' · '}
                {isIn ? 'leaves ' : 'joins '}
                <Ago at={until} isPlain />
              </>
            )}
            {since === null && until === null && (isIn ? 'no end date' : 'nothing scheduled')}
          </span>
        </span>
        <span class="quiet">Why?</span>
      </LineButton>
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
