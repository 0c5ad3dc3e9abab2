/** Whether a project joins anonymous ids with users, how many ids that concerns, and the switch. */
import { ask, operation } from '../../api/client.ts';
import type { AdminProject, Joins } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { DocsLink } from '../../parts/docs-link.tsx';
import { Facts } from '../../parts/facts.tsx';
import { tellDone } from '../../parts/loading/feedback.tsx';
import { type Loaded, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { counted } from '../../parts/numbers.ts';
import { Section } from '../../parts/page.tsx';
import { ShortListing } from '../../parts/table.tsx';
import { JoinEffects } from './join-effects.tsx';

interface JoinedIdsProps {
  readonly project: AdminProject;
  readonly reload: () => void;
}

export function JoinedIds({ project, reload }: JoinedIdsProps) {
  const { id, join_ids: isOn } = project;
  const loaded = useAnswer(operation('GET /v1/admin/projects/{id}/joins', { path: { id } }));
  return (
    <Section id="joined-ids" title="Joined ids" actions={<Switch project={project} numbers={loaded} reload={reload} />}>
      <p class="quiet small text">
        {isOn ? 'This project joins ids: an' : 'This project does not join ids. Where one does, an'} anonymous id that
        was seen with one user alone counts as that user, with what was done before the sign-in.{' '}
        <DocsLink path="docs/one-person.md">The rule</DocsLink>
      </p>
      <Ready of={loaded} what="numbers">
        {(joins) => (
          <>
            <Numbers of={joins} isOn={isOn} />
            <MostShared ids={joins.most_shared} project={id} />
          </>
        )}
      </Ready>
    </Section>
  );
}

function Numbers({ of, isOn }: { readonly of: Joins; readonly isOn: boolean }) {
  const facts = {
    [isOn ? 'Ids joined' : 'Ids to join']: counted(of.joined),
    'Shared ids': counted(of.shared),
    'Seen with nobody': counted(of.unseen),
    'Users at 100 ids': counted(of.users_at_limit),
    'Decided by hand': counted(of.decided),
  };
  return <Facts of={facts} look="figures narrow" />;
}

type SharedId = Joins['most_shared'][number];

function MostShared({ ids, project }: { readonly ids: readonly SharedId[]; readonly project: string }) {
  if (ids.length === 0) return null;
  const linkOf = ({ anonymous_id: id }: SharedId) => (
    <a class="id" href={linkTo(['users'], { anonymous_id: id, project })}>
      {id}
    </a>
  );
  const columns = [
    { name: 'Ids with the most users', cell: linkOf },
    { name: 'Users', look: 'number', cell: ({ users }: SharedId) => counted(users) },
  ];
  return <ShortListing rows={ids} keyOf={({ anonymous_id: id }) => id} columns={columns} look="below" />;
}

interface SwitchProps extends JoinedIdsProps {
  readonly numbers: Loaded<Joins>;
}

function Switch({ project: { id, join_ids: isOn }, numbers, reload }: SwitchProps) {
  const action = isOn ? 'Stop joining ids' : 'Join ids';
  const change = async (): Promise<void> => {
    await ask(operation('PATCH /v1/admin/projects/{id}', { path: { id }, body: { join_ids: !isOn } }));
    tellDone('Switched. Answers follow within ten seconds.');
    reload();
  };
  return (
    <ConfirmButton label={`${action}…`} title={`${action}?`} action={action} onConfirm={change}>
      <p>What is found changes, not what was sent: you can switch back.</p>
      <Ready of={numbers} what="numbers">
        {(joins) => <Numbers of={joins} isOn={isOn} />}
      </Ready>
      <JoinEffects project={id} isToJoin={!isOn} />
    </ConfirmButton>
  );
}
