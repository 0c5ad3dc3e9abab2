/** The anonymous ids that are one person with a user, and why somebody with an anonymous id alone is a person by itself. */
import type { ComponentChildren } from 'preact';
import { ask, operation, type Sent } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import type { Join, JoinedId, Profile } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { isAdmin, project } from '../../api/session.ts';
import { CopyText } from '../../parts/copy-as.tsx';
import { ConfirmButton, tellDone } from '../../parts/loading/change.tsx';
import { POLL_MS, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { plural } from '../../parts/numbers.ts';
import { Section } from '../../parts/page.tsx';
import { ShortListing } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { KeyName, useKeyNames } from '../key-name.tsx';

interface PersonProps {
  readonly profile: Profile;
  /** Told once a decision is in every answer. */
  readonly onDecided: () => void;
}

/** Nothing where no id is joined. */
export function JoinedIds({ profile: { joined_ids: ids = [] }, onDecided }: PersonProps) {
  if (ids.length === 0) return null;
  const named = { name: 'Anonymous id', cell: (id: JoinedId) => <JoinedBy id={id} /> };
  const decided = {
    name: 'Keep apart',
    look: 'number',
    isHidden: true,
    cell: ({ anonymous_id: id }: JoinedId) => (
      <DecideButton
        id={id}
        onDecided={onDecided}
        says="apart"
        label="Keep apart"
        ariaLabel={`Keep apart ${id}`}
        look="plain"
      >
        <code>{id}</code> becomes a person by itself: its events and traits no longer count as this user’s. Nothing is
        deleted, and the page of the id takes it back.
      </DecideButton>
    ),
  };
  return (
    <Section id="joined-ids" title={`One person with ${plural(ids.length, 'anonymous id')}`}>
      <ShortListing
        rows={ids}
        keyOf={({ internal_id: key }) => key}
        columns={isAdmin.value ? [named, decided] : [named]}
      />
    </Section>
  );
}

/** The id, with the first message that gave it beside the user's own: there may be none where somebody decided. */
function JoinedBy({ id: { anonymous_id: id, message_id: message, since } }: { readonly id: JoinedId }) {
  return (
    <>
      <code>{id}</code>
      <p class="quiet small">
        joined {since === null ? 'by hand' : <Ago at={since} />}
        {message !== null && ' · '}
        {message !== null && <a href={linkTo(['live'], { message })}>message</a>}
      </p>
    </>
  );
}

interface DecisionProps {
  readonly id: string;
  readonly onDecided: () => void;
}

interface DecideProps extends DecisionProps {
  readonly says: Sent<'PUT /v1/admin/projects/{id}/joins/{anonymous_id}'>['says'];
  readonly label: string;
  readonly ariaLabel?: string;
  readonly look?: string;
  /** What will happen. */
  readonly children: ComponentChildren;
}

/** Profiles follow a decision at once, analytics a moment later: a page that is loaded again before shows both states. */
async function untilFollowed(join: Join, mostLooks = 30): Promise<void> {
  const { internal_id, user } = join;
  const body = JSON.stringify({ definition: { trait: 'plan', is: 'pro' }, internal_id });
  // Somebody who did nothing is unknown there, and changes nothing.
  const found = await ask(operation('POST /v1/audiences/why', { body })).catch(() => undefined);
  if (found === undefined || found.internal_id === (user?.internal_id ?? internal_id) || mostLooks <= 1) return;
  await new Promise((resolve) => setTimeout(resolve, POLL_MS.running));
  await untilFollowed(join, mostLooks - 1);
}

function DecideButton({ id, says, onDecided, children, ...button }: DecideProps) {
  const decide = async (): Promise<void> => {
    const request = operation('PUT /v1/admin/projects/{id}/joins/{anonymous_id}', { path: pathOf(id), body: { says } });
    await untilFollowed(await ask(request));
    tellDone('Decided. Audiences follow.');
    onDecided();
  };
  return (
    <ConfirmButton {...button} title={`${button.label}?`} action={button.label} onConfirm={decide}>
      <p>{children}</p>
    </ConfirmButton>
  );
}

function pathOf(anonymousId: string) {
  return { id: project.value?.id ?? '', anonymous_id: anonymousId };
}

/** What says why somebody is a person by itself: of an anonymous id, for an admin key, where the project joins ids. */
export function joinRequest({ user_id: user, anonymous_ids: [id], joined_ids: joined }: Profile) {
  if (user !== null || id === undefined || joined === undefined || !isAdmin.value) return undefined;
  return operation('GET /v1/admin/projects/{id}/joins/{anonymous_id}', { path: pathOf(id) });
}

/** Below the title: the id, and why it is a person by itself. */
export function PersonId({ profile, onDecided }: PersonProps) {
  const id = profile.user_id ?? profile.anonymous_ids[0] ?? profile.internal_id;
  const request = joinRequest(profile);
  const loaded = useAnswer(request);
  const decided = (): void => {
    loaded.retry();
    onDecided();
  };
  return (
    <>
      <p class="user-id row">
        <code>{id}</code>
        <CopyText text={id} what="the id" />
      </p>
      {request !== undefined && (
        <Ready of={loaded} what="whose the id is">
          {(join) => <div class="by-itself row quiet">{reasonOf(join, decided)}</div>}
        </Ready>
      )}
    </>
  );
}

function reasonOf({ anonymous_id: id, state, users, decision }: Join, onDecided: () => void): ComponentChildren {
  if (decision?.says === 'apart') return <Apart id={id} decision={decision} onDecided={onDecided} />;
  if (state === 'shared')
    return `Shared by ${plural(countOf(users), 'person', 'people')}, so it stays a person by itself.`;
  if (state === 'placeholder') return 'It stands for no id, and is never joined.';
  return state === 'unseen' && 'Not seen with a user yet.';
}

function Apart({ id, decision, onDecided }: DecisionProps & { readonly decision: NonNullable<Join['decision']> }) {
  const { decided_at: at, decided_by: by } = decision;
  const names = useKeyNames();
  return (
    <>
      <span>
        Kept apart {by === 'forgetting' ? 'since somebody who shared it was forgotten' : 'by '}
        {by !== 'forgetting' && <KeyName id={by} name={names.get(by)} />}, <Ago at={at} />.
      </span>
      <DecideButton id={id} says="rule" label="By the rule again" onDecided={onDecided}>
        If it was seen with one user alone, what was sent under it counts as that user’s
        {by === 'forgetting' && ', though it may be of the person who was forgotten'}.
      </DecideButton>
    </>
  );
}
