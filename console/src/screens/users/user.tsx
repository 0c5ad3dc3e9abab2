import { ApiError, ask, linesOfAnswer, operation, type Operation, send } from '../../api/client.ts';
import type { Profile, UserAudience } from '../../api/types.ts';
import { ConfirmButton, tellDone } from '../../parts/loading/change.tsx';
import { goTo, linkTo, parameter } from '../../api/address.ts';
import { isAdmin, project } from '../../api/session.ts';
import { Download } from '../../parts/loading/csv.tsx';
import { Empty, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { ScreenPage, Section } from '../../parts/page.tsx';
import { displayName } from '../../parts/user-cell.tsx';
import { JoinedIds, joinRequest, PersonId } from './joined-ids.tsx';
import { Timeline, timelineRequest } from './timeline.tsx';
import { targetOf, traitHistoryRequest, type UserName } from '../user-link.ts';
import { Activity, Traits } from './traits.tsx';
import { fileNameOf, TextFile } from '../../parts/text-file.ts';
import { isOpenRow, RowButton, toggleRow } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { WhyUser } from '../../parts/conditions/why-tree.tsx';

export function UserPage({ name }: { readonly name: UserName }) {
  const asked = operation('GET /v1/users/{user_id}', targetOf(name));
  // A link may be faster than the profile: after a failure it is asked for again.
  const loaded = useAnswer(asked, () => undefined);
  const { value } = loaded;
  const known = value && displayName(value);
  const title = known ?? (name.by === 'user_id' ? name.id : 'Anonymous user');
  return (
    <ScreenPage
      title={known === undefined ? <span class="id">{title}</span> : title}
      up={{ path: 'users', name: 'Users' }}
      look="of-user"
      actions={
        <>
          {value !== undefined && (
            <Download label="Export" unit="lines" run={(tell, signal) => saveExport(name, tell, signal)} />
          )}
          {value !== undefined && isAdmin.value && <ForgetButton profile={value} />}
        </>
      }
      copy={{
        request: asked,
        also: { ...requestsBelow(name), join: value && joinRequest(value) },
        ...(name.by === 'user_id' && { tidemark: ['user', 'show', name.id] }),
      }}
    >
      <Ready
        of={loaded}
        what="the profile"
        missing={
          <Empty title="Nobody is known by this id">
            A user appears with the first message that names it. Ids are case-sensitive.{' '}
            <a href={linkTo(['live'])}>See what comes in</a>.
          </Empty>
        }
      >
        {(profile) => (
          // Everything on the page changes with the ids that it is of.
          <User key={JSON.stringify(profile.joined_ids)} name={name} profile={profile} onDecided={loaded.retry} />
        )}
      </Ready>
    </ScreenPage>
  );
}

/** What the parts of the page ask, as they are narrowed; the values of a trait where one is open. */
function requestsBelow(name: UserName): Readonly<Record<string, Operation | undefined>> {
  const trait = parameter('history') ?? '';
  return {
    timeline: timelineRequest(name),
    audiences: operation('GET /v1/users/{user_id}/audiences', targetOf(name)),
    [`values of ${trait}`]: trait === '' ? undefined : traitHistoryRequest(name, trait),
  };
}

interface UserProps {
  readonly name: UserName;
  readonly profile: Profile;
  readonly onDecided: () => void;
}

function User({ name, profile, onDecided }: UserProps) {
  const audiences = useAnswer(operation('GET /v1/users/{user_id}/audiences', targetOf(name)));
  return (
    <>
      <PersonId profile={profile} onDecided={onDecided} />
      {audiences.value !== undefined && <AudienceBadges audiences={audiences.value.audiences} />}
      <Activity name={name} profile={profile} />
      <div class="columns">
        <div class="stack">
          <Traits name={name} profile={profile} />
          <JoinedIds profile={profile} onDecided={onDecided} />
          <Section id="audiences" title="Audiences">
            <Ready of={audiences} what="audiences">
              {({ audiences: all, next_cursor: next }) =>
                all.length === 0 && next === null ? (
                  <p class="quiet">
                    There are no audiences yet. <a href={linkTo(['audiences'])}>Make one</a>.
                  </p>
                ) : (
                  <>
                    <ul class="rows">
                      {all.toSorted(membersFirst).map((audience) => (
                        <AudienceRow key={audience.id} audience={audience} user={profile} />
                      ))}
                    </ul>
                    {next !== null && <p class="quiet small below">The newest {all.length} audiences are shown.</p>}
                  </>
                )
              }
            </Ready>
          </Section>
        </div>
        <Timeline name={name} />
      </div>
    </>
  );
}

/** Forgets the person for good. */
function ForgetButton({ profile }: { readonly profile: Profile }) {
  const id = profile.user_id ?? profile.internal_id;
  const forget = async (): Promise<void> => {
    const path = { user_id: profile.internal_id };
    const query = { by: 'internal_id' as const, project: project.value?.id ?? '' };
    const answer = await ask(operation('DELETE /v1/users/{user_id}', { path, query }));
    tellDone('Nothing of this person is shown any more. A job deletes what there is.');
    const [erasure] = 'erasures' in answer ? answer.erasures : [];
    goTo(linkTo(['settings', 'forgotten'], { open: erasure?.id }));
  };
  return (
    <ConfirmButton
      label="Forget…"
      look="danger"
      title="Forget this person?"
      name={id}
      action="Forget for good"
      onConfirm={forget}
    >
      <p>
        Profile, events and the history in audiences are deleted for good, and so are anonymous ids that were seen with
        this person alone. Messages that come later are dropped until that is lifted.
      </p>
    </ConfirmButton>
  );
}

/** Saves everything about one user as NDJSON, only when its last line has come. @throws ApiError */
async function saveExport(name: UserName, tell: (lines: number) => void, signal: AbortSignal): Promise<void> {
  const file = new TextFile();
  const response = await send({ ...operation('GET /v1/users/{user_id}/export', targetOf(name)), signal });
  for await (const line of linesOfAnswer(response)) {
    if (line.startsWith('{"type":"end"')) return file.save(`user-${fileNameOf(name.id)}.ndjson`);
    file.add(line);
    if (file.count % 1_000 === 0) tell(file.count);
  }
  const message = 'The service stopped before the last line. Try again.';
  throw new ApiError({ status: 0, code: 'cut', title: 'The export was cut', message });
}

const MOST_BADGES = 8;

/** Those that the user is in, under the name. */
function AudienceBadges({ audiences }: { readonly audiences: readonly UserAudience[] }) {
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

function membersFirst(one: UserAudience, other: UserAudience): number {
  return Number(other.is_member) - Number(one.is_member);
}

function AudienceRow({ audience, user }: { readonly audience: UserAudience; readonly user: Profile }) {
  const { id, name, is_member: isIn, since, changes_at: until } = audience;
  const isOpen = isOpenRow(id, 'audience');
  return (
    <li>
      <RowButton look="row-button user-audience-row" isOpen={isOpen} onToggle={() => toggleRow(id, 'audience')}>
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
      </RowButton>
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
