import { operation } from '../../../../schemas/operations.ts';
import { ask } from '../../api/client.ts';
import type { Profile } from '../../api/types.ts';
import { tellDone } from '../../frame/feedback.tsx';
import { goTo, linkTo } from '../../frame/router.ts';
import { project } from '../../frame/session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';

/** Forgets the person for good. */
export function ForgetButton({ profile }: { readonly profile: Profile }) {
  const id = profile.user_id ?? profile.internal_id;
  const forget = async (): Promise<void> => {
    const path = { user_id: profile.internal_id };
    const query = { by: 'internal_id' as const, project: project.value?.id ?? '' };
    await ask(operation('DELETE /v1/users/{user_id}', { path, query }));
    tellDone('Nothing of this person is shown any more. A job deletes what there is.');
    goTo(linkTo(['users']));
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
